package gate

import (
	"fmt"
	"io"

	"infbench/internal/words"
	"infbench/reports/table"
	"infbench/reports/terminal"
)

// shownChecks limits each list of checks in text.
const shownChecks = 200

// WriteGate prints the result of a gate as plain text: checks that failed, are undecided, accepted
// or dropped, those that passed although the number fell, and what the tests can find.
func WriteGate(w io.Writer, g *Gate) error {
	p, screen := &table.Printer{W: w}, terminal.On(w)
	line := func(lead, text string) { p.Keep(screen.Print(lead, text)) }
	list := func(word string, checks []Check) {
		for i, c := range checks {
			if i == shownChecks {
				line("", fmt.Sprintf("... and %d more", len(checks)-i))
				break
			}
			line(word+" ", c.Sentence())
		}
	}
	list("FAIL", g.Failed())
	list("UNDECIDED", g.Undecided())
	list("accepted", g.Accepted())
	list("dropped", g.Dropped())
	var noted []Check
	for _, c := range g.with(Passed) {
		if c.worse {
			noted = append(noted, c)
		}
	}
	list("note", noted)
	for _, a := range g.Unused {
		line("note ", fmt.Sprintf("%s: not needed by any check: %s", a.Position(), a.By()))
	}
	line("", g.Summary())
	if g.Method != "" {
		line("tests: ", g.Method)
	}
	for _, of := range g.Power() {
		line("power: ", of.Sentence())
	}
	return p.Err
}

// Summary is the verdict with its counts: "gate met: 0 of 84 checks failed".
func (g *Gate) Summary() string {
	text := fmt.Sprintf("%s: %d of %s failed", g.Verdict(), len(g.Failed()), words.Plural(len(g.Checks), "check", "checks"))
	for _, of := range []struct {
		checks []Check
		word   string
	}{{g.Undecided(), "undecided"}, {g.Accepted(), "accepted"}, {g.Dropped(), "dropped"}} {
		if len(of.checks) > 0 {
			text += fmt.Sprintf(", %d %s", len(of.checks), of.word)
		}
	}
	return text
}

// CheckJSON is a check in JSON. Values are in their native range.
type CheckJSON struct {
	At       string   `json:"rule"`
	Place    string   `json:"number"`
	Board    bool     `json:"on_board"`
	Passed   bool     `json:"passed"` // false if undecided: the drop is not shown to be beyond the rule
	Outcome  Outcome  `json:"outcome"`
	Reason   string   `json:"reason"`
	Before   *float64 `json:"before,omitempty"`
	After    *float64 `json:"after,omitempty"`
	P        *float64 `json:"p_holm,omitempty"`
	Smallest *float64 `json:"smallest_drop,omitempty"` // found with a chance of Chance
}

// JSON returns the checks in the form of JSON output.
func (g *Gate) JSON() []CheckJSON {
	out := []CheckJSON{}
	for _, c := range g.Checks {
		as := CheckJSON{At: c.At, Place: c.Place, Board: c.Board, Passed: c.Outcome != Failed && c.Outcome != Undecided, Outcome: c.Outcome, Reason: c.Reason}
		if c.shift != nil {
			if before := c.shift.Before; before.State.Valued() {
				as.Before = &before.Value
			}
			if after := c.shift.After; after.State.Valued() {
				as.After = &after.Value
			}
		}
		if c.tested != nil && c.tested.Why == "" && (!c.tested.Unreplicated || c.Outcome == Failed && c.tested.Adjusted <= *c.Rule.Level) {
			as.P = &c.tested.Adjusted
		}
		if found, ok := c.Smallest(); ok {
			as.Smallest = &found
		}
		out = append(out, as)
	}
	return out
}
