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

// Merged is the result of joining run folders.
type Merged struct {
	Plan   *spec.Plan
	Copied int      // trials
	Aside  []string // folders of unfinished trials that were moved aside for a copy
	Had    int      // trials that the folder had before
	Absent []string // labels of planned trials that are not finished in any folder
}

// merging is a merge in progress.
type merging struct {
	Merged
	into  Folder
	parts []Folder
}

// Merge joins run folders that are parts of one plan into another folder, which may be one of
// them, by copying the finished trials. It first checks each trial against its completion
// marker. It writes nothing if the plans differ in more than the trials that --only left out,
// or if two folders have different results of a trial. After a killed merge the same call
// continues; existing trials stay unchanged.
func Merge(ctx context.Context, into Folder, parts []Folder) (Merged, error) {
	parts = into.before(parts)
	plan, err := joinPlans(parts)
	if err != nil {
		return Merged{}, err
	}
	m := merging{Merged{Plan: plan}, into, parts}
	found, err := m.collect()
	if err != nil {
		return m.Merged, err
	}
	if err := m.holdChosen(); err != nil {
		return m.Merged, err
	}
	if err := disk.MkdirAll(into.Files, into.path(TrialsDir)); err != nil {
		return m.Merged, err
	}
	for i := range plan.Trials {
		id := plan.Trials[i].ID
		from, ok := found[id]
		if !ok || from.Dir == into.Trial(id).Dir {
			continue
		}
		if err := m.adopt(ctx, &plan.Trials[i], from); err != nil {
			return m.Merged, err
		}
	}
	return m.Merged, plan.WriteTo(into.Files, into.PlanPath())
}

// before returns the folder itself, if it has a plan, followed by the others.
func (f Folder) before(parts []Folder) []Folder {
	all := slices.DeleteFunc(slices.Clone(parts), func(p Folder) bool { return filepath.Clean(p.Dir) == filepath.Clean(f.Dir) })
	if exists(f.PlanPath()) {
		all = append([]Folder{f}, all...)
	}
	return all
}

// joinPlans returns the plan whose parts the folders have.
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
				errs = append(errs, fmt.Errorf("%s and %s are not parts of the same plan: %s", part.Dir, parts[i-1].Dir, differs))
				continue
			}
			joined = joined.With(plan)
		}
	}
	return joined, errors.Join(errs...)
}

// collect finds the folder in which each trial is finished, or stopped as hopeless.
func (m *merging) collect() (map[string]results.Folder, error) {
	found := map[string]results.Folder{}
	var errs []error
	for i := range m.Plan.Trials {
		t := &m.Plan.Trials[i]
		for _, part := range m.parts {
			at, have := part.Trial(t.ID), found[t.ID]
			switch err := at.Marker().Verify(); {
			case errors.Is(err, fs.ErrNotExist):
				if at.Halt().IsSet() && have.Dir == "" {
					found[t.ID] = at
				}
			case err != nil:
				errs = append(errs, fmt.Errorf("trial %s (%s): %w", t.ID, t.Label, err))
			case have.Dir == "" || have.Halt().IsSet():
				found[t.ID] = at
			default:
				errs = append(errs, conflict(t, have, at))
			}
		}
		switch at, ok := found[t.ID]; {
		case !ok:
			m.Absent = append(m.Absent, t.Label)
		case at.Dir == m.into.Trial(t.ID).Dir:
			m.Had++
		}
	}
	return found, errors.Join(errs...)
}

// holdChosen refuses trials of an active sweep unless all planned trials exist. The log of the
// sweep is not copied, and without it the chosen trials would look like all planned ones.
func (m *merging) holdChosen() error {
	if len(m.Absent) == 0 {
		return nil
	}
	for _, part := range m.parts {
		if part.Dir == m.into.Dir || !exists(part.Rounds().Path()) {
			continue
		}
		return fmt.Errorf("%s has trials that an active sweep chose by their results, and %d trials of the plan are not finished in any folder, so only that sweep's own verdicts are valid; run the others first, with sweep without --active", part.Dir, len(m.Absent))
	}
	return nil
}

// conflict returns an error if two folders of a trial have different results.
func conflict(t *spec.Trial, a, b results.Folder) error {
	const shown = 5
	differ, err := a.Marker().Differs(b.Marker())
	if err != nil || len(differ) == 0 {
		return err
	}
	more := ""
	if len(differ) > shown {
		differ, more = differ[:shown], fmt.Sprintf(" and %d more", len(differ)-shown)
	}
	return fmt.Errorf("trial %s (%s) differs between %s and %s: %s%s%s", t.ID, t.Label, a.Dir, b.Dir, strings.Join(differ, ", "), more, chunksOf(a, b))
}

// chunksOf names the numbers of sequences at a time in the trainings of two trials, if memory
// ran out in one of them; "" if they are equal.
func chunksOf(a, b results.Folder) string {
	one, err := a.Reader().Provenance()
	other, failed := b.Reader().Provenance()
	if err != nil || failed != nil || one.Chunk == other.Chunk {
		return ""
	}
	set := func(chunk int) string {
		if chunk == 0 {
			return "the plan's number of"
		}
		return fmt.Sprint(chunk)
	}
	return fmt.Sprintf("; memory ran out in one of them: they were trained with %s and %s sequences at a time", set(one.Chunk), set(other.Chunk))
}

// adopt copies a trial into the folder, which no other process may be working on. It looks at
// the trial there again under the lease, because a process that had it may have finished it.
// The content of an unfinished trial, a checkpoint and the user's files, is moved aside.
func (m *merging) adopt(ctx context.Context, t *spec.Trial, from results.Folder) (err error) {
	into := m.into
	lease, err := into.Leases().Take(ctx, t.ID)
	if err != nil {
		return fmt.Errorf("trial %s in %s: %w", t.ID, into.Dir, err)
	}
	defer func() { err = errors.Join(err, lease.Release()) }()
	into.Files = lease.Fence(into.Files)
	to := into.Trial(t.ID)
	if err := to.Marker().Verify(); err == nil {
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
		aside, err := into.Aside().Put(t.ID)
		if err != nil {
			return err
		}
		m.Aside = append(m.Aside, aside)
	}
	m.Copied++
	return from.CopyTo(to)
}
