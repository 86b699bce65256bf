package runs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"infbench/internal/disk"
	"infbench/runners/results"
	"infbench/runners/spec"
)

// Merged is what joining run folders gave.
type Merged struct {
	Plan   *spec.Plan
	Copied int      // trials
	Aside  []string // folders of unfinished trials that were moved out of the way of a copy
	Had    int      // trials that the folder had before
	Absent []string // labels of planned trials that are finished nowhere
}

// Merge joins run folders that are parts of one plan into this one, which may be one of
// them: it gets the trials of all that are finished. Each is held to its completion
// marker first, and nothing is written where the plans differ in more than what --only
// left out, or where two folders have one trial with other numbers. What a killed merge
// left undone the same call goes on with; what is there already stays as it is.
func (f Folder) Merge(ctx context.Context, parts []Folder) (Merged, error) {
	parts = f.first(parts)
	plan, err := joinPlans(parts)
	if err != nil {
		return Merged{}, err
	}
	m := Merged{Plan: plan}
	found, err := f.collect(&m, parts)
	if err != nil {
		return m, err
	}
	if err := f.holdChosen(m, parts); err != nil {
		return m, err
	}
	if err := disk.MkdirAll(f.Files, f.path(TrialsDir)); err != nil {
		return m, err
	}
	for i := range plan.Trials {
		id := plan.Trials[i].ID
		from, ok := found[id]
		if !ok || from.Dir == f.Trial(id).Dir {
			continue
		}
		if err := f.adopt(ctx, &m, &plan.Trials[i], from); err != nil {
			return m, err
		}
	}
	return m, plan.WriteTo(f.Files, f.PlanPath())
}

// first lists the folder itself, if it holds a plan, before the others.
func (f Folder) first(parts []Folder) []Folder {
	all := slices.DeleteFunc(slices.Clone(parts), func(p Folder) bool { return filepath.Clean(p.Dir) == filepath.Clean(f.Dir) })
	if exists(f.PlanPath()) {
		all = append([]Folder{f}, all...)
	}
	return all
}

// joinPlans is the plan whose parts the folders have.
func joinPlans(parts []Folder) (*spec.Plan, error) {
	var joined *spec.Plan
	var errs []error
	for i, part := range parts {
		plan, err := part.Plan()
		switch {
		case err != nil:
			errs = append(errs, err)
		case joined == nil:
			joined = plan
		default:
			if differs := joined.IsOfSame(plan); differs != "" {
				errs = append(errs, fmt.Errorf("%s is no part of what %s is of: %s", part.Dir, parts[i-1].Dir, differs))
				continue
			}
			joined = joined.With(plan)
		}
	}
	return joined, errors.Join(errs...)
}

// collect finds where each trial is finished, or stopped as hopeless.
func (f Folder) collect(m *Merged, parts []Folder) (map[string]results.Folder, error) {
	found := map[string]results.Folder{}
	var errs []error
	for i := range m.Plan.Trials {
		t := &m.Plan.Trials[i]
		for _, part := range parts {
			at, have := part.Trial(t.ID), found[t.ID]
			switch err := at.Verify(); {
			case errors.Is(err, fs.ErrNotExist):
				if at.IsStopped() && have.Dir == "" {
					found[t.ID] = at
				}
			case err != nil:
				errs = append(errs, fmt.Errorf("trial %s (%s): %w", t.ID, t.Label, err))
			case have.Dir == "" || have.IsStopped():
				found[t.ID] = at
			default:
				errs = append(errs, conflict(t, have, at))
			}
		}
		switch at, ok := found[t.ID]; {
		case !ok:
			m.Absent = append(m.Absent, t.Label)
		case at.Dir == f.Trial(t.ID).Dir:
			m.Had++
		}
	}
	return found, errors.Join(errs...)
}

// holdChosen refuses trials that an active sweep chose of more than there are: without its
// log, which is not copied, they would look like all that anyone meant to run.
func (f Folder) holdChosen(m Merged, parts []Folder) error {
	if len(m.Absent) == 0 {
		return nil
	}
	for _, part := range parts {
		if part.Dir == f.Dir || !exists(part.ActivePath()) {
			continue
		}
		return fmt.Errorf("%s has trials that an active sweep chose by their results, and %d of the plan are finished nowhere: only that sweep's own verdicts hold; run the others first, by sweep without --active", part.Dir, len(m.Absent))
	}
	return nil
}

// conflict says where two folders of one trial hold other numbers; nil where nowhere.
func conflict(t *spec.Trial, a, b results.Folder) error {
	const shown = 5
	differ, err := a.Differs(b)
	if err != nil || len(differ) == 0 {
		return err
	}
	more := ""
	if len(differ) > shown {
		differ, more = differ[:shown], fmt.Sprintf(" and %d more", len(differ)-shown)
	}
	return fmt.Errorf("trial %s (%s) differs between %s and %s: %s%s", t.ID, t.Label, a.Dir, b.Dir, strings.Join(differ, ", "), more)
}

// adopt copies a trial into the folder, which nobody else may be working on. What was
// known of the trial there is looked at again under the lease: a process that had it may
// have finished it, and what an unfinished one left, a checkpoint and files of its user,
// is moved aside.
func (f Folder) adopt(ctx context.Context, m *Merged, t *spec.Trial, from results.Folder) (err error) {
	lease, err := f.Leases().Take(ctx, t.ID)
	if err != nil {
		return fmt.Errorf("trial %s in %s: %w", t.ID, f.Dir, err)
	}
	defer func() { err = errors.Join(err, lease.Release()) }()
	f.Files = lease.Fence(f.Files)
	to := f.Trial(t.ID)
	if err := to.Verify(); err == nil {
		m.Had++
		return conflict(t, to, from)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("trial %s (%s): %w", t.ID, t.Label, err)
	}
	entries, err := disk.ReadDir(to.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("trial %s (%s): %w", t.ID, t.Label, err)
	}
	if len(entries) > 0 {
		aside, err := f.SetAside(t.ID)
		if err != nil {
			return err
		}
		m.Aside = append(m.Aside, aside)
	}
	m.Copied++
	return from.CopyTo(to)
}
