package results

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"infbench/datasets"
	"infbench/datasets/atomicfile"
)

// evaluated are the names that an evaluation leaves. The completion marker goes
// first and comes last: what a crash leaves behind is then an unfinished folder, never
// a finished one with missing files.
var evaluated = []string{DoneFile, ScoresFile, ProbeFile, ProvenanceFile, SettingsFile, queriesDir, askedDir, RunsDir}

// Earlier reads the evaluation that the folder holds, which is of the same
// configuration and data as is. Where there is none, the values are nil; where there is
// anything else, taken says what, and nothing may be written there.
func (f Folder) Earlier(is *Trial) (values []Result, taken string, err error) {
	if stranger, err := f.stranger(); err != nil {
		return nil, "", err
	} else if stranger != "" {
		return nil, fmt.Sprintf("holds %s, which no evaluation wrote", stranger), nil
	}
	if !f.IsMarked() {
		return nil, "", nil
	}
	var was Trial
	if err := f.Read(&was); errors.Is(err, ErrDamaged) {
		return nil, fmt.Sprintf("holds a damaged evaluation (%v)", err), nil
	} else if err != nil {
		return nil, "", err
	}
	if Identity(was.Config, was.Provenance.Benchmarks) == "" {
		return nil, "holds an evaluation that did not record its data", nil
	}
	if differ := WhatDiffers(&was, is); len(differ) > 0 {
		return nil, "holds another evaluation: " + strings.Join(differ, "; "), nil
	}
	return was.Results, "", nil
}

// stranger names a file that no evaluation wrote; "" where there is none.
func (f Folder) stranger() (name string, err error) {
	entries, err := os.ReadDir(f.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read output folder: %w", err)
	}
	for _, e := range entries {
		if !slices.Contains(evaluated, e.Name()) && !atomicfile.IsTemporary(e.Name()) {
			return e.Name(), nil
		}
	}
	return "", nil
}

// KeepScorings adds to the tasks of a benchmark what earlier values measured, in their
// order, so that it is measured again beside what is asked for now.
func KeepScorings(b *datasets.Benchmark, earlier []Result) {
	for i := range b.Tasks {
		t := &b.Tasks[i]
		var all []datasets.Scoring
		for _, r := range earlier {
			if s := (datasets.Scoring{Measure: r.Measure, Side: r.Side}); r.Benchmark == b.Name && r.Task == t.Name && !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
		for _, s := range t.Scorings {
			if !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
		t.Scorings = all
	}
}

// Beside is where an evaluation is made that Replace puts into the folder when it is
// whole; until then the folder keeps what it has. What killed processes left there goes.
func (f Folder) Beside() (Folder, error) {
	if err := f.ClearTemporary(); err != nil {
		return Folder{}, fmt.Errorf("clear what a killed process left: %w", err)
	}
	return Folder{atomicfile.Temporary(f.path("evaluation")), f.Files}, nil
}

// Replace moves a complete evaluation from where it was made into its place.
func (f Folder) Replace(made Folder) error {
	for _, name := range evaluated {
		if err := f.Files.RemoveAll(f.path(name)); err != nil {
			return fmt.Errorf("clear earlier evaluation: %w", err)
		}
	}
	for _, name := range slices.Backward(evaluated) {
		if !exists(made.path(name)) {
			continue // what only some evaluations leave
		}
		if err := f.Files.Rename(made.path(name), f.path(name)); err != nil {
			return err
		}
	}
	return errors.Join(f.Files.RemoveAll(made.Dir), f.Files.SyncDir(f.Dir))
}

// Discard removes an evaluation that came to nothing, and its folder where that holds
// nothing else.
func (f Folder) Discard(made Folder) error {
	err := f.Files.RemoveAll(made.Dir)
	if entries, failed := os.ReadDir(f.Dir); failed == nil && len(entries) == 0 {
		err = errors.Join(err, f.Files.Remove(f.Dir))
	}
	return err
}
