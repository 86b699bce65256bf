package runs

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"infbench/runners/results"
	"infbench/runners/spec"
)

// Leftover is the trials that earlier plans of a run folder had and its plan does not: they are in no
// report. A later plan that has one of them again uses it.
type Leftover struct {
	at   Folder
	plan *spec.Plan
}

// Leftover returns the trials that the plan does not have.
func (f Folder) Leftover(plan *spec.Plan) Leftover { return Leftover{f, plan} }

// Trials returns the leftover trials with their states, sorted by ID.
func (l Leftover) Trials() ([]results.Trial, error) {
	there, err := names(l.at.path(TrialsDir))
	if err != nil {
		return nil, fmt.Errorf("list trials: %w", err)
	}
	planned := make(map[string]bool, len(l.plan.Trials))
	for i := range l.plan.Trials {
		planned[l.plan.Trials[i].ID] = true
	}
	var found []results.Trial
	for id := range there {
		if planned[id] || strings.HasPrefix(id, ".") || !isFolder(filepath.Join(l.at.path(TrialsDir), id)) {
			continue
		}
		t := results.Trial{ID: id}
		if err := l.at.Trial(id).Reader().State(&t); err != nil {
			t.State, t.Error = results.Waiting, err.Error()
		}
		found = append(found, t)
	}
	slices.SortFunc(found, func(a, b results.Trial) int { return strings.Compare(a.ID, b.ID) })
	return found, nil
}

// Discard removes leftover trials whose IDs begin with one of the prefixes, or all without a prefix,
// and lists their folders. A trial that a process holds is an error.
func (l Leftover) Discard(prefixes []string) (removed []string, err error) {
	all, err := l.Trials()
	if err != nil {
		return nil, err
	}
	watch := l.at.Leases().Watch()
	for _, t := range all {
		if len(prefixes) > 0 && !slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(t.ID, p) }) {
			continue
		}
		err := l.at.Mark(watch, t.ID, func(at results.Folder) error { return at.Files.RemoveAll(at.Dir) })
		if err != nil {
			return removed, fmt.Errorf("discard a trial that is no longer planned: %w", err)
		}
		removed = append(removed, l.at.Trial(t.ID).Dir)
	}
	return removed, nil
}
