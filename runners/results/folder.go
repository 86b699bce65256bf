package results

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"infbench/internal/disk"
)

// Names in a trial folder.
const (
	ScoresFile     = "scores.jsonl"
	CurveFile      = "train.jsonl"
	SpeedFile      = "speed.jsonl"
	ProvenanceFile = "provenance.json"
	TrialFile      = "trial.yaml"
	SettingsFile   = "settings.json"
	DoneFile       = "done.json"
	trainedFile    = "trained.json" // in place of it where a model was trained by itself
	FailureFile    = "failure.json" // why a trial has no numbers yet
	HaltFile       = "stopped.json" // that it was stopped on the way
	RunsDir        = "runs"
	ModelDir       = "model"
	AdapterDir     = "adapter"
	CheckpointDir  = "checkpoint"
	vectorsDir     = "vectors"
	queriesDir     = "queries"
	judgmentsDir   = "qrels"

	// What held-out queries said: of the weights that training ended with, query
	// by query, and of those on the way.
	ValidationFile  = "validation.jsonl"
	EvaluationsFile = "evaluations.jsonl"
)

// Folder is where a trial, or an evaluation, keeps what it gave: a directory and
// the file system that it is written through. It owns every name in there.
type Folder struct {
	Dir   string
	Files disk.FS
}

// At is a folder that is written as usual.
func At(dir string) Folder { return Folder{dir, disk.OS{}} }

// Model is where the trained model lies, a HuggingFace folder.
func (f Folder) Model() string { return f.path(ModelDir) }

// Adapter is where the adapter lies that was trained, if one was.
func (f Folder) Adapter() string { return f.path(AdapterDir) }

// Checkpoint is where training keeps what it resumes from.
func (f Folder) Checkpoint() string { return f.path(CheckpointDir) }

// Vectors is where a trial keeps the vectors of the model it trained until it is
// done: its tasks may share documents, and an evaluation that was stopped goes on.
// No other trial has these weights.
func (f Folder) Vectors() string { return f.path(vectorsDir) }

// DropCheckpoint removes the checkpoint, what it is resumed by first, and its folder
// unless its user has put something there.
func (f Folder) DropCheckpoint() error {
	own, err := f.ownCheckpoint()
	if err != nil {
		return err
	}
	for _, name := range own {
		if err := f.Files.Remove(filepath.Join(f.Checkpoint(), name)); err != nil {
			return err
		}
	}
	switch entries, err := disk.ReadDir(f.Checkpoint()); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(entries) == 0:
		return f.drop(f.Checkpoint())
	}
	return f.Files.SyncDir(f.Checkpoint())
}

// checkpointFiles are what training writes to its checkpoint.
var checkpointFiles = []string{"state.json", "step-*.safetensors", "best-*.safetensors"}

// ownCheckpoint lists what training left in the folder of the checkpoint, state.json
// first, and what killed processes left half done.
func (f Folder) ownCheckpoint() (names []string, err error) {
	entries, err := disk.ReadDir(f.Checkpoint())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		own := disk.IsTemporary(e.Name()) || slices.ContainsFunc(checkpointFiles, func(pattern string) bool {
			match, _ := filepath.Match(pattern, e.Name()) // the patterns are well formed
			return match
		})
		switch {
		case !own || e.IsDir():
		case e.Name() == checkpointFiles[0]:
			names = slices.Insert(names, 0, e.Name())
		default:
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// Tidy removes from the folder of a complete trial what has served: the checkpoint, the
// shards that it was joined of, and the history of attempts that failed, which is in the
// provenance.
func (f Folder) Tidy() error {
	return errors.Join(f.dropFailure(), f.DropCheckpoint(), f.DropShards())
}

// DropVectors removes the vectors.
func (f Folder) DropVectors() error { return f.drop(f.Vectors()) }

// drop removes a folder of the trial for good: it may be large, and a power loss would
// bring it back for nobody to remove.
func (f Folder) drop(dir string) error {
	if !exists(dir) {
		return nil
	}
	return errors.Join(f.Files.RemoveAll(dir), f.Files.SyncDir(f.Dir))
}

// IsMarked says whether the completion marker is there, whatever it says.
func (f Folder) IsMarked() (bool, error) { return disk.Exists(f.path(DoneFile)) }

// HasBegun says whether anything was written yet.
func (f Folder) HasBegun() bool {
	_, err := disk.Stat(f.path(TrialFile))
	return !errors.Is(err, fs.ErrNotExist)
}

// Trained lists what training left, by what it is.
func (f Folder) Trained() (what, paths []string) {
	for _, part := range [][2]string{
		{"model", ModelDir}, {"adapter", AdapterDir}, {"curve", CurveFile}, {"validation", ValidationFile}, {"evaluations", EvaluationsFile},
	} {
		if path := f.path(part[1]); exists(path) {
			what, paths = append(what, part[0]), append(paths, path)
		}
	}
	return what, paths
}

func (f Folder) path(name string) string { return filepath.Join(f.Dir, name) }

func (f Folder) write(name string, fill func(io.Writer) error) error {
	return disk.WriteTo(f.Files, f.path(name), fill)
}

func exists(path string) bool {
	_, err := disk.Stat(path)
	return err == nil
}

// WriteTrial keeps the resolved trial, as its plan prints it.
func (f Folder) WriteTrial(print func(io.Writer) error) error { return f.write(TrialFile, print) }

// WriteConfig stores a trial's resolved configuration as flat keys and values.
func (f Folder) WriteConfig(c Config) error {
	return f.writeJSON(SettingsFile, c)
}

// WriteScores stores per-query values, one JSON object a line, in the order
// given.
func (f Folder) WriteScores(scores []Result) error {
	return writeLines(f, ScoresFile, scores)
}

// WriteValidation stores per-query values on held-out queries, as WriteScores
// does.
func (f Folder) WriteValidation(scores []Result) error {
	return writeLines(f, ValidationFile, scores)
}

// WriteEvaluations stores what held-out queries said of the weights while they
// were trained.
func (f Folder) WriteEvaluations(evaluations []Evaluation) error {
	return writeLines(f, EvaluationsFile, evaluations)
}

// WriteCurve stores the training curve of a trial.
func (f Folder) WriteCurve(steps []Step) error {
	return writeLines(f, CurveFile, steps)
}

// WriteProvenance stores how a trial was made.
func (f Folder) WriteProvenance(p Provenance) error {
	return f.writeJSON(ProvenanceFile, p)
}

// Provenance reads how a complete trial was made, and nothing else of it.
func (f Folder) Provenance() (Provenance, error) {
	var p Provenance
	d, err := f.done()
	if err == nil {
		err = f.check(d, ProvenanceFile, read)
	}
	if err == nil {
		err = readJSON(f.path(ProvenanceFile), &p)
	}
	return p, err
}

// Complete writes what a trial gave and marks its folder as complete.
func (f Folder) Complete(config Config, scores []Result, p Provenance) error {
	if err := f.WriteConfig(config); err != nil {
		return err
	}
	if err := f.WriteScores(scores); err != nil {
		return err
	}
	if err := f.WriteProvenance(p); err != nil {
		return err
	}
	return f.Finish()
}

// ClearTemporary removes what killed processes left half done in the folder. Only
// whoever has claimed the trial may call it.
func (f Folder) ClearTemporary() error {
	var left []string
	err := filepath.WalkDir(f.Dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && disk.IsTemporary(path) {
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
		err = errors.Join(err, f.Files.RemoveAll(path))
	}
	return err
}

func writeLines[T any](f Folder, name string, items []T) error {
	return f.write(name, func(w io.Writer) error { return encodeLines(w, items) })
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

func (f Folder) writeJSON(name string, v any) error {
	return disk.WriteJSONTo(f.Files, f.path(name), v)
}
