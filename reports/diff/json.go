package diff

import (
	"infbench/metrics/stats"
	"infbench/reports/contrast"
	"infbench/runners/results"
)

// ChangesJSON is the shape of Changes in JSON. Values are in their native range.
type ChangesJSON struct {
	Causes []Cause     `json:"causes"`
	Shifts []ShiftJSON `json:"numbers"`
	Method string      `json:"method"`
	Builds []string    `json:"builds,omitempty"` // which cells are from which build, if a set has several builds
}

// ShiftJSON is one number of both sets; a missing value is null.
type ShiftJSON struct {
	System       string           `json:"system"`
	Benchmark    string           `json:"benchmark"`
	Task         string           `json:"task"`
	Side         string           `json:"side,omitempty"`
	Measure      string           `json:"measure"`
	Before       *float64         `json:"before"`
	After        *float64         `json:"after"`
	Difference   *float64         `json:"mean_difference"`
	Interval     stats.Interval   `json:"interval"`
	Holm         *float64         `json:"p_holm"`
	Verdict      string           `json:"verdict"`
	Incomparable string           `json:"incomparable,omitempty"`
	Moved        []contrast.Moved `json:"moved,omitempty"`
}

// JSON returns the comparison in the form of JSON output.
func (c *Changes) JSON(facts map[string]results.Facts) ChangesJSON {
	out := ChangesJSON{Causes: c.Causes(facts), Shifts: []ShiftJSON{}, Method: contrast.Method, Builds: c.builds()}
	for _, s := range c.Shifts {
		j := ShiftJSON{System: s.System, Benchmark: s.Benchmark, Task: s.Task, Side: s.Side, Measure: s.Measure,
			Interval: s.Contrast.Interval(), Incomparable: s.Incomparable, Moved: s.Moved}
		if s.Before.State.Valued() {
			j.Before = &s.Before.Value
		}
		if s.After.State.Valued() {
			j.After = &s.After.Value
		}
		switch {
		case j.Before == nil:
			j.Verdict = "new"
		case j.After == nil:
			j.Verdict = "missing"
		default:
			j.Verdict = s.verdict().Text
		}
		if c := s.Contrast; c.Why == "" {
			j.Difference, j.Holm = &c.Difference, &c.Adjusted
		}
		out.Shifts = append(out.Shifts, j)
	}
	return out
}
