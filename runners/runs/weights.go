package runs

import (
	"errors"
	"io/fs"
	"path/filepath"

	"infbench/internal/disk"
	"infbench/runners/results"
	"infbench/runners/spec"
)

// Trials are listed by the weights that they evaluate, with one empty file each: weights/HASH/TRIAL.
// Only complete trials are found; nothing else depends on the list.

// Weights lists the trials of a run folder by the weights that they evaluate.
type Weights struct{ at Folder }

// Weights returns the folder's list of trials by weights.
func (f Folder) Weights() Weights { return Weights{f} }

// AreTrained reports whether an earlier trial has trained the weights of a trial.
func (w Weights) AreTrained(t *spec.Trial) (bool, error) {
	if t.Cell.Model != spec.Trained || !t.IsResolved() {
		return false, nil
	}
	others, err := w.Others(t)
	return len(others) > 0, err
}

// List adds a trial to the list.
func (w Weights) List(t *spec.Trial) error {
	dir := filepath.Join(w.at.path(weightsDir), t.WeightsID())
	path := filepath.Join(dir, t.ID)
	if there, err := disk.Exists(path); there || err != nil {
		return err
	}
	if err := disk.MkdirAll(w.at.Files, dir); err != nil {
		return err
	}
	file, err := w.at.Files.Create(path)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), w.at.Files.SyncDir(dir))
}

// Others lists the folders of the other complete trials that evaluated the weights of a trial,
// by ID.
func (w Weights) Others(t *spec.Trial) (found []results.Folder, err error) {
	weights := t.WeightsID()
	entries, err := disk.ReadDir(filepath.Join(w.at.path(weightsDir), weights))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for i := 0; i < len(entries) && err == nil; i++ {
		if id := entries[i].Name(); id != t.ID {
			at, alike := w.at.Trial(id), false
			if alike, err = at.Reader().IsOf(weights); alike {
				found = append(found, at)
			}
		}
	}
	return found, err
}
