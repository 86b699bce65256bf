package runs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"infbench/internal/disk"
	"infbench/runners/results"
)

// damagedDir, among the trials, holds those that were moved out of the way.
const damagedDir = ".damaged"

// Aside is where a run folder keeps the trials that were moved out of the way.
type Aside struct{ at Folder }

// Aside is that of the folder.
func (f Folder) Aside() Aside { return Aside{f} }

// Put moves the folder of a damaged trial out of the way, to be computed again:
// what was paid for may be of use to somebody. Only whoever has claimed the trial may
// call it.
func (a Aside) Put(id string) (to string, err error) {
	if err := disk.MkdirAll(a.at.Files, a.dir()); err != nil {
		return "", fmt.Errorf("set a damaged trial aside: %w", err)
	}
	for n := 1; ; n++ {
		to = filepath.Join(a.dir(), fmt.Sprintf("%s-%d", id, n))
		if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			break
		} else if err != nil {
			return "", fmt.Errorf("set a damaged trial aside: %w", err)
		}
	}
	if err := disk.RenameDir(a.at.Files, a.at.Trial(id).Dir, to); err != nil {
		return "", fmt.Errorf("set a damaged trial aside: %w", err)
	}
	return to, nil
}

func (a Aside) dir() string { return a.at.path(filepath.Join(TrialsDir, damagedDir)) }

// Folders lists the folders that Put made.
func (a Aside) Folders() ([]results.Folder, error) {
	entries, err := disk.ReadDir(a.dir())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list damaged trials: %w", err)
	}
	var all []results.Folder
	for _, e := range entries {
		if id, n, ok := strings.Cut(e.Name(), "-"); ok && id != "" && n != "" {
			all = append(all, results.Folder{Dir: filepath.Join(a.dir(), e.Name()), Files: a.at.Files})
		}
	}
	return all, nil
}

// Discard removes what Put made of some trials, by the beginnings of their IDs, or
// of all, and lists it.
func (a Aside) Discard(prefixes []string) (removed []string, err error) {
	all, err := a.Folders()
	if err != nil {
		return nil, err
	}
	for _, at := range all {
		name := filepath.Base(at.Dir)
		if len(prefixes) > 0 && !slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) }) {
			continue
		}
		if err := a.at.Files.RemoveAll(at.Dir); err != nil {
			return removed, fmt.Errorf("discard a damaged trial: %w", err)
		}
		removed = append(removed, at.Dir)
	}
	return removed, nil
}
