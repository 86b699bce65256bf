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

// lockFile keeps others from publishing into the same folder; it goes with the lock.
const lockFile = ".publish.lock"

// Folder is where a site lies, claimed by one who publishes there.
type Folder struct {
	dir     string
	made    bool // it was not there before
	ours    bool // a site or a history of one is there already
	release func() error
	files   disk.FS // that it is written through
}

// Claim waits until nobody else publishes into a folder, which it makes, or until ctx
// ends; what one who was killed left half written goes. A folder with an index of
// something else is refused.
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
	f.ours, err = isSite(dir) // others may have published meanwhile
	if err == nil {
		err = f.clear()
	}
	if err != nil {
		return nil, errors.Join(err, f.Release())
	}
	return f, nil
}

// isSite says whether a folder holds a site, or the history of one; an index of something
// else is an error.
func isSite(dir string) (bool, error) {
	index, err := disk.ReadFile(filepath.Join(dir, indexFile))
	if errors.Is(err, fs.ErrNotExist) {
		return disk.Exists(filepath.Join(dir, HistoryFile))
	}
	if err == nil && !bytes.Contains(index, []byte(generator)) {
		err = fmt.Errorf("%s holds an %s that infbench did not write: name another folder", dir, indexFile)
	}
	return err == nil, err
}

// Release lets others publish. A folder that was made for nothing goes.
func (f *Folder) Release() error {
	err := os.Remove(filepath.Join(f.dir, lockFile))
	if f.made {
		os.Remove(f.dir) // fails where it holds anything
	}
	return errors.Join(err, f.release())
}

// clear removes what was being written when its writer was killed.
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

// History reads what the site has measured so far, held to its chain and, where it is
// there, to the sum of the whole.
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

// Put writes a site: first every file beside its place, so that a full disk changes
// nothing, then each into place in the order of the list, so that no link of a page
// leads nowhere. The sum of a history stands aside meanwhile: one who is killed leaves a
// history that the same command takes up. Where there was no site yet, a file in the
// place of one of its own is the user's, unless it holds the same: that is what one who
// was killed had put there.
func (f *Folder) Put(site []export.File) (err error) {
	if err := f.stranger(site); err != nil {
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

// stranger refuses what a first site would replace.
func (f *Folder) stranger(site []export.File) error {
	if f.ours {
		return nil
	}
	for _, file := range site {
		switch there, err := disk.ReadFile(f.path(file)); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case !bytes.Equal(there, file.Data):
			return fmt.Errorf("%s is in the way, and no site is in %s whose file it could be: name another folder, or move it away", f.path(file), f.dir)
		}
	}
	return nil
}

func (f *Folder) path(file export.File) string {
	return filepath.Join(f.dir, filepath.FromSlash(file.Name))
}

// stage writes a file beside its place.
func (f *Folder) stage(file export.File) (temporary string, err error) {
	path := f.path(file)
	if !filepath.IsLocal(filepath.FromSlash(file.Name)) {
		return "", fmt.Errorf("file name %q leads out of the folder", file.Name)
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
