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

// Journal puts evaluations into their folder. An evaluation is made next to the folder's other
// content and moved into its place when it is complete. Before the first move a file in the
// folder records this, so that after a crash the next process finishes the move. Only files of
// the previous evaluation are removed. The caller must have claimed the folder.
type Journal struct{ at Folder }

// Journal returns the journal of the folder.
func (f Folder) Journal() Journal { return Journal{f} }

// replaceFile is the journal's name. It is hidden because it is not part of an evaluation.
const replaceFile = ".replace.json"

// madePrefix begins the names of folders in which evaluations are made.
const madePrefix = "evaluation"

// replacement is the content of the journal.
type replacement struct {
	Made  string   `json:"made"`  // name of the folder with the complete evaluation
	Files []string `json:"files"` // its files, without the completion marker
	Old   []string `json:"old"`   // files of the previous evaluation
}

// NewFolder returns a folder in which to make an evaluation that Replace moves into place when it
// is complete. Until then the folder keeps its content. NewFolder removes such folders of killed
// processes.
func (j Journal) NewFolder() (Folder, error) {
	entries, err := disk.ReadDir(j.at.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Folder{}, fmt.Errorf("read output folder: %w", err)
	}
	for _, e := range entries {
		if disk.IsTemporaryOf(e.Name(), madePrefix) {
			if err := j.at.Files.RemoveAll(j.at.path(e.Name())); err != nil {
				return Folder{}, fmt.Errorf("remove the leftovers of a killed process: %w", err)
			}
		}
	}
	return Folder{disk.Temporary(j.at.path(madePrefix)), j.at.Files}, nil
}

// Replace moves a complete evaluation from made into its place.
func (j Journal) Replace(made Folder) error {
	now, err := made.Marker().read()
	if err != nil {
		return err
	}
	was, err := j.at.Marker().read()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	r := replacement{Made: filepath.Base(made.Dir), Files: slices.Sorted(maps.Keys(now.Files)), Old: slices.Sorted(maps.Keys(was.Files))}
	for _, name := range r.Files {
		if was.Files[name] != "" {
			continue
		}
		if there, err := disk.Exists(j.at.file(name)); err != nil {
			return err
		} else if there {
			return fmt.Errorf("%s is in the way and is not a file of an evaluation", j.at.file(name))
		}
	}
	if err := j.at.Writer().json(replaceFile, r); err != nil {
		return err
	}
	return j.apply(r)
}

// finish does the remaining steps of the journal, if there is one.
func (j Journal) finish() error {
	var r replacement
	if err := readJSON(j.at.path(replaceFile), &r); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	if !disk.IsTemporaryOf(r.Made, madePrefix) || slices.ContainsFunc(slices.Concat(r.Files, r.Old), func(name string) bool { return !filepath.IsLocal(filepath.FromSlash(name)) }) {
		return fmt.Errorf("%s is not a journal written by infbench", j.at.path(replaceFile))
	}
	return j.apply(r)
}

// apply moves the files of an evaluation that are not in their place yet. If the evaluation's
// marker has moved, all files have.
func (j Journal) apply(r replacement) error {
	made := Folder{j.at.path(r.Made), j.at.Files}
	waits, err := made.Marker().Exists()
	if err == nil && !waits {
		if there, unread := j.at.Marker().Exists(); !there {
			err = errors.Join(unread, fmt.Errorf("%s is missing", made.path(DoneFile)))
		}
	} else if err == nil {
		err = j.install(made, r)
	}
	if err != nil {
		return fmt.Errorf("put an evaluation into its place: %w", err)
	}
	return errors.Join(j.at.Files.RemoveAll(made.Dir), j.at.Files.Remove(j.at.path(replaceFile)), j.at.Files.SyncDir(j.at.Dir))
}

// install moves files into their place, the completion marker last. A crash then leaves an
// unfinished folder with a journal, never a finished one with missing files.
func (j Journal) install(made Folder, r replacement) error {
	if err := j.remove(DoneFile); err != nil {
		return err
	}
	for _, name := range r.Old {
		if !slices.Contains(r.Files, name) {
			if err := j.remove(name); err != nil {
				return err
			}
		}
	}
	folders := map[string]bool{j.at.Dir: true}
	for _, name := range r.Files {
		to := j.at.file(name)
		folders[filepath.Dir(to)] = true
		if err := disk.MkdirAll(j.at.Files, filepath.Dir(to)); err != nil {
			return err
		}
		err := j.at.Files.Rename(made.file(name), to)
		if errors.Is(err, fs.ErrNotExist) {
			_, err = disk.Stat(to) // it was moved before the crash
		}
		if err != nil {
			return err
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(folders)) {
		if err := j.at.Files.SyncDir(dir); err != nil {
			return err
		}
	}
	return j.at.Files.Rename(made.path(DoneFile), j.at.path(DoneFile))
}

// remove removes a file of the previous evaluation, and its folder if that is empty then.
func (j Journal) remove(name string) error {
	if err := j.at.Files.Remove(j.at.file(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !strings.Contains(name, "/") {
		return nil
	}
	dir := filepath.Dir(j.at.file(name))
	if entries, err := disk.ReadDir(dir); err == nil && len(entries) == 0 {
		return j.at.Files.Remove(dir)
	}
	return nil
}

// Discard removes an evaluation that failed, and its folder if that is empty then.
func (j Journal) Discard(made Folder) error {
	if _, err := disk.Stat(j.at.path(replaceFile)); !errors.Is(err, fs.ErrNotExist) {
		return nil // it is complete, and the next process moves it into place
	}
	return j.at.Files.RemoveAll(made.Dir)
}
