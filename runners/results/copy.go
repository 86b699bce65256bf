package results

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"infbench/internal/disk"
)

// CopyTo copies this folder to a missing or empty one. It makes the copy next to its place,
// checks it against the completion marker if there is one, and moves it when it is complete. It
// returns an error if the other folder has any content, which it never overwrites.
func (f Folder) CopyTo(to Folder) (err error) {
	made := Folder{disk.Temporary(to.Dir), to.Files}
	if err := to.Files.RemoveAll(made.Dir); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, to.Files.RemoveAll(made.Dir))
		}
	}()
	names, err := f.names(slices.Concat(ofTrial, []string{SpeedFile, FailureFile, HaltFile, DoneFile}))
	if err != nil {
		return fmt.Errorf("copy trial: %w", err)
	}
	for _, name := range names {
		if err := f.copyFile(made, filepath.FromSlash(name)); err != nil {
			return fmt.Errorf("copy trial: %w", err)
		}
	}
	if marked, err := f.Marker().Exists(); err != nil {
		return err
	} else if marked {
		if err := made.Marker().Verify(); err != nil {
			return err
		}
	}
	return disk.RenameDir(to.Files, made.Dir, to.Dir)
}

// copyFile copies one file by its name.
func (f Folder) copyFile(to Folder, name string) error {
	from, err := disk.Stream(f.path(name))
	if err != nil {
		return err
	}
	defer from.Close()
	return disk.WriteTo(to.Files, to.path(name), func(w io.Writer) error {
		_, err := io.Copy(w, from)
		return err
	})
}
