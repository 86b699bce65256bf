package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"infbench/datasets/atomicfile"
)

// Names of the files in a trial folder.
const (
	ScoresFile     = "scores.jsonl"
	CurveFile      = "train.jsonl"
	SpeedFile      = "speed.jsonl"
	ProvenanceFile = "provenance.json"
	TrialFile      = "trial.yaml"
	SettingsFile   = "settings.json"
	DoneFile       = "done.json"
	RunsDir        = "runs"
	ModelDir       = "model"
	AdapterDir     = "adapter"
	CheckpointDir  = "checkpoint"

	// What held-out queries said: of the weights that training ended with, query
	// by query, and of those on the way.
	ValidationFile  = "validation.jsonl"
	EvaluationsFile = "evaluations.jsonl"
)

// done is the completion marker: the SHA-256 of every file of the folder,
// written last.
type done struct {
	Files map[string]string `json:"files"`
}

// WriteSettings stores a trial's resolved configuration as flat keys and values.
func WriteSettings(fsys atomicfile.FS, dir string, settings map[string]string) error {
	return writeJSON(fsys, filepath.Join(dir, SettingsFile), settings)
}

// WriteScores stores per-query values, one JSON object a line, in the order
// given.
func WriteScores(fsys atomicfile.FS, dir string, scores []Result) error {
	return writeLines(fsys, filepath.Join(dir, ScoresFile), scores)
}

// WriteValidation stores per-query values on held-out queries, as WriteScores
// does.
func WriteValidation(fsys atomicfile.FS, dir string, scores []Result) error {
	return writeLines(fsys, filepath.Join(dir, ValidationFile), scores)
}

// WriteEvaluations stores what held-out queries said of the weights while they
// were trained.
func WriteEvaluations(fsys atomicfile.FS, dir string, evaluations []Evaluation) error {
	return writeLines(fsys, filepath.Join(dir, EvaluationsFile), evaluations)
}

// WriteCurve stores the training curve of a trial.
func WriteCurve(fsys atomicfile.FS, dir string, steps []Step) error {
	return writeLines(fsys, filepath.Join(dir, CurveFile), steps)
}

// WriteProvenance stores how a trial was made.
func WriteProvenance(fsys atomicfile.FS, dir string, p Provenance) error {
	return writeJSON(fsys, filepath.Join(dir, ProvenanceFile), p)
}

// Complete writes what a trial gave and marks its folder as complete. Attempts
// that failed before are in the provenance; their own file goes.
func Complete(fsys atomicfile.FS, dir string, settings map[string]string, scores []Result, p Provenance) error {
	if err := WriteSettings(fsys, dir, settings); err != nil {
		return err
	}
	if err := WriteScores(fsys, dir, scores); err != nil {
		return err
	}
	if err := WriteProvenance(fsys, dir, p); err != nil {
		return err
	}
	if err := dropFailure(fsys, dir); err != nil {
		return err
	}
	return Finish(fsys, dir)
}

// Finish marks a trial folder as complete. Nothing may be written to it after;
// the checkpoint is no part of it and may be removed.
func Finish(fsys atomicfile.FS, dir string) error {
	files, err := hashFolder(dir)
	if err != nil {
		return err
	}
	return writeJSON(fsys, filepath.Join(dir, DoneFile), done{Files: files})
}

// ErrDamaged says that a complete trial folder no longer holds what it held
// when it was completed.
var ErrDamaged = errors.New("trial folder is damaged")

// Verify checks a trial folder against its completion marker. It returns
// fs.ErrNotExist where there is no marker, ErrDamaged where the marker cannot be
// read or a file is missing, changed or extra.
func Verify(dir string) error {
	want, err := readDone(dir)
	if err != nil {
		return err
	}
	got, err := hashFolder(dir)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(want.Files)) {
		sum := want.Files[name]
		switch {
		case got[name] == "":
			return fmt.Errorf("%w: %s is missing", ErrDamaged, filepath.Join(dir, name))
		case got[name] != sum:
			return fmt.Errorf("%w: %s was changed", ErrDamaged, filepath.Join(dir, name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if want.Files[name] == "" {
			return fmt.Errorf("%w: %s was added", ErrDamaged, filepath.Join(dir, name))
		}
	}
	return nil
}

// readDone reads the completion marker.
func readDone(dir string) (done, error) {
	var d done
	path := filepath.Join(dir, DoneFile)
	err := readJSON(path, &d)
	if _, unreadable := errors.AsType[*fs.PathError](err); err != nil && !unreadable {
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return d, err
}

// hashFolder returns the SHA-256 of each file below dir, by slash-separated
// relative name; the completion marker, the checkpoint and what killed processes
// left half done are no part of it.
func hashFolder(dir string) (map[string]string, error) {
	sums := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (rel == CheckpointDir || atomicfile.IsTemporary(rel)):
			return filepath.SkipDir
		case entry.IsDir() || rel == DoneFile || atomicfile.IsTemporary(rel):
			return nil
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

// ClearTemporary removes what killed processes left half done below dir. Only
// whoever has claimed the trial may call it.
func ClearTemporary(fsys atomicfile.FS, dir string) error {
	var left []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && atomicfile.IsTemporary(path) {
			left = append(left, path)
			if entry.IsDir() {
				return filepath.SkipDir
			}
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, path := range left {
		err = errors.Join(err, fsys.RemoveAll(path))
	}
	return err
}

func writeLines[T any](fsys atomicfile.FS, path string, items []T) error {
	return atomicfile.WriteTo(fsys, path, func(w io.Writer) error { return encodeLines(w, items) })
}

func encodeLines[T any](w io.Writer, items []T) error {
	enc := json.NewEncoder(w)
	for _, item := range items {
		if err := enc.Encode(item); err != nil {
			return err
		}
	}
	return nil
}

func writeJSON(fsys atomicfile.FS, path string, v any) error {
	return atomicfile.WriteTo(fsys, path, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(v)
	})
}
