package results

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"infbench/internal/disk"
)

// Scratch is what a folder holds only while its trial is made: checkpoint, vectors, shards
// and what killed processes left.
type Scratch struct{ at Folder }

// Scratch is that of the folder.
func (f Folder) Scratch() Scratch { return Scratch{f} }

// DropCheckpoint removes the checkpoint, what it is resumed by first, and its folder
// unless its user has put something there.
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

// checkpointFiles are what training writes to its checkpoint.
var checkpointFiles = []string{"state.json", "step-*.safetensors", "best-*.safetensors"}

// ownCheckpoint lists what training left in the folder of the checkpoint, state.json
// first, and what killed processes left half done.
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
func (s Scratch) Tidy() error {
	return errors.Join(s.at.Failures().drop(), s.DropCheckpoint(), s.at.Shards().Drop())
}

// DropVectors removes the vectors.
func (s Scratch) DropVectors() error { return s.at.drop(s.at.Vectors()) }

// ClearTemporary removes what killed processes left half done in the folder. Only
// whoever has claimed the trial may call it.
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
