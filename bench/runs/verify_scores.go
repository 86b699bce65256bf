package runs

import (
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"infbench/bench/results"
	"infbench/bench/spec"
	"infbench/metrics/trec"
)

// planned lists the trial IDs of a sweep's plan, or of what was imported.
func planned(dir string) ([]string, error) {
	if IsImport(dir) {
		x, err := readImport(dir)
		if err != nil {
			return nil, err
		}
		return x.Trials, nil
	}
	plan, err := spec.ReadPlan(filepath.Join(dir, PlanFile))
	if err != nil {
		return nil, err
	}
	var ids []string
	for i := range plan.Trials {
		ids = append(ids, plan.Trials[i].ID)
	}
	return ids, nil
}

// SavedRun reads the ranking that a trial kept of a task.
func SavedRun(dir, benchmark, task string) (trec.Run, error) {
	for _, ending := range []string{PackedRuns, PlainRuns} {
		path := filepath.Join(dir, results.RunsDir, RunFile(benchmark, task)+ending)
		if _, err := os.Stat(path); err == nil {
			run, _, err := OpenSaved(path)
			return run, err
		}
	}
	return nil, fs.ErrNotExist
}

// OpenSaved reads a ranking that a trial kept, with its tag. A file without a
// line, which to other programs is a mistake, is a system that found nothing.
func OpenSaved(path string) (run trec.Run, tag string, err error) {
	if run, tag, err = (trec.Options{}).OpenRun(path); err == nil {
		return run, tag, nil
	}
	if empty, failed := isEmpty(path); failed == nil && empty {
		return trec.Run{}, "infbench", nil
	}
	return nil, "", err
}

// isEmpty reports whether a file, unpacked where its name says so, has no byte.
func isEmpty(path string) (empty bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, PackedRuns) {
		if r, err = gzip.NewReader(f); err != nil {
			return false, err
		}
	}
	_, err = io.ReadFull(r, make([]byte, 1))
	if errors.Is(err, io.EOF) {
		return true, nil
	}
	return false, err
}
