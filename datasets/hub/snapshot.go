package hub

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"infbench/internal/disk"
)

// checkSnapshot refuses a snapshot of which a file is not what the hub gave. What the
// lock file lists of this commit is held to its hash, whatever stands in its place: an
// editor leaves a file where a link was, and a link may lead to other content of the
// cache. All else is held to its name in the cache, see checkLinks.
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

// checkLocked holds one file to what the lock file says. One that is not there is for
// whoever needs it to say: a part of a repository may have been fetched into this cache,
// and more of it into that of who wrote the lock.
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
		return fmt.Errorf("%w: %s of %s in the cache is not what %s lists; fetch it again", ErrDamaged, f.Path, r, LockFile)
	}
	return nil
}

// checkLinks holds the links of a snapshot to the content that they lead to: the cache
// names each by its hash, whoever fetched it. What is no link to such content, as where a
// file system has no links, is not checked, nor is what another process is making in this
// moment.
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
			return nil // whoever needs it says so
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
