package runs

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"infbench/internal/disk"
	"infbench/internal/usage"
)

// ImportFormat is the name of the format of ImportFile, with its version.
const ImportFormat = "infbench-import/1"

// ImportIndex is the content of ImportFile.
type ImportIndex struct {
	Format string   `json:"format"`
	Name   string   `json:"name"`
	Trials []string `json:"trials"` // IDs, in the order of the files
}

// Import is a run folder of imported results.
type Import struct{ at Folder }

// Import returns the folder as one of imported results.
func (f Folder) Import() Import { return Import{f} }

// read returns the index.
func (i Import) read() (*ImportIndex, error) {
	path := i.at.path(ImportFile)
	var x ImportIndex
	if err := disk.ReadSealed(path, &x); err != nil {
		return nil, err
	}
	if err := disk.CheckFormat(path, x.Format, ImportFormat); err != nil {
		return nil, err
	}
	for _, id := range x.Trials {
		if !filepath.IsLocal(id) || strings.ContainsAny(id, `/\`) {
			return nil, fmt.Errorf("%s: trial %q leads out of the folder", path, id)
		}
	}
	return &x, nil
}

// Write fills a run folder next to its place and moves it there when it is complete. It leaves
// a folder with the same trials unchanged; anything else in its place is an error.
func (i Import) Write(x *ImportIndex, fill func(Folder) error) (err error) {
	if have, err := i.holds(x); have || err != nil {
		return err
	}
	made := Folder{disk.Temporary(filepath.Clean(i.at.Dir)), i.at.Files}
	defer func() {
		if err != nil {
			err = errors.Join(err, i.at.Files.RemoveAll(made.Dir))
		}
	}()
	if err := disk.MkdirAll(i.at.Files, made.Dir); err != nil {
		return err
	}
	if err := fill(made); err != nil {
		return err
	}
	x.Format = ImportFormat
	if err := disk.WriteSealed(i.at.Files, made.path(ImportFile), x); err != nil {
		return err
	}
	if err := disk.RenameDir(i.at.Files, made.Dir, filepath.Clean(i.at.Dir)); err != nil { // replaces at most an empty folder
		if have, _ := i.holds(x); have { // another process was faster
			return i.at.Files.RemoveAll(made.Dir)
		}
		return err
	}
	return nil
}

// holds reports whether the folder contains the complete import. Other imports and other
// content are errors.
func (i Import) holds(x *ImportIndex) (bool, error) {
	was, err := i.read()
	if errors.Is(err, fs.ErrNotExist) {
		entries, err := disk.ReadDir(i.at.Dir)
		if len(entries) > 0 {
			return false, usage.Errorf("output folder %s contains %s, which is not a file of an import; name another with --out", i.at.Dir, entries[0].Name())
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return false, err
	}
	if err != nil {
		return false, err
	}
	if was.Name != x.Name || !slices.Equal(was.Trials, x.Trials) {
		return false, usage.Errorf("output folder %s contains the import of other results; name another with --out", i.at.Dir)
	}
	for _, id := range x.Trials {
		if err := i.at.Trial(id).Marker().Verify(); err != nil {
			return false, fmt.Errorf("output folder %s contains this import, and %w; move it away to import it again", i.at.Dir, err)
		}
	}
	return true, nil
}
