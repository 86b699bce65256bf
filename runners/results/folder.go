package results

import (
	"errors"
	"io/fs"
	"path/filepath"

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

// drop removes a folder of the trial for good: it may be large, and a power loss would
// bring it back for nobody to remove.
func (f Folder) drop(dir string) error {
	if !exists(dir) {
		return nil
	}
	return errors.Join(f.Files.RemoveAll(dir), f.Files.SyncDir(f.Dir))
}

// HasBegun reports whether anything was written yet.
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

// file is the path of a file by its slash-separated name.
func (f Folder) file(name string) string { return f.path(filepath.FromSlash(name)) }

func exists(path string) bool {
	_, err := disk.Stat(path)
	return err == nil
}
