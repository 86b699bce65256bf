package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"infbench/internal/tools/pyenv"
	"infbench/metrics/kernel"
)

// measure runs everything requested. Rows whose check fails are errors, joined; the record
// has the other rows. A row with a missing peer names it.
func (s *settings) measure(ctx context.Context, stdout io.Writer) (*record, error) {
	work, err := os.MkdirTemp(s.work, "infbench-peers-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	k, err := s.newKit(work, stdout)
	if err != nil {
		return nil, err
	}
	r := &record{Machine: describeMachine(s.threads), Runs: s.runs, Small: s.small}
	var faults []error
	for _, b := range bouts() {
		if !s.asked(b.name) {
			continue
		}
		lines, err := s.compare(ctx, k, b)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", b.name, err))
		}
		r.Lines = append(r.Lines, lines...)
	}
	if s.asked(ownName) {
		own, err := s.measureOwn(ctx, k)
		if err != nil {
			faults = append(faults, err)
		}
		r.Own = own
	}
	return r, errors.Join(faults...)
}

// contest is a bout in progress.
type contest struct {
	bout
	settings *settings
	kit      *kit
	job      *job
	absent   []string   // for each side, why it does not run; "" if it does
	beaten   []bool     // for each side, whether it ended after the first turn
	turns    [][]*child // for each side
}

// compare runs a bout and returns its lines.
func (s *settings) compare(ctx context.Context, k *kit, b bout) ([]line, error) {
	j := &job{Dir: filepath.Join(k.work, b.name), Shared: s.shared, Small: s.small, Threads: s.threads, Kernels: kernel.Name(), Warm: 1, Timed: 1}
	var err error
	if missing := s.missing(b.shared); missing != "" {
		err = pyenv.Absent{Why: missing}
	} else if b.ready != nil {
		err = b.ready(ctx, k, j)
	}
	if gap := (pyenv.Absent{}); errors.As(err, &gap) {
		fmt.Fprintf(k.stdout, "%s: SKIP: %s\n", b.name, gap.Why)
		return b.linesOf(nil, gap.Why), nil
	}
	if err != nil {
		return b.linesOf(nil, "failed"), err
	}
	c := &contest{bout: b, settings: s, kit: k, turns: make([][]*child, len(b.sides)), absent: make([]string, len(b.sides)), beaten: make([]bool, len(b.sides))}
	for i, side := range b.sides {
		if side.peer == nil {
			continue
		}
		err := k.find(ctx, side.peer)
		if gap := (pyenv.Absent{}); errors.As(err, &gap) {
			c.absent[i] = gap.Why
			fmt.Fprintf(k.stdout, "%s: SKIP: %s not run: %s\n", b.name, strings.TrimSpace(side.title+" "+side.variant), gap.Why)
		} else if err != nil {
			return b.linesOf(nil, "failed"), err
		}
	}
	if c.job, err = s.open(ctx, k, j); err != nil {
		return b.linesOf(nil, "failed"), err
	}
	defer os.RemoveAll(c.job.Dir)
	if err := c.run(ctx); err != nil {
		return b.linesOf(nil, "failed"), err
	}
	return b.linesOf(c.fill, ""), nil
}

// open makes the folder of a bout with its inputs.
func (s *settings) open(ctx context.Context, k *kit, j *job) (*job, error) {
	name := filepath.Base(j.Dir)
	if err := os.Mkdir(j.Dir, 0o777); err != nil {
		return nil, err
	}
	if err := writeJSON(j.path(jobFile), j); err != nil {
		return nil, err
	}
	fmt.Fprintf(k.stdout, "%s: inputs\n", name)
	if _, err := s.runChild(ctx, []string{k.self, prepareWord, name, j.Dir}, "."); err != nil {
		return nil, err
	}
	return readJob(j.Dir)
}

// run lets the sides take turns. After the first turn, their outputs are compared, and of several
// sides of a row those that are clearly slower than the fastest end.
func (c *contest) run(ctx context.Context) error {
	for turn := range c.settings.runs {
		for i := range c.sides {
			if c.absent[i] != "" || c.beaten[i] {
				continue
			}
			if err := c.turn(ctx, i, turn == 0); err != nil {
				return err
			}
		}
		if turn == 0 {
			if err := c.compareOutputs(); err != nil {
				return err
			}
			for _, r := range c.rows {
				c.beat(r)
			}
		}
	}
	return nil
}

// clearly is the ratio of times from which on a side does not run again.
const clearly = 1.1

// beat marks the sides of a row that the fastest one beats clearly.
func (c *contest) beat(r row) {
	_, fastest := c.fastest(r)
	for _, side := range r.against {
		if c.absent[side] == "" && median(c.figures(side, r.theirs).Seconds) > clearly*median(fastest.Seconds) {
			c.beaten[side] = true
		}
	}
}

// turn runs a side once.
func (c *contest) turn(ctx context.Context, i int, check bool) error {
	side, env := c.sides[i], c.kit.environment()
	if check {
		env = append(env, checkVariable+"=1")
	}
	done, err := c.settings.runChild(ctx, side.argv(c.kit, c.job.Dir), c.job.Dir, env...)
	if err != nil {
		return fmt.Errorf("%s: %w", side.name, err)
	}
	if side.silent {
		done.Seconds = map[string][]float64{total: {done.wall}}
		if check {
			if err := os.WriteFile(c.job.path(side.name+".txt"), done.out, 0o666); err != nil {
				return err
			}
		}
	}
	c.turns[i] = append(c.turns[i], done)
	fmt.Fprintf(c.kit.stdout, "%s: %s: %s\n", c.name, side.name, done)
	return nil
}

// compareOutputs compares each peer's output with ours.
func (c *contest) compareOutputs() error {
	for i, side := range c.sides[1:] {
		if c.absent[i+1] != "" {
			continue
		}
		if err := c.check(c.job, c.sides[0].name, side.name); err != nil {
			return fmt.Errorf("%s and %s do not compute the same: %w", c.sides[0].name, side.name, err)
		}
	}
	return nil
}

// linesOf returns the lines of a bout, filled in unless why gives a reason against.
func (b bout) linesOf(fill func(row, *line), why string) []line {
	var lines []line
	for _, r := range b.rows {
		l := line{Row: r.name, Work: r.work, Goal: goals[r.name], Note: b.note, Why: why}
		if why == "" {
			fill(r, &l)
		}
		lines = append(lines, l)
	}
	return lines
}

// fill puts the measurements of our side and of the fastest other side into a row's line.
func (c *contest) fill(r row, l *line) {
	l.Ours = c.figures(0, r.ours)
	l.Why, l.Theirs = c.fastest(r)
	l.complete()
}

// fastest returns the measurements of the fastest side that a row compares with ours; nil, and why,
// if all are absent.
func (c *contest) fastest(r row) (why string, best *figures) {
	for _, side := range r.against {
		if c.absent[side] != "" {
			why = c.absent[side]
		} else if f := c.figures(side, r.theirs); !c.beaten[side] && (best == nil || median(f.Seconds) < median(best.Seconds)) {
			best = f
		}
	}
	if best != nil {
		why = ""
	}
	return why, best
}

// figures returns the measurements of a side for one measure.
func (c *contest) figures(i int, measure string) *figures {
	f := &figures{Program: c.sides[i].title, Variant: c.sides[i].variant}
	for _, done := range c.turns[i] {
		f.Seconds = append(f.Seconds, median(done.Seconds[measure]))
		f.MiB = append(f.MiB, done.mib)
		if done.Version != "" {
			f.Program = c.sides[i].title + " " + done.Version
		}
	}
	return f
}
