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
	trainedFile    = "trained.json" // instead of DoneFile, for a model trained without a sweep
	FailureFile    = "failure.json" // why a trial has no results yet
	HaltFile       = "stopped.json" // that the trial was stopped during training
	RunsDir        = "runs"
	ModelDir       = "model"
	CardFile       = "README.md" // in ModelDir
	AdapterDir     = "adapter"
	CheckpointDir  = "checkpoint"
	vectorsDir     = "vectors"
	queriesDir     = "queries"
	judgmentsDir   = "qrels"

	// Values on held-out queries, by query for the final weights, and as means during training.
	ValidationFile  = "validation.jsonl"
	EvaluationsFile = "evaluations.jsonl"
)

// Folder is the directory of a trial or an evaluation, with the file system through which it is
// written. It defines all names in the directory.
type Folder struct {
	Dir   string
	Files disk.FS
}

// At returns a folder that is written through the operating system.
func At(dir string) Folder { return Folder{dir, disk.OS{}} }

// Model returns the path of the trained model, a HuggingFace folder.
func (f Folder) Model() string { return f.path(ModelDir) }

// Adapter returns the path of the trained adapter.
func (f Folder) Adapter() string { return f.path(AdapterDir) }

// Checkpoint returns the path of the checkpoint from which training resumes.
func (f Folder) Checkpoint() string { return f.path(CheckpointDir) }

// Vectors returns the path of the vectors of the trained model. They are kept until the trial
// is done, because its tasks may share documents and a stopped evaluation continues. No other
// trial has these weights.
func (f Folder) Vectors() string { return f.path(vectorsDir) }

// drop removes a folder of the trial durably: it may be large, and after a power loss nothing
// would remove it again.
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

// Trained lists the files and folders of a training, with their kinds.
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

// file returns the path of a file by its slash-separated name.
func (f Folder) file(name string) string { return f.path(filepath.FromSlash(name)) }

func exists(path string) bool {
	_, err := disk.Stat(path)
	return err == nil
}
