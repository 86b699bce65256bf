package runs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"infbench/bench/results"
)

// AllRunFolders replaces each folder that is no run folder by those in it.
func AllRunFolders(names []string) ([]string, error) {
	var out []string
	for _, name := range names {
		if isRunFolder(name) {
			out = append(out, name)
			continue
		}
		before := len(out)
		entries, err := os.ReadDir(name)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if dir := filepath.Join(name, e.Name()); isRunFolder(dir) {
				out = append(out, dir)
			}
		}
		if len(out) == before {
			return nil, fmt.Errorf("%s is no run folder and holds none", name)
		}
	}
	return out, nil
}

// isRunFolder reports whether a sweep or an evaluation wrote into a folder.
func isRunFolder(dir string) bool {
	for _, name := range []string{PlanFile, ImportFile, results.DoneFile} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

// TrialsIn lists the folders of the finished trials of a run folder.
func TrialsIn(dir string) (done []string, waiting int, err error) {
	if _, err := os.Stat(filepath.Join(dir, PlanFile)); errors.Is(err, os.ErrNotExist) && !IsImport(dir) {
		return []string{dir}, 0, nil
	}
	exp, err := planned(dir)
	if err != nil {
		return nil, 0, err
	}
	for _, id := range exp {
		path := TrialDir(dir, id)
		if _, err := os.Stat(filepath.Join(path, results.DoneFile)); err == nil {
			done = append(done, path)
		} else {
			waiting++
		}
	}
	return done, waiting, nil
}
