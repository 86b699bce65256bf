package results

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"infbench/internal/disk"
)

// An evaluation is made beside what its folder holds and put into its place when it is
// whole. A journal in the folder says so from the first step on: what a crash leaves is
// put there by whoever comes next. Only files of the evaluation before go, and whoever
// does this has claimed the folder.

// replaceFile is the journal; hidden, since it is no part of an evaluation.
const replaceFile = ".replace.json"

// madePrefix begins the names of folders in which evaluations are made.
const madePrefix = "evaluation"

// replacement is what the journal says.
type replacement struct {
	Made  string   `json:"made"`  // name of the folder with the complete evaluation
	Files []string `json:"files"` // of it, without its completion marker
	Old   []string `json:"old"`   // of the one before
}

// Beside is where an evaluation is made that Replace puts into the folder when it is
// whole; until then the folder keeps what it has. What killed processes left there goes.
func (f Folder) Beside() (Folder, error) {
	entries, err := disk.ReadDir(f.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Folder{}, fmt.Errorf("read output folder: %w", err)
	}
	for _, e := range entries {
		if disk.IsTemporaryOf(e.Name(), madePrefix) {
			if err := f.Files.RemoveAll(f.path(e.Name())); err != nil {
				return Folder{}, fmt.Errorf("clear what a killed process left: %w", err)
			}
		}
	}
	return Folder{disk.Temporary(f.path(madePrefix)), f.Files}, nil
}

// Replace puts a complete evaluation from where it was made into its place.
func (f Folder) Replace(made Folder) error {
	now, err := made.done()
	if err != nil {
		return err
	}
	was, err := f.done()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	r := replacement{Made: filepath.Base(made.Dir), Files: slices.Sorted(maps.Keys(now.Files)), Old: slices.Sorted(maps.Keys(was.Files))}
	for _, name := range r.Files {
		if was.Files[name] != "" {
			continue
		}
		if there, err := disk.Exists(f.file(name)); err != nil {
			return err
		} else if there {
			return fmt.Errorf("%s is in the way, and no evaluation wrote it", f.file(name))
		}
	}
	if err := f.writeJSON(replaceFile, r); err != nil {
		return err
	}
	return f.apply(r)
}

// file is the path of a file by its slash-separated name.
func (f Folder) file(name string) string { return f.path(filepath.FromSlash(name)) }

// finishReplace does what the journal says, as far as it was not done; nothing where
// there is none.
func (f Folder) finishReplace() error {
	var r replacement
	if err := readJSON(f.path(replaceFile), &r); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	if !disk.IsTemporaryOf(r.Made, madePrefix) || slices.ContainsFunc(slices.Concat(r.Files, r.Old), func(name string) bool { return !filepath.IsLocal(filepath.FromSlash(name)) }) {
		return fmt.Errorf("%s is no journal that infbench wrote", f.path(replaceFile))
	}
	return f.apply(r)
}

// apply puts an evaluation into its place, as far as it is not there. One without its
// marker is there already, and the marker with it.
func (f Folder) apply(r replacement) error {
	made := Folder{f.path(r.Made), f.Files}
	waits, err := made.IsMarked()
	if err == nil && !waits {
		if there, unread := f.IsMarked(); !there {
			err = errors.Join(unread, fmt.Errorf("%s is missing", made.path(DoneFile)))
		}
	} else if err == nil {
		err = f.install(made, r)
	}
	if err != nil {
		return fmt.Errorf("put an evaluation into its place: %w", err)
	}
	return errors.Join(f.Files.RemoveAll(made.Dir), f.Files.Remove(f.path(replaceFile)), f.Files.SyncDir(f.Dir))
}

// install moves files into their place, the completion marker last: what a crash leaves
// is an unfinished folder with a journal, never a finished one with missing files.
func (f Folder) install(made Folder, r replacement) error {
	if err := f.removeFile(DoneFile); err != nil {
		return err
	}
	for _, name := range r.Old {
		if !slices.Contains(r.Files, name) {
			if err := f.removeFile(name); err != nil {
				return err
			}
		}
	}
	folders := map[string]bool{f.Dir: true}
	for _, name := range r.Files {
		to := f.file(name)
		folders[filepath.Dir(to)] = true
		if err := disk.MkdirAll(f.Files, filepath.Dir(to)); err != nil {
			return err
		}
		err := f.Files.Rename(made.file(name), to)
		if errors.Is(err, fs.ErrNotExist) {
			_, err = disk.Stat(to) // it was moved before the crash
		}
		if err != nil {
			return err
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(folders)) {
		if err := f.Files.SyncDir(dir); err != nil {
			return err
		}
	}
	return f.Files.Rename(made.path(DoneFile), f.path(DoneFile))
}

// removeFile removes a file of the evaluation before, and its folder when that was the
// last in there.
func (f Folder) removeFile(name string) error {
	if err := f.Files.Remove(f.file(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !strings.Contains(name, "/") {
		return nil
	}
	dir := filepath.Dir(f.file(name))
	if entries, err := disk.ReadDir(dir); err == nil && len(entries) == 0 {
		return f.Files.Remove(dir)
	}
	return nil
}

// Discard removes an evaluation that came to nothing, and its folder where that holds
// nothing else.
func (f Folder) Discard(made Folder) error {
	if _, err := disk.Stat(f.path(replaceFile)); !errors.Is(err, fs.ErrNotExist) {
		return nil // it is whole, and the next one puts it into its place
	}
	return f.Files.RemoveAll(made.Dir)
}
