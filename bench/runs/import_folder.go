package runs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"infbench/bench/results"
	"infbench/bench/usage"
	"infbench/datasets/atomicfile"
	"infbench/metrics/nearest"
)

// ImportFile stands in a run folder that import made where sweep has a plan: it
// lists the trials that are there.
const ImportFile = "import.json"

// ImportFormat names the shape of ImportFile; another number is another shape.
const ImportFormat = "infbench-import/1"

// ImportIndex is the content of ImportFile.
type ImportIndex struct {
	Format string   `json:"format"`
	Name   string   `json:"name"`
	Trials []string `json:"trials"` // IDs, in the order of the files
}

// IsImport reports whether import made a run folder.
func IsImport(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, ImportFile))
	return err == nil
}

// readImport reads the index of a run folder that import made.
func readImport(dir string) (*ImportIndex, error) {
	path := filepath.Join(dir, ImportFile)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var x ImportIndex
	if err := json.Unmarshal(data, &x); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if x.Format != ImportFormat {
		return nil, fmt.Errorf("%s: %w", path, nearest.Unknown("format", x.Format, []string{ImportFormat}))
	}
	for _, id := range x.Trials {
		if !filepath.IsLocal(id) || strings.ContainsAny(id, `/\`) {
			return nil, fmt.Errorf("%s: trial %q leads out of the folder", path, id)
		}
	}
	return &x, nil
}

// loadImport reads a run folder that import made.
func loadImport(dir string) (*results.Experiment, error) {
	x, err := readImport(dir)
	if err != nil {
		return nil, err
	}
	exp := &results.Experiment{Name: x.Name, Dir: dir}
	for _, id := range x.Trials {
		t := results.Trial{ID: id}
		if err := results.ReadTrial(TrialDir(dir, id), &t); err != nil {
			return nil, fmt.Errorf("read trial %s: %w", id, err)
		}
		exp.Trials = append(exp.Trials, t)
	}
	return exp, nil
}

// WriteImport fills a run folder beside its place and moves it there when it is
// whole; an earlier import in its place goes.
func WriteImport(fsys atomicfile.FS, dir string, x *ImportIndex, fill func(dir string) error) (err error) {
	made := atomicfile.Temporary(filepath.Clean(dir))
	if err := fsys.RemoveAll(made); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, fsys.RemoveAll(made))
		}
	}()
	if err := fsys.MkdirAll(made); err != nil {
		return err
	}
	if err := fill(made); err != nil {
		return err
	}
	x.Format = ImportFormat
	err = atomicfile.WriteTo(fsys, filepath.Join(made, ImportFile), func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(x)
	})
	if err != nil {
		return err
	}
	if err := fsys.RemoveAll(dir); err != nil {
		return err
	}
	return fsys.Rename(made, dir)
}

// Names lists the folders below runs/ that sweep or import made.
func Names() ([]string, error) {
	var dirs []string
	for _, file := range []string{PlanFile, ImportFile} {
		found, err := filepath.Glob(filepath.Join("runs", "*", file))
		if err != nil {
			return nil, err
		}
		for _, path := range found {
			if dir := filepath.Dir(path); !atomicfile.IsTemporary(dir) && !slices.Contains(dirs, dir) {
				dirs = append(dirs, dir)
			}
		}
	}
	slices.Sort(dirs)
	if len(dirs) == 0 {
		return nil, usage.Errorf("no run folder below runs/; name one")
	}
	return dirs, nil
}

// SumOf is the SHA-256 of a file, or of the names and hashes of the result files
// in a folder.
func SumOf(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		sum, _, err := atomicfile.SHA256(path)
		return sum, err
	}
	var lines []string
	err = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && file != path:
			return fs.SkipDir
		case !d.Type().IsRegular() || filepath.Ext(file) != ".json":
			return nil
		}
		sum, _, err := atomicfile.SHA256(file)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(path, file)
		lines = append(lines, filepath.ToSlash(rel)+" "+sum+"\n")
		return err
	})
	if err != nil {
		return "", err
	}
	slices.Sort(lines)
	return Sha256Text(strings.Join(lines, "")), nil
}
