package command

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"infbench/bench/output"
	"infbench/internal/usage"
	"infbench/reports/terminal"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// statusView is a sweep as status prints it.
type statusView struct {
	*runs.WatchView
	Dir string // of the run
}

// leftoverState is the state shown for a trial that only an earlier plan had.
const leftoverState = "not planned"

// Limits for the table: a sweep of 10,000 cells must stay readable.
const (
	shownWaiting = 20
	shownFailed  = 50
)

// write prints the counts and a table of the trials that are not done: running, failed and
// waiting ones.
func (v *statusView) write(w io.Writer) error {
	for _, text := range slices.Concat([]string{v.Summary()}, v.Plan.Remarks(), v.Changed, v.Active.Words()) {
		for _, line := range terminal.On(w).Lines("", text) {
			if _, err := fmt.Fprintln(w, line); err != nil {
				return err
			}
		}
	}
	if head, rows := v.Active.Table(); len(rows) > 0 {
		if err := (output.Sheet{Title: "claims", Left: 3, Head: head, Rows: rows}).WriteTable(w); err != nil {
			return err
		}
	}
	s := output.Sheet{Title: v.Plan.Name, Left: 4, Head: []string{"trial", "state", "what", "how far, or why"}}
	for _, part := range []struct {
		state results.State
		most  int
	}{
		{results.Running, len(v.Trials)},
		{results.Abandoned, shownFailed},
		{results.Failed, shownFailed},
		{results.Stopped, shownFailed},
		{results.Waiting, shownWaiting},
	} {
		shown := 0
		var rows, begun [][]string // a waiting trial that was begun comes before the others
		for i, t := range v.Trials {
			if t.State != part.state {
				continue
			}
			if shown++; shown > part.most && part.state != results.Waiting {
				continue
			}
			row := []string{t.ID, string(t.State), v.Plan.Trials[i].Label, joinedBy("; ", v.Say(i), v.Chosen(i))}
			if row[3] != "" {
				begun = append(begun, row)
			} else {
				rows = append(rows, row)
			}
		}
		rows = append(begun, rows...)
		s.Rows = append(s.Rows, rows[:min(len(rows), part.most)]...)
		if shown > part.most {
			s.Notes = append(s.Notes, fmt.Sprintf("%d more trials are %s", shown-part.most, part.state))
		}
	}
	for i, t := range v.Leftover {
		if i == shownFailed {
			s.Notes = append(s.Notes, fmt.Sprintf("%d more trials are no longer planned", len(v.Leftover)-i))
			break
		}
		s.Rows = append(s.Rows, []string{t.ID, leftoverState, "", "only an earlier plan had it: " + string(t.State)})
	}
	if len(v.Leftover) > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("trials that are no longer planned are in no report; infbench retry %s --discard unplanned removes them", usage.Quote(v.Dir)))
	}
	if len(s.Rows) == 0 {
		return nil
	}
	return s.WriteTable(w)
}

// joinedBy joins the texts that are not empty.
func joinedBy(by string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(t string) bool { return t == "" }), by)
}
