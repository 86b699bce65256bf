package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"infbench/internal/disk"
)

// Paths in the module.
const (
	upstream = "github.com/gomlx/compute"
	own      = "internal/tools/glue"
	added    = own + "/_compute"
	built    = "bin/glue"
	copied   = built + "/compute"
	modfile  = built + "/go.mod"
	stamp    = built + "/made" // hash of the files below bin/glue, written last
)

// glued makes the copy unless it is there and up to date, and returns the absolute path of
// its go.mod. It may run several times at once.
func glued(module string) (path string, err error) {
	in := func(name string) string { return filepath.Join(module, filepath.FromSlash(name)) }
	if err := os.MkdirAll(in(built), 0o755); err != nil {
		return "", err
	}
	release, err := disk.Lock(context.Background(), in(built+"/lock"))
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, release()) }()
	key, err := keyOf(module)
	if err != nil {
		return "", err
	}
	if old, err := os.ReadFile(in(stamp)); err == nil && string(old) == key {
		return in(modfile), nil
	}
	if err := fill(module); err != nil {
		return "", err
	}
	return in(modfile), disk.WriteBytes(in(stamp), []byte(key))
}

// fill rewrites files below bin/glue that are missing or different.
func fill(module string) error {
	p, err := pinned(module)
	if err != nil {
		return err
	}
	if err := p.fits(module); err != nil {
		return err
	}
	files, err := filesBelow(p.Dir)
	if err != nil {
		return err
	}
	glue, err := filesBelow(filepath.Join(module, filepath.FromSlash(added)))
	if err != nil {
		return err
	}
	for name := range glue {
		if files[name] != "" {
			return fmt.Errorf("%s/%s: %s %s has a file of that name", added, name, upstream, p.Version)
		}
		files[name] = glue[name]
	}
	if err := mirror(files, filepath.Join(module, filepath.FromSlash(copied))); err != nil {
		return err
	}
	return writeModfile(module)
}

// writeModfile writes go.mod with the replacement, and go.sum next to it.
func writeModfile(module string) error {
	mod, err := os.ReadFile(filepath.Join(module, "go.mod"))
	sum, err2 := os.ReadFile(filepath.Join(module, "go.sum"))
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	// Relative to the module, so that no path of this machine gets into a binary.
	mod = fmt.Appendf(mod, "\nreplace %s => ./%s\n", upstream, copied)
	to := filepath.Join(module, filepath.FromSlash(built))
	return errors.Join(disk.WriteBytes(filepath.Join(to, "go.mod"), mod), disk.WriteBytes(filepath.Join(to, "go.sum"), sum))
}

// filesBelow maps the files below a folder, by their path there with slashes, to their
// paths.
func filesBelow(dir string) (map[string]string, error) {
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = path
		return err
	})
	return files, err
}

// mirror makes a folder hold just these files. Those that have the right bytes are left
// alone, so that Go compiles only what changed.
func mirror(files map[string]string, dir string) error {
	there, err := filesBelow(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for name, path := range there {
		if files[name] == "" {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	for name, from := range files {
		data, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		if old, err := os.ReadFile(to); err == nil && string(old) == string(data) {
			continue
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, data, 0o644)); err != nil {
			return err
		}
	}
	return nil
}

// keyOf is the hash of all that the copy depends on: which module is pinned, and this
// folder.
func keyOf(module string) (string, error) {
	files, err := filesBelow(filepath.Join(module, filepath.FromSlash(own)))
	if err != nil {
		return "", err
	}
	files["../../go.mod"], files["../../go.sum"] = filepath.Join(module, "go.mod"), filepath.Join(module, "go.sum")
	var lines []string
	for name, path := range files {
		sum, _, err := disk.SHA256(path)
		if err != nil {
			return "", err
		}
		lines = append(lines, sum+"  "+name+"\n")
	}
	slices.Sort(lines)
	return strings.Join(lines, ""), nil
}
