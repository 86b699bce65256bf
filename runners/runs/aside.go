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

// damagedDir, in the folder of trials, contains damaged trials that were moved aside.
const damagedDir = ".damaged"

// Aside is the place in a run folder for damaged trials.
type Aside struct{ at Folder }

// Aside returns the folder's place for damaged trials.
func (f Folder) Aside() Aside { return Aside{f} }

// Put moves the folder of a damaged trial aside, so that the trial can be computed again. It
// keeps the folder because its content was expensive and may be of use. The caller must have
// claimed the trial.
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

// Discard removes the damaged folders of some trials, by the beginnings of their IDs, or of all
// trials, and lists them.
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
