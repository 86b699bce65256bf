package results

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"infbench/datasets"
	"infbench/internal/disk"
)

// Earlier reads the evaluation that the folder holds, which is of the same
// configuration and data as is. Where there is none, the values are nil; where there is
// anything else, taken says what, and nothing may be written there.
func (j Journal) Earlier(is *Trial) (values []Result, taken string, err error) {
	if err := j.finish(); err != nil {
		return nil, "", err
	}
	return j.present(is)
}

// Taken is what Earlier says is there, of a folder that nobody need have claimed: "" while
// an evaluation is put there.
func (j Journal) Taken(is *Trial) (taken string, err error) {
	if there, err := disk.Exists(j.at.path(replaceFile)); there || err != nil {
		return "", err
	}
	_, taken, err = j.present(is)
	return taken, err
}

// present is Earlier of a folder without a journal.
func (j Journal) present(is *Trial) (values []Result, taken string, err error) {
	marked, err := j.at.Marker().Exists()
	if err != nil {
		return nil, "", err
	}
	if !marked {
		stranger, err := j.at.Stranger()
		if stranger == "" || err != nil {
			return nil, "", err
		}
		if shards, err := j.at.Shards().Held(); shards != "" || err != nil {
			return nil, "", err // it is under way, and somebody may put what he likes beside it
		}
		return nil, fmt.Sprintf("holds %s, which no evaluation wrote", stranger), nil
	}
	var was Trial
	if err := j.at.Reader().Trial(&was); errors.Is(err, ErrDamaged) {
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

// Stranger names a file in a folder that nothing is known of, those left out that are
// hidden; "" where there is none.
func (f Folder) Stranger() (name string, err error) {
	entries, err := disk.ReadDir(f.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read output folder: %w", err)
	}
	for _, e := range entries {
		if !isHidden(e.Name()) {
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
