package results

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"infbench/datasets/atomicfile"
)

// Names of the files in a trial folder.
const (
	ScoresFile     = "scores.jsonl"
	CurveFile      = "train.jsonl"
	ProvenanceFile = "provenance.json"
	TrialFile      = "trial.yaml"
	SettingsFile   = "settings.json"
	DoneFile       = "done.json"
	FailedFile     = "failed.json"
	RunsDir        = "runs"
	ModelDir       = "model"
	CheckpointDir  = "checkpoint"
)

// done is the completion marker: the SHA-256 of every file of the folder,
// written last.
type done struct {
	Files map[string]string `json:"files"`
}

// Failure says why a trial ended without numbers.
type Failure struct {
	Error string `json:"error"`
}

// WriteSettings stores a trial's resolved configuration as flat keys and values.
func WriteSettings(dir string, settings map[string]string) error {
	return writeJSON(filepath.Join(dir, SettingsFile), settings)
}

// WriteScores stores per-query values, one JSON object a line, in the order
// given.
func WriteScores(dir string, scores []Result) error {
	return writeLines(filepath.Join(dir, ScoresFile), scores)
}

// WriteCurve stores the training curve of a trial.
func WriteCurve(dir string, steps []Step) error {
	return writeLines(filepath.Join(dir, CurveFile), steps)
}

// WriteProvenance stores how a trial was made.
func WriteProvenance(dir string, p Provenance) error {
	return writeJSON(filepath.Join(dir, ProvenanceFile), p)
}

// Fail records why a trial failed; the next attempt removes it.
func Fail(dir string, cause error) error {
	return writeJSON(filepath.Join(dir, FailedFile), Failure{Error: cause.Error()})
}

// Complete writes what a trial gave and marks its folder as complete.
func Complete(dir string, settings map[string]string, scores []Result, p Provenance) error {
	if err := WriteSettings(dir, settings); err != nil {
		return err
	}
	if err := WriteScores(dir, scores); err != nil {
		return err
	}
	if err := WriteProvenance(dir, p); err != nil {
		return err
	}
	return Finish(dir)
}

// Finish marks a trial folder as complete. Nothing may be written to it after.
func Finish(dir string) error {
	files, err := hashFolder(dir)
	if err != nil {
		return err
	}
	return writeJSON(filepath.Join(dir, DoneFile), done{Files: files})
}

// ErrDamaged says that a complete trial folder no longer holds what it held
// when it was completed.
var ErrDamaged = errors.New("trial folder is damaged")

// Verify checks a trial folder against its completion marker. It returns
// fs.ErrNotExist where there is no marker, ErrDamaged where a file is missing,
// changed or extra.
func Verify(dir string) error {
	var want done
	if err := readJSON(filepath.Join(dir, DoneFile), &want); err != nil {
		return err
	}
	got, err := hashFolder(dir)
	if err != nil {
		return err
	}
	for name, sum := range want.Files {
		switch {
		case got[name] == "":
			return fmt.Errorf("%w: %s is missing", ErrDamaged, filepath.Join(dir, name))
		case got[name] != sum:
			return fmt.Errorf("%w: %s was changed", ErrDamaged, filepath.Join(dir, name))
		}
	}
	for name := range got {
		if want.Files[name] == "" {
			return fmt.Errorf("%w: %s was added", ErrDamaged, filepath.Join(dir, name))
		}
	}
	return nil
}

// hashFolder returns the SHA-256 of each file below dir, by slash-separated
// relative name, the completion marker left out.
func hashFolder(dir string) (map[string]string, error) {
	sums := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || rel == DoneFile || strings.HasPrefix(entry.Name(), ".tmp-") {
			return err
		}
		sum, _, err := atomicfile.SHA256(path)
		if err != nil {
			return err
		}
		sums[filepath.ToSlash(rel)] = sum
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("hash files of %s: %w", dir, err)
	}
	return sums, nil
}

// ReadState tells whether a trial is done, failed (with its error) or waiting,
// without reading its numbers.
func ReadState(dir string, t *Trial) error {
	if _, err := os.Stat(filepath.Join(dir, DoneFile)); err != nil {
		return readUnfinished(dir, t)
	}
	t.State = Done
	return nil
}

// ReadTrial fills in what a trial folder holds: results, curve and provenance
// of a complete one, the error of a failed one. Config is read from the folder
// where the caller has not set it. Files are not verified; Verify does that.
func ReadTrial(dir string, t *Trial) error {
	if err := ReadState(dir, t); err != nil || t.State != Done {
		return err
	}
	var err error
	if t.Config == nil {
		if err := readJSON(filepath.Join(dir, SettingsFile), &t.Config); err != nil {
			return err
		}
	}
	if t.Results, err = readLines[Result](filepath.Join(dir, ScoresFile)); err != nil {
		return err
	}
	t.Curve, err = readLines[Step](filepath.Join(dir, CurveFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return readJSON(filepath.Join(dir, ProvenanceFile), &t.Provenance)
}

// readUnfinished tells a failed trial from one that waits.
func readUnfinished(dir string, t *Trial) error {
	var f Failure
	err := readJSON(filepath.Join(dir, FailedFile), &f)
	switch {
	case err == nil:
		t.State, t.Error = Failed, f.Error
	case errors.Is(err, fs.ErrNotExist):
		t.State = Waiting
	default:
		return err
	}
	return nil
}

func writeLines[T any](path string, items []T) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		for _, item := range items {
			if err := enc.Encode(item); err != nil {
				return err
			}
		}
		return nil
	})
}

func readLines[T any](path string) ([]T, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []T
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var item T
		if err := json.Unmarshal(lines.Bytes(), &item); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		out = append(out, item)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return slices.Clip(out), nil
}

func writeJSON(path string, v any) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(v)
	})
}

func readJSON(path string, v any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
