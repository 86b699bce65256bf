package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"infbench/internal/words"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/spec"
)

// plannedBefore returns the plan in a run folder, an empty one if there is none.
func plannedBefore(folder runs.Folder) (*spec.Plan, error) {
	old, err := spec.ReadPlan(folder.PlanPath())
	if errors.Is(err, fs.ErrNotExist) {
		return &spec.Plan{}, nil
	}
	return old, err
}

// planDiff lists the trials that a new plan adds, drops and alters.
func planDiff(w io.Writer, folder runs.Folder, plan *spec.Plan) error {
	old, err := plannedBefore(folder)
	if err != nil {
		return err
	}
	d := spec.Diff(old, joined(old, plan))
	if len(d.Added)+len(d.Dropped)+len(d.Altered)+len(d.Settings) == 0 {
		fmt.Fprintf(w, "nothing differs from %s\n", folder.PlanPath())
		return nil
	}
	for _, c := range d.Settings {
		fmt.Fprintf(w, "~ %s\n", words.Clean(c.String()))
	}
	for _, t := range d.Added {
		fmt.Fprintf(w, "+ %s  %s\n", shownID(t), words.Clean(t.Label))
	}
	for _, t := range d.Dropped {
		fmt.Fprintf(w, "- %s  %s\n", t.ID, words.Clean(t.Label))
	}
	for _, a := range d.Altered {
		id := a.Old.ID
		if a.New.ID != id {
			id += " -> " + shownID(a.New)
		}
		fmt.Fprintf(w, "~ %s  %s: %s\n", id, words.Clean(a.New.Label), words.Clean(spec.Reason(a.Changes)))
	}
	_, err = fmt.Fprintln(w, d.Counts())
	return err
}

// lostCells counts the finished cells whose IDs are in the run folder's plan but not in the
// new one: how many run again and why, and how many are left out. Their folders stay.
func lostCells(folder runs.Folder, old *spec.Plan, d spec.Differences) []string {
	isDone := func(t *spec.Trial) bool {
		var found results.Trial
		err := folder.Trial(t.ID).Reader().State(&found)
		return err == nil && found.State == results.Done // unreadable cells are reported elsewhere
	}
	total, lost := 0, map[string]int{}
	for i := range old.Trials {
		if isDone(&old.Trials[i]) {
			total++
		}
	}
	for _, a := range d.Altered {
		if a.Old.ID != a.New.ID && isDone(a.Old) && !isDone(a.New) {
			lost["run again: "+spec.Reason(a.Changes)]++
		}
	}
	for _, t := range d.Dropped {
		if isDone(t) {
			lost["are no longer planned"]++
		}
	}
	var notes []string
	for _, what := range slices.Sorted(maps.Keys(lost)) {
		notes = append(notes, fmt.Sprintf("%d of %d finished cells %s; their results stay in %s", lost[what], total, what, filepath.Join(folder.Dir, runs.TrialsDir)))
	}
	return notes
}

// shownID is the ID of a trial; a trial has one once all its inputs exist.
func shownID(t *spec.Trial) string {
	if !t.IsResolved() {
		return "-"
	}
	return t.ID
}
