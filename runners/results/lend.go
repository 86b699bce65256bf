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

// IsOf reports whether the folder is of a trial that evaluated the weights of this hash
// (spec.Trial.WeightsID) and is complete.
func (r Reader) IsOf(weights string) (bool, error) {
	if marked, err := r.at.Marker().Exists(); !marked || err != nil {
		return false, err
	}
	text, err := disk.ReadFile(r.at.path(TrialFile))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return strings.Contains(string(text), "\nweights: "+weights+"\n"), err
}

// TakeTraining gives the folder what training left in another complete one: the model,
// the adapter, the loss curve and what held-out queries said. Where one of these files is
// damaged (ErrDamaged) it takes none.
func (w Writer) TakeTraining(from Folder) error {
	return w.take(from, func(name string) bool {
		top, _, _ := strings.Cut(name, "/")
		return top != TrialFile && slices.Contains(trainingLeaves, top)
	})
}

// TakeTask gives the folder the ranking of a task in another complete one, and what its
// queries asked. Where one of these files is damaged (ErrDamaged) it takes none.
func (w Writer) TakeTask(from Folder, benchmark, task string) error {
	run, queries := RunName(benchmark, task), queriesDir+"/"+TaskFile(benchmark, task)+queriesEnding
	return w.take(from, func(name string) bool { return name == run || name == queries })
}

// take gives the folder the chosen files of another complete one, which are what its
// completion marker says. Where the disk can, a file gets a second name.
func (w Writer) take(from Folder, chosen func(name string) bool) error {
	d, err := from.Marker().read()
	if err != nil {
		return err
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(d.Files)), func(name string) bool { return !chosen(name) })
	for _, name := range names {
		if err := d.check(name, read); err != nil {
			return err
		}
	}
	folders := map[string]bool{}
	for _, name := range names {
		if err := w.link(from, name); err != nil {
			return fmt.Errorf("take %s from %s: %w", name, from.Dir, err)
		}
		folders[filepath.Dir(w.at.file(name))] = true
	}
	for dir := range folders {
		if err := w.at.Files.SyncDir(dir); err != nil {
			return err
		}
	}
	return nil
}

// link gives a file of another folder its name in this one, in the place of what a killed
// process left under it, or copies the file where the disk has no links.
func (w Writer) link(from Folder, name string) error {
	path, files := w.at.file(name), w.at.Files
	if err := disk.MkdirAll(files, filepath.Dir(path)); err != nil {
		return err
	}
	if err := files.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if files.Link(from.file(name), path) == nil {
		return nil
	}
	return from.copyFile(w.at, filepath.FromSlash(name))
}
