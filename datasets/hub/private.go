package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"infbench/internal/disk"
)

// PrivateFile is the file that marks its folder, with all contents, as private.
const PrivateFile = ".infbench-private"

// Private records which texts are private. It is written to a file in their folder, which
// marks every copy of that folder. It is also added to a file of the user's, which covers a
// copy of a single file, the texts in a run folder that is older than the mark, and a folder
// that nobody may write to.
type Private struct {
	Folders map[string]bool  `json:"folders,omitempty"` // by absolute path
	Files   map[string]int64 `json:"files"`             // sizes in bytes, by SHA-256
	Content map[string]bool  `json:"content"`           // hashes of documents and queries, from datasets.ContentHashes
}

// userPrivate returns the path of the user's file, or "" if there is no folder for settings.
func userPrivate() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "infbench", "private.json")
}

// privateIn reads a file of this kind; a missing file is empty.
func privateIn(path string) (Private, error) {
	p := Private{Folders: map[string]bool{}, Files: map[string]int64{}, Content: map[string]bool{}}
	data, err := disk.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || path == "" {
		return p, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &p)
	}
	if err != nil {
		return p, fmt.Errorf("cannot read the list of private texts: %w, in %s", err, path)
	}
	return p, nil
}

// changeUserPrivate changes the user's file.
func changeUserPrivate(ctx context.Context, change func(*Private)) (err error) {
	path := userPrivate()
	if path == "" {
		return errors.New("this user has no folder for settings")
	}
	release, err := disk.Lock(ctx, filepath.Join(filepath.Dir(path), ".private.lock"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	p, err := privateIn(path)
	if err != nil {
		return err
	}
	change(&p)
	return disk.WriteJSONTo(disk.OS{}, path, p)
}

// Mark marks a folder as private, with a file in it and in the user's file. One of the two
// suffices.
func (p Private) Mark(ctx context.Context, dir string) error {
	inside := disk.WriteJSONTo(disk.OS{}, filepath.Join(dir, PrivateFile), p)
	mine := changeUserPrivate(ctx, func(all *Private) {
		all.Folders[disk.RealPath(dir)] = true
		maps.Copy(all.Files, p.Files)
		maps.Copy(all.Content, p.Content)
	})
	if inside != nil && mine != nil {
		return fmt.Errorf("%s cannot be marked as private: %w", dir, errors.Join(inside, mine))
	}
	return nil
}

// Unmark removes the mark of a folder.
func (p Private) Unmark(ctx context.Context, dir string) error {
	if err := (disk.OS{}).Remove(filepath.Join(dir, PrivateFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if have, err := privateIn(userPrivate()); err == nil && len(have.Folders)+len(have.Files)+len(have.Content) == 0 {
		return nil
	}
	return changeUserPrivate(ctx, func(all *Private) {
		delete(all.Folders, disk.RealPath(dir))
		for sum := range p.Files {
			delete(all.Files, sum)
		}
		for sum := range p.Content {
			delete(all.Content, sum)
		}
	})
}

// ReadPrivate reads the user's file.
func ReadPrivate() (Private, error) { return privateIn(userPrivate()) }

// HasFile reports whether a file or folder is private: HasFolder is true for it, or it contains a
// file with the content of a private one. A path that does not exist is not private.
func (p Private) HasFile(path string) (bool, error) {
	if p.HasFolder(path) {
		return true, nil
	}
	return p.holds(path)
}

// HasFolder reports whether a path, or a folder that contains it, is marked or in the user's file.
func (p Private) HasFolder(path string) bool {
	return slices.ContainsFunc(above(path), func(dir string) bool {
		if p.Folders[dir] {
			return true
		}
		_, err := os.Lstat(filepath.Join(dir, PrivateFile)) // a damaged mark counts as a mark
		return err == nil
	})
}

// above lists a path and the folders that contain it, both as named and with links resolved.
func above(path string) (list []string) {
	abs, err := filepath.Abs(path)
	if err != nil {
		abs = path
	}
	for _, at := range slices.Compact([]string{abs, disk.RealPath(path)}) {
		for ; ; at = filepath.Dir(at) {
			list = append(list, at)
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	return list
}

// holds reports whether a file, or a file in a folder, has the content of a private one. It reads
// only files with the size of a private one.
func (p Private) holds(path string) (found bool, err error) {
	sizes := map[int64]bool{}
	for _, size := range p.Files {
		sizes[size] = true
	}
	if len(sizes) == 0 {
		return false, nil
	}
	err = filepath.WalkDir(disk.RealPath(path), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // opening it reports why it cannot be read
		}
		info, err := disk.Stat(name)
		if err != nil || !info.Mode().IsRegular() || !sizes[info.Size()] {
			return nil
		}
		sum, err := disk.HashOf(name, disk.HashSHA256)
		if err == nil && p.Files[sum] == info.Size() && info.Size() > 0 {
			found = true
			return filepath.SkipAll
		}
		return err
	})
	return found, err
}
