package claims

import (
	"strconv"
	"strings"

	"infbench/internal/words"
	"infbench/metrics/stats"
)

// Record is a judgement in the form for programs. Numbers are in their native range, not times 100;
// null is "no value".
type Record struct {
	ID         string         `json:"id"`
	Of         string         `json:"of,omitempty"` // value of the setting for which it is judged
	Says       string         `json:"says"`
	Where      string         `json:"where,omitempty"`
	Test       Test           `json:"test"`
	On         string         `json:"on,omitempty"`
	Study      string         `json:"study,omitempty"`
	Measure    string         `json:"measure"`
	Verdict    Verdict        `json:"verdict"`
	Scope      string         `json:"scope,omitempty"` // limit of the verdict
	Rival      string         `json:"rival,omitempty"` // the comparison that decides
	Difference *float64       `json:"difference"`
	Interval   stats.Interval `json:"interval"`
	P          *float64       `json:"p"`
	Holm       *float64       `json:"p_holm"`
	Smallest   *float64       `json:"smallest_found"` // in 80 % of cases, if the verdict is not shown
	Further    stats.Interval `json:"further_run"`    // range of the difference between one further run of each
	N          int            `json:"n"`
	Runs       int            `json:"training_runs"`
	Seeds      [2]int         `json:"seeds"` // fewest and most of a trained system
	Remarks    []string       `json:"remarks"`
	Command    string         `json:"command"`
}

// Records lists the judgements for programs.
func (d *Judged) Records() []Record {
	var out []Record
	for _, j := range d.Judgements {
		c := j.Claim
		r := Record{ID: c.ID, Of: j.Of, Says: c.Says, Where: c.Where, Test: c.Test, On: c.On, Study: c.Study, Measure: c.measured(),
			Verdict: j.Verdict, Scope: j.Scope, Rival: j.Rival, Seeds: j.Seeds, Remarks: append([]string{}, j.Remarks()...), Command: c.Command}
		switch {
		case j.Sequence != nil:
			r.Difference, r.Interval = j.Sequence.Difference.Pointer(), j.Sequence.Limits
		case j.Verdict != NotRun:
			r.Difference, r.N, r.Runs = &j.Difference, j.N, j.Runs
			if !j.Exact {
				r.Interval, r.Further, r.P, r.Holm, r.Smallest = j.Interval(), j.Further, &j.P, &j.Adjusted, j.Smallest().Pointer()
			}
		}
		out = append(out, r)
	}
	return out
}

// Lines returns the records as a table of plain text.
func (d *Judged) Lines() (head []string, rows [][]string) {
	head = []string{"id", "of", "verdict", "scope", "rival", "test", "on", "measure", "difference", "low", "high", "p", "p_holm", "smallest_found", "n", "training_runs", "seeds_least", "seeds_most", "says", "where", "remarks", "command"}
	for _, r := range d.Records() {
		low, high := r.Interval.Ends()
		rows = append(rows, []string{r.ID, r.Of, string(r.Verdict), r.Scope, r.Rival, string(r.Test), r.On + r.Study, r.Measure,
			number(r.Difference), number(low), number(high), number(r.P), number(r.Holm), number(r.Smallest),
			strconv.Itoa(r.N), strconv.Itoa(r.Runs), strconv.Itoa(r.Seeds[0]), strconv.Itoa(r.Seeds[1]), r.Says, r.Where, strings.Join(r.Remarks, " "), r.Command})
	}
	return head, rows
}

// number prints all digits of a number; "" for nil.
func number(v *float64) string {
	if v == nil || !words.Finite(*v) {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}
