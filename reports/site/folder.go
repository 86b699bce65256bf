package site

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"infbench/internal/disk"
	"infbench/reports/export"
)

// lockFile prevents concurrent publishing into the same folder; it is removed with the lock.
const lockFile = ".publish.lock"

// Folder is the folder of a site, locked by one publisher.
type Folder struct {
	dir     string
	made    bool // it did not exist before
	ours    bool // it already has a site or the history of one
	release func() error
	files   disk.FS // used for writing
}

// Claim makes a folder if needed and waits until nobody else publishes into it, or until ctx ends.
// It removes unfinished files of a killed publisher. A folder with the index of another program is
// an error.
func Claim(ctx context.Context, dir string) (*Folder, error) {
	if _, err := isSite(dir); err != nil {
		return nil, err
	}
	_, missing := disk.Stat(dir)
	release, err := disk.Lock(ctx, filepath.Join(dir, lockFile))
	if err != nil {
		return nil, err
	}
	f := &Folder{dir: dir, made: errors.Is(missing, fs.ErrNotExist), release: release, files: disk.OS{}}
	f.ours, err = isSite(dir) // others may have published in the meantime
	if err == nil {
		err = f.clear()
	}
	if err != nil {
		return nil, errors.Join(err, f.Release())
	}
	return f, nil
}

// isSite reports whether a folder has a site, or the history of one; the index of another program
// is an error.
func isSite(dir string) (bool, error) {
	index, err := disk.ReadFile(filepath.Join(dir, indexFile))
	if errors.Is(err, fs.ErrNotExist) {
		return disk.Exists(filepath.Join(dir, HistoryFile))
	}
	if err == nil && !bytes.Contains(index, []byte(generator)) {
		err = fmt.Errorf("%s contains an %s that infbench did not write: name another folder", dir, indexFile)
	}
	return err == nil, err
}

// Release lets others publish. It removes a folder that was made and is still empty.
func (f *Folder) Release() error {
	err := os.Remove(filepath.Join(f.dir, lockFile))
	if f.made {
		os.Remove(f.dir) // fails if it is not empty
	}
	return errors.Join(err, f.release())
}

// clear removes unfinished files of a killed publisher.
func (f *Folder) clear() error {
	for _, sub := range []string{".", modelsDir, badgesDir, reportsDir} {
		entries, err := disk.ReadDir(filepath.Join(f.dir, sub))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, e := range entries {
			if e.Type().IsRegular() && disk.IsTemporary(e.Name()) {
				if err := f.files.Remove(filepath.Join(f.dir, sub, e.Name())); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// History reads the history of the site, checked against its chain and, if it exists, against the
// sum of the complete file.
func (f *Folder) History() (History, error) {
	name := filepath.Join(f.dir, HistoryFile)
	data, err := disk.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return History{}, err
	}
	h, err := ReadHistory(name, data)
	if err != nil {
		return History{}, err
	}
	sum, err := disk.ReadFile(filepath.Join(f.dir, SumFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return h, nil
	case err != nil:
		return History{}, err
	case !bytes.Equal(bytes.TrimSpace(sum), bytes.TrimSpace(sumLine(data))):
		return History{}, fmt.Errorf("%s:%d: the history ends here, and its %s is of another one: lines at its end were cut off or changed", name, bytes.Count(data, []byte("\n")), SumFile)
	}
	return h, nil
}

// Put writes a site. First it writes every file under a temporary name, so that a full disk changes
// nothing. Then it moves each to its place, in the order of the list, so that no link leads
// nowhere. The sum of the history is removed meanwhile, so that the same command can continue the
// history of a killed publisher. If there was no site yet, an existing file with another content
// belongs to the user and is an error; one with the same content comes from a killed publisher.
func (f *Folder) Put(site []export.File) (err error) {
	if err := f.conflict(site); err != nil {
		return err
	}
	staged := make([]string, len(site))
	defer func() {
		for _, name := range staged {
			if name != "" {
				f.files.Remove(name)
			}
		}
	}()
	for i, file := range site {
		if staged[i], err = f.stage(file); err != nil {
			return err
		}
	}
	if err := f.files.Remove(filepath.Join(f.dir, SumFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var dirs []string
	for i, file := range site {
		path := f.path(file)
		if err := f.files.Rename(staged[i], path); err != nil {
			return err
		}
		if staged[i] = ""; !slices.Contains(dirs, filepath.Dir(path)) {
			dirs = append(dirs, filepath.Dir(path))
		}
		if file.Name == HistoryFile { // before its sum
			if err := f.files.SyncDir(f.dir); err != nil {
				return err
			}
		}
	}
	for _, dir := range dirs {
		if err := f.files.SyncDir(dir); err != nil {
			return err
		}
	}
	return nil
}

// conflict returns an error if a first site would replace a file of the user.
func (f *Folder) conflict(site []export.File) error {
	if f.ours {
		return nil
	}
	for _, file := range site {
		switch there, err := disk.ReadFile(f.path(file)); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case !bytes.Equal(there, file.Data):
			return fmt.Errorf("%s already exists, but %s has no site that it could belong to: name another folder, or move the file away", f.path(file), f.dir)
		}
	}
	return nil
}

func (f *Folder) path(file export.File) string {
	return filepath.Join(f.dir, filepath.FromSlash(file.Name))
}

// stage writes a file under a temporary name next to its place.
func (f *Folder) stage(file export.File) (temporary string, err error) {
	path := f.path(file)
	if !filepath.IsLocal(filepath.FromSlash(file.Name)) {
		return "", fmt.Errorf("file name %q leads outside the folder", file.Name)
	}
	if err := disk.MkdirAll(f.files, filepath.Dir(path)); err != nil {
		return "", fmt.Errorf("create folder for %s: %w", path, err)
	}
	temporary = disk.Temporary(path)
	w, err := f.files.Create(temporary)
	if err != nil {
		return "", fmt.Errorf("write %s: %w", path, err)
	}
	_, err = w.Write(file.Data)
	if err == nil {
		err = w.Sync()
	}
	if err := errors.Join(err, w.Close()); err != nil {
		return temporary, fmt.Errorf("write %s: %w", path, err)
	}
	return temporary, nil
}
