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

// Earlier reads the values of the evaluation in the folder if it has the configuration and data
// of wanted. It returns nil values if the folder has no evaluation. taken describes anything
// else in the folder; nothing may then be written there.
func (j Journal) Earlier(wanted *Trial) (values []Result, taken string, err error) {
	if err := j.finish(); err != nil {
		return nil, "", err
	}
	return j.present(wanted)
}

// Taken returns Earlier's taken for a folder that the caller need not have claimed. It returns
// "" while an evaluation is being put there.
func (j Journal) Taken(wanted *Trial) (taken string, err error) {
	if there, err := disk.Exists(j.at.path(replaceFile)); there || err != nil {
		return "", err
	}
	_, taken, err = j.present(wanted)
	return taken, err
}

// present is Earlier for a folder without a journal.
func (j Journal) present(wanted *Trial) (values []Result, taken string, err error) {
	marked, err := j.at.Marker().Exists()
	if err != nil {
		return nil, "", err
	}
	if !marked {
		unknown, err := j.at.UnknownFile()
		if unknown == "" || err != nil {
			return nil, "", err
		}
		if shards, err := j.at.Shards().Held(); shards != "" || err != nil {
			return nil, "", err // an evaluation is in progress; other files next to it are allowed
		}
		return nil, fmt.Sprintf("contains %s, which is not a file of an evaluation", unknown), nil
	}
	var was Trial
	if err := j.at.Reader().Trial(&was); errors.Is(err, ErrDamaged) {
		return nil, fmt.Sprintf("contains a damaged evaluation (%v)", err), nil
	} else if err != nil {
		return nil, "", err
	}
	if Identity(was.Config, was.Provenance.Benchmarks) == "" {
		return nil, "contains an evaluation that did not record its data", nil
	}
	if differ := WhatDiffers(&was, wanted); len(differ) > 0 {
		return nil, "contains another evaluation: " + strings.Join(differ, "; "), nil
	}
	return was.Results, "", nil
}

// UnknownFile returns the name of an unknown file in the folder that is not hidden, or "".
func (f Folder) UnknownFile() (name string, err error) {
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

// KeepScorings adds the measures of earlier values to the tasks of a benchmark, in their order,
// so that they are computed again in addition to the ones asked for now.
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
