package hub

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"infbench/datasets/atomicfile"
	"infbench/datasets/sums"
)

// checkSnapshot refuses a snapshot of which a file is not what the hub gave: the cache
// names the content of each by its hash, whoever fetched it. What is no link to such
// content, as where a file system has no links, is not checked, nor is what another
// process is making in this moment.
func (r Repo) checkSnapshot(dir string) error {
	var errs []error
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.Type()&fs.ModeSymlink == 0 || atomicfile.IsTemporary(name) {
			return err
		}
		target, err := os.Readlink(name)
		if err != nil {
			return err
		}
		want := filepath.Base(target)
		var kind sums.Kind
		switch {
		case filepath.Base(filepath.Dir(target)) != "blobs":
			return nil
		case isHex(want, 64):
			kind = sums.SHA256
		case isHex(want, 40):
			kind = sums.Git
		default:
			return nil
		}
		got, err := sums.Of(name, kind)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // whoever needs it says so
		}
		if err == nil && got != want {
			rel, _ := filepath.Rel(dir, name) // name is below dir
			err = fmt.Errorf("%w: %s of %s in the cache was changed since it was fetched; fetch it again", ErrDamaged, filepath.ToSlash(rel), r)
		}
		if err != nil {
			errs = append(errs, err)
		}
		return nil
	})
	return errors.Join(append(errs, err)...)
}
