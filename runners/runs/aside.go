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

// SetAside moves the folder of a damaged trial out of the way, to be computed again:
// what was paid for may be of use to somebody. Only whoever has claimed the trial may
// call it.
func (f Folder) SetAside(id string) (to string, err error) {
	if err := disk.MkdirAll(f.Files, f.damaged()); err != nil {
		return "", fmt.Errorf("set a damaged trial aside: %w", err)
	}
	for n := 1; ; n++ {
		to = filepath.Join(f.damaged(), fmt.Sprintf("%s-%d", id, n))
		if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			break
		} else if err != nil {
			return "", fmt.Errorf("set a damaged trial aside: %w", err)
		}
	}
	if err := disk.RenameDir(f.Files, f.Trial(id).Dir, to); err != nil {
		return "", fmt.Errorf("set a damaged trial aside: %w", err)
	}
	return to, nil
}

func (f Folder) damaged() string { return f.path(filepath.Join(TrialsDir, damagedDir)) }

// Aside lists the folders that SetAside made.
func (f Folder) Aside() ([]results.Folder, error) {
	entries, err := disk.ReadDir(f.damaged())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list damaged trials: %w", err)
	}
	var all []results.Folder
	for _, e := range entries {
		if id, n, ok := strings.Cut(e.Name(), "-"); ok && id != "" && n != "" {
			all = append(all, results.Folder{Dir: filepath.Join(f.damaged(), e.Name()), Files: f.Files})
		}
	}
	return all, nil
}

// Discard removes what SetAside made of some trials, by the beginnings of their IDs, or
// of all, and lists it.
func (f Folder) Discard(prefixes []string) (removed []string, err error) {
	all, err := f.Aside()
	if err != nil {
		return nil, err
	}
	for _, at := range all {
		name := filepath.Base(at.Dir)
		if len(prefixes) > 0 && !slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) }) {
			continue
		}
		if err := f.Files.RemoveAll(at.Dir); err != nil {
			return removed, fmt.Errorf("discard a damaged trial: %w", err)
		}
		removed = append(removed, at.Dir)
	}
	return removed, nil
}
