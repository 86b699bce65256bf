package command

import (
	"time"

	"infbench/bench/output"
	"infbench/runners/results"
)

// statusOutput is the status for other programs.
type statusOutput struct {
	Experiment string                `json:"experiment"`
	Counts     map[results.State]int `json:"counts"`
	Trials     []statusTrial         `json:"trials"`              // in the order of the plan
	Active     *results.ActiveRound  `json:"active,omitempty"`    // the last decision of an active sweep
	Unplanned  []string              `json:"unplanned,omitempty"` // IDs of trials that only an earlier plan had
}

// statusTrial is one trial of the status.
type statusTrial struct {
	ID    string        `json:"id"`
	State results.State `json:"state"`
	Label string        `json:"label"`
	Say   string        `json:"note,omitempty"`   // its progress, or why it is not done
	Why   string        `json:"chosen,omitempty"` // by an active sweep, in which round and why
	Since *time.Time    `json:"since,omitempty"`  // of an abandoned one: when it was last seen
}

// output converts the view for other programs.
func (v *statusView) output() statusOutput {
	out := statusOutput{v.Plan.Name, v.Count, []statusTrial{}, v.Active.Log().Last(), nil}
	for _, t := range v.Leftover {
		out.Unplanned = append(out.Unplanned, t.ID)
	}
	for i, t := range v.Trials {
		one := statusTrial{ID: t.ID, State: t.State, Label: v.Plan.Trials[i].Label, Why: v.Chosen(i)}
		if t.State != results.Waiting {
			one.Say = v.Say(i)
		}
		if since := v.Since(i); !since.IsZero() {
			one.Since = &since
		}
		out.Trials = append(out.Trials, one)
	}
	return out
}

// sheet has a row for each trial.
func (o statusOutput) sheet() output.Sheet {
	s := output.Sheet{Title: o.Experiment, Left: 4, Head: []string{"trial", "state", "what", "how far, or why"}}
	for _, t := range o.Trials {
		s.Rows = append(s.Rows, []string{t.ID, string(t.State), t.Label, t.Say})
	}
	return s
}
