package hub

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"infbench/internal/disk"
)

// checkSnapshot rejects a snapshot with a file that differs from the hub's. Each file that the lock
// file lists for this commit is compared with its hash, even if it is not a link: an editor may
// leave a file in place of a link, and a link may lead to other content of the cache. Other files
// are compared with their names in the cache, see checkLinks.
func (r Repo) checkSnapshot(dir, commit string) error {
	lock, err := ReadLock(LockFile)
	if err != nil {
		return err
	}
	locked := map[string]bool{}
	var errs []error
	if entry, ok := lock.Find(r); ok && entry.Commit == commit {
		for _, f := range entry.Files {
			locked[f.Path] = true
			errs = append(errs, r.checkLocked(dir, f))
		}
	}
	return errors.Join(append(errs, r.checkLinks(dir, locked))...)
}

// checkLocked compares one file with its entry in the lock file. A missing file is not an error:
// the author of the lock may have fetched more of the repository than this user. Code that needs
// the file reports it.
func (r Repo) checkLocked(dir string, f LockedFile) error {
	name := filepath.Join(dir, filepath.FromSlash(f.Path))
	info, err := disk.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	sum := ""
	if err == nil && (info.Size() == f.Size || !info.Mode().IsRegular()) {
		sum, err = disk.HashOf(name, disk.HashSHA256)
	}
	switch {
	case errors.Is(err, disk.ErrIrregular):
		return fmt.Errorf("%w: %s of %s in the cache: %w; fetch it again", ErrDamaged, f.Path, r, err)
	case err != nil:
		return err
	case sum != f.SHA256:
		return fmt.Errorf("%w: %s of %s in the cache differs from its entry in %s; fetch it again", ErrDamaged, f.Path, r, LockFile)
	}
	return nil
}

// checkLinks checks the targets of a snapshot's links against their hashes, which are their names
// in the cache. Regular files, as on a file system without links, are not checked, nor are links
// that another process is just making.
func (r Repo) checkLinks(dir string, but map[string]bool) error {
	var errs []error
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.Type()&fs.ModeSymlink == 0 || disk.IsTemporary(name) {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil || but[filepath.ToSlash(rel)] {
			return err
		}
		target, err := os.Readlink(name)
		if err != nil {
			return err
		}
		want := filepath.Base(target)
		var kind disk.HashKind
		switch {
		case filepath.Base(filepath.Dir(target)) != "blobs":
			return nil
		case isHex(want, 64):
			kind = disk.HashSHA256
		case isHex(want, 40):
			kind = disk.HashGit
		default:
			return nil
		}
		got, err := disk.HashOf(name, kind)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // code that needs it reports the error
		}
		if err == nil && got != want {
			err = fmt.Errorf("%w: %s of %s in the cache was changed since it was fetched; fetch it again", ErrDamaged, filepath.ToSlash(rel), r)
		}
		if err != nil {
			errs = append(errs, err)
		}
		return nil
	})
	return errors.Join(append(errs, err)...)
}
