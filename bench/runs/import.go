package runs

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"infbench/datasets/atomicfile"
	"infbench/metrics/nearest"
)

// ImportFormat names the shape of ImportFile; another number is another shape.
const ImportFormat = "infbench-import/1"

// ImportIndex is the content of ImportFile.
type ImportIndex struct {
	Format string   `json:"format"`
	Name   string   `json:"name"`
	Trials []string `json:"trials"` // IDs, in the order of the files
}

// readImport reads the index of a run folder that import made.
func (f Folder) readImport() (*ImportIndex, error) {
	path := f.path(ImportFile)
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

// WriteImport fills a run folder beside its place and moves it there when it is
// whole; an earlier import in its place goes.
func (f Folder) WriteImport(x *ImportIndex, fill func(Folder) error) (err error) {
	made := Folder{atomicfile.Temporary(filepath.Clean(f.Dir)), f.Files}
	if err := f.Files.RemoveAll(made.Dir); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Files.RemoveAll(made.Dir))
		}
	}()
	if err := f.Files.MkdirAll(made.Dir); err != nil {
		return err
	}
	if err := fill(made); err != nil {
		return err
	}
	x.Format = ImportFormat
	if err := atomicfile.WriteJSONTo(f.Files, made.path(ImportFile), x); err != nil {
		return err
	}
	if err := f.Files.RemoveAll(f.Dir); err != nil {
		return err
	}
	return f.Files.Rename(made.Dir, f.Dir)
}
