package runs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"infbench/internal/disk"
	"infbench/internal/usage"
)

// madeFile, in an output folder, records what made the files there. It is hidden because
// programs read all visible files of such folders.
const madeFile = ".infbench.json"

// fillPrefix begins the names of folders in which files are made before they are moved into
// place.
const fillPrefix = "output"

// Made records what made the files of an output folder. Only the same verb and inputs may
// replace them.
type Made struct {
	Verb   string   `json:"verb"`   // with the settings that decide the files, as "export csv"
	Inputs []string `json:"inputs"` // paths relative to the folder, other names unchanged; none: everything there is
}

// made is the completion marker of an output folder.
type made struct {
	Made
	Files []string `json:"files"` // slash-separated, sorted; during a replacement also the previous ones
}

// Fill makes the files of an output folder with a verb: fill writes them into an empty folder,
// and they are moved into place once all exist. Fill returns a usage error if the folder
// contains anything except files that the same verb made from the same inputs, or if another
// file is in the place of a new one. It removes previous files that are no longer made.
func (o *Output) Fill(by Made, fill func(dir string) error) (err error) {
	was, err := o.takes(&by)
	if err != nil {
		return err
	}
	if err := o.clear(); err != nil {
		return err
	}
	staged := disk.Temporary(filepath.Join(o.Dir, fillPrefix))
	if err := disk.MkdirAll(o.Files, staged); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.Files.RemoveAll(staged)) }()
	if err := fill(staged); err != nil {
		return err
	}
	names, err := filesBelow(staged)
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, err := os.Lstat(o.file(name)); err == nil && !slices.Contains(was, name) {
			return usage.Errorf("%s is in the way and was not written by %s: name another folder with --out", o.file(name), by.Verb)
		}
	}
	all := slices.Concat(was, names)
	slices.Sort(all)
	if err := o.mark(by, slices.Compact(all)); err != nil {
		return err
	}
	if err := o.install(staged, names, was); err != nil {
		return err
	}
	return o.mark(by, names)
}

// Refuse returns, before any work is done, the error that Fill would return for the folder.
func (o *Output) Refuse(by Made) error {
	_, err := o.takes(&by)
	return err
}

// takes lists the existing files that the same verb made from the same inputs, and makes the
// paths of the inputs relative to the folder. Anything else in the folder is a usage error.
func (o *Output) takes(by *Made) (files []string, err error) {
	if by.Inputs, err = seenFrom(o.Dir, by.Inputs); err != nil {
		return nil, err
	}
	var was made
	err = disk.ReadSealed(filepath.Join(o.Dir, madeFile), &was)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		unknown, err := o.UnknownFile()
		if unknown != "" {
			err = usage.Errorf("output folder %s contains %s, which was not written by %s; name another with --out", o.Dir, unknown, by.Verb)
		}
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("output folder %s: the record of how its files were made cannot be read; name another with --out: %w", o.Dir, err)
	case was.Verb != by.Verb:
		return nil, usage.Errorf("output folder %s contains files made by %s; name another with --out", o.Dir, was.Verb)
	case !slices.Equal(was.Inputs, by.Inputs):
		return nil, usage.Errorf("output folder %s contains files made by %s from %q; name another with --out", o.Dir, was.Verb, was.Inputs)
	}
	for _, name := range was.Files {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return nil, fmt.Errorf("%s lists %q, which leads out of the folder", filepath.Join(o.Dir, madeFile), name)
		}
	}
	return was.Files, nil
}

func (o *Output) file(name string) string { return filepath.Join(o.Dir, filepath.FromSlash(name)) }

func (o *Output) mark(by Made, names []string) error {
	return disk.WriteSealed(o.Files, filepath.Join(o.Dir, madeFile), made{by, names})
}

// clear removes the unfinished files of killed processes.
func (o *Output) clear() error {
	entries, err := disk.ReadDir(o.Dir)
	for _, e := range entries {
		if disk.IsTemporaryOf(e.Name(), fillPrefix) || disk.IsTemporaryOf(e.Name(), madeFile) {
			err = errors.Join(err, o.Files.RemoveAll(filepath.Join(o.Dir, e.Name())))
		}
	}
	return err
}

// install moves files into place and removes the previous ones that are not among them.
func (o *Output) install(staged string, names, was []string) error {
	folders := map[string]bool{o.Dir: true}
	for _, name := range names {
		to := o.file(name)
		folders[filepath.Dir(to)] = true
		if err := disk.MkdirAll(o.Files, filepath.Dir(to)); err != nil {
			return err
		}
		if err := o.Files.Rename(filepath.Join(staged, filepath.FromSlash(name)), to); err != nil {
			return err
		}
	}
	for _, name := range was {
		if slices.Contains(names, name) {
			continue
		}
		if err := o.Files.Remove(o.file(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for dir := range folders {
		if err := o.Files.SyncDir(dir); err != nil {
			return err
		}
	}
	return nil
}

// filesBelow lists the files below a folder, slash-separated and sorted.
func filesBelow(dir string) (names []string, err error) {
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		names = append(names, filepath.ToSlash(name))
		return err
	})
	slices.Sort(names)
	return names, err
}

// seenFrom makes the paths of inputs relative to a folder, so that both may be moved together.
// A name that is not a path stays unchanged.
func seenFrom(dir string, inputs []string) ([]string, error) {
	from, err := disk.Resolve(dir)
	if err != nil {
		return nil, err
	}
	seen := []string{}
	for _, input := range inputs {
		if there, err := disk.Exists(input); err != nil || !there {
			seen = append(seen, input)
			continue
		}
		path, err := disk.Resolve(input)
		if err == nil {
			path, err = filepath.Rel(from, path)
		}
		if err != nil {
			return nil, err
		}
		seen = append(seen, filepath.ToSlash(path))
	}
	return seen, nil
}
