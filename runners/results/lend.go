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

// IsOf reports whether the folder is of a complete trial that evaluated the weights with this
// hash (spec.Trial.WeightsID).
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

// TakeTraining copies the results of a training from another complete folder: the model, the
// adapter, the loss curve and the values on held-out queries. If one of these files is damaged
// it returns ErrDamaged and copies none.
func (w Writer) TakeTraining(from Folder) error {
	return w.take(from, func(name string) bool {
		top, _, _ := strings.Cut(name, "/")
		return top != TrialFile && slices.Contains(trainingLeaves, top)
	})
}

// TakeTask copies the ranking of a task, and the record of its queries, from another complete
// folder. If one of these files is damaged it returns ErrDamaged and copies none.
func (w Writer) TakeTask(from Folder, benchmark, task string) error {
	run, queries := RunName(benchmark, task), queriesDir+"/"+TaskFile(benchmark, task)+queriesEnding
	return w.take(from, func(name string) bool { return name == run || name == queries })
}

// take copies the chosen files from another complete folder after a check against its
// completion marker. If the disk supports it, a file gets a second name instead of a copy.
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

// link gives a file of another folder its name in this one, or copies the file if the disk has
// no links. It replaces the leftover of a killed process.
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
