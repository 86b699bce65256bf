package results

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"infbench/internal/disk"
)

// Scratch is the temporary content of a folder while its trial is made: checkpoint, vectors,
// shards and leftovers of killed processes.
type Scratch struct{ at Folder }

// Scratch returns the temporary content of the folder.
func (f Folder) Scratch() Scratch { return Scratch{f} }

// DropCheckpoint removes the checkpoint, beginning with the file from which training resumes.
// It also removes the folder unless the user has put something there.
func (s Scratch) DropCheckpoint() error {
	own, err := s.ownCheckpoint()
	if err != nil {
		return err
	}
	for _, name := range own {
		if err := s.at.Files.Remove(filepath.Join(s.at.Checkpoint(), name)); err != nil {
			return err
		}
	}
	switch entries, err := disk.ReadDir(s.at.Checkpoint()); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(entries) == 0:
		return s.at.drop(s.at.Checkpoint())
	}
	return s.at.Files.SyncDir(s.at.Checkpoint())
}

// checkpointFiles are the files that training writes to its checkpoint.
var checkpointFiles = []string{"state.json", "step-*.safetensors", "best-*.safetensors"}

// ownCheckpoint lists the files of training in the checkpoint folder, state.json first, and the
// unfinished files of killed processes.
func (s Scratch) ownCheckpoint() (names []string, err error) {
	entries, err := disk.ReadDir(s.at.Checkpoint())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		own := disk.IsTemporary(e.Name()) || slices.ContainsFunc(checkpointFiles, func(pattern string) bool {
			match, _ := filepath.Match(pattern, e.Name()) // the patterns are valid
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

// Tidy removes temporary content from the folder of a complete trial: the checkpoint, the
// shards that were joined, and the history of failed attempts, which is in the provenance.
func (s Scratch) Tidy() error {
	return errors.Join(s.at.Failures().drop(), s.DropCheckpoint(), s.at.Shards().Drop())
}

// DropVectors removes the vectors.
func (s Scratch) DropVectors() error { return s.at.drop(s.at.Vectors()) }

// ClearTemporary removes the unfinished files of killed processes in the folder. The caller
// must have claimed the trial.
func (s Scratch) ClearTemporary() error {
	var left []string
	err := filepath.WalkDir(s.at.Dir, func(path string, entry fs.DirEntry, err error) error {
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
		err = errors.Join(err, s.at.Files.RemoveAll(path))
	}
	return err
}
