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

// WriteImport fills a run folder beside its place and moves it there when it is whole.
// One that holds the same trials already is left as it is; anything else in its place is
// an error.
func (f Folder) WriteImport(x *ImportIndex, fill func(Folder) error) (err error) {
	if have, err := f.holdsImport(x); have || err != nil {
		return err
	}
	made := Folder{disk.Temporary(filepath.Clean(f.Dir)), f.Files}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Files.RemoveAll(made.Dir))
		}
	}()
	if err := disk.MkdirAll(f.Files, made.Dir); err != nil {
		return err
	}
	if err := fill(made); err != nil {
		return err
	}
	x.Format = ImportFormat
	if err := disk.WriteSealed(f.Files, made.path(ImportFile), x); err != nil {
		return err
	}
	if err := disk.RenameDir(f.Files, made.Dir, filepath.Clean(f.Dir)); err != nil { // over an empty folder at most
		if have, _ := f.holdsImport(x); have { // another process was faster
			return f.Files.RemoveAll(made.Dir)
		}
		return err
	}
	return nil
}

// holdsImport says whether the folder holds the import, whole. Other imports and other
// things are errors.
func (f Folder) holdsImport(x *ImportIndex) (bool, error) {
	was, err := f.readImport()
	if errors.Is(err, fs.ErrNotExist) {
		entries, err := disk.ReadDir(f.Dir)
		if len(entries) > 0 {
			return false, usage.Errorf("output folder %s holds %s, which no import wrote; name another with --out", f.Dir, entries[0].Name())
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
		return false, usage.Errorf("output folder %s holds the import of other results; name another with --out", f.Dir)
	}
	for _, id := range x.Trials {
		if err := f.Trial(id).Verify(); err != nil {
			return false, fmt.Errorf("output folder %s holds this import, and %w; move it away to import it again", f.Dir, err)
		}
	}
	return true, nil
}
