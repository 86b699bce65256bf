package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"infbench/metrics/kernel"
)

// measureOwn measures the rows of the second table. A command that fails is an error, which
// its row records.
func (s *settings) measureOwn(ctx context.Context, k *kit) ([]own, error) {
	j := &job{Dir: filepath.Join(k.work, ownName), Shared: s.shared, Small: s.small, Threads: s.threads, Kernels: kernel.Name()}
	if err := os.Mkdir(j.Dir, 0o777); err != nil {
		return nil, err
	}
	if err := writeJSON(j.path(jobFile), j); err != nil {
		return nil, err
	}
	fmt.Fprintf(k.stdout, "%s: inputs\n", ownName)
	if _, err := s.runChild(ctx, []string{k.self, prepareWord, ownName, j.Dir}, "."); err != nil {
		return nil, err
	}
	var all []own
	var faults []error
	for _, w := range ownWorks() {
		o, err := s.ownRow(ctx, k, j, w)
		if err != nil {
			o.Why = "failed"
			faults = append(faults, fmt.Errorf("%s: %w", w.name, err))
		}
		all = append(all, o)
	}
	return all, errors.Join(faults...)
}

// ownRow measures both sizes of a row in turn.
func (s *settings) ownRow(ctx context.Context, k *kit, j *job, w ownWork) (own, error) {
	o := own{Row: w.name, Work: w.work, Why: s.missing(w.shared)}
	if w.needs != "" && o.Why == "" {
		if _, err := os.Stat(w.needs); err != nil {
			o.Why = "no " + w.needs + ": make demo"
		}
	}
	if o.Why != "" {
		fmt.Fprintf(k.stdout, "%s: SKIP: %s\n", w.name, o.Why)
		return o, nil
	}
	for range s.runs {
		for size, into := range []**figures{&o.Less, &o.All} {
			argv := w.argv(k, j, size)
			if len(argv) == 0 {
				continue
			}
			done, err := s.runChild(ctx, argv, ".")
			if err != nil {
				return o, err
			}
			done.add(into)
		}
	}
	fmt.Fprintf(k.stdout, "%s: %s, %s MiB; a tenth takes %s, %s MiB\n", w.name, o.All.time(), o.All.memory(), o.Less.time(), o.Less.memory())
	return o, nil
}

// add adds the measurements of a process to figures: the times that it reports, else the time
// from start to end.
func (c *child) add(into **figures) {
	if *into == nil {
		*into = &figures{Program: "infbench"}
	}
	seconds := c.wall
	if told := c.Seconds[total]; len(told) > 0 {
		seconds = median(told)
	}
	(*into).Seconds = append((*into).Seconds, seconds)
	(*into).MiB = append((*into).MiB, c.mib)
}
