package main

import (
	"fmt"
	"strconv"
	"strings"

	"infbench/metrics/stats"
)

// comparison is what compare finds by one measure.
type comparison struct {
	Measure   string        `json:"measure"`
	Queries   int           `json:"queries"`
	Undefined []string      `json:"undefined"` // queries left out: no value in some run
	Missing   []string      `json:"missing"`   // queries left out: absent from some run
	Runs      []comparedRun `json:"runs"`      // the baseline first
}

// comparedRun is one run by one measure; all but Run and Mean compare it with
// the baseline and are absent for that.
type comparedRun struct {
	Run        string        `json:"run"`
	Mean       float64       `json:"mean"`
	Comparison *stats.Versus `json:"versus_baseline,omitempty"`
	Rank       *stats.Rank   `json:"rank,omitempty"`
	Moved      []movedQuery  `json:"moved,omitempty"`
	Power      *detection    `json:"power,omitempty"`
}

// movedQuery is one query under the baseline and under a run.
type movedQuery struct {
	Query    string  `json:"query"`
	Baseline float64 `json:"baseline"`
	Value    float64 `json:"value"`
}

// sheet lays a comparison out for a terminal, as benchstat does.
func (c *comparison) sheet(o compareOptions) sheet {
	s := sheet{
		title: fmt.Sprintf("%s over %d queries", c.Measure, c.Queries),
		head:  []string{"run", "mean", "delta", fmt.Sprintf("%g%% interval", 100*o.plan.Bootstrap.Level), "vs base", "d_z", "win/tie/loss"},
		left:  1,
		notes: c.notes(o),
	}
	ranked := c.Runs[0].Rank != nil
	if ranked {
		s.head = append(s.head, "rank")
	}
	for _, r := range c.Runs {
		row := []string{r.Run, strconv.FormatFloat(r.Mean, 'f', 4, 64), "", "", "", "", ""}
		if v := r.Comparison; v != nil {
			row = []string{
				r.Run, row[1], fmt.Sprintf("%+.4f", v.MeanDifference), v.Interval.Format(4),
				verdict(v, c.Runs[0].Mean), v.Dz.Format(2), fmt.Sprintf("%d/%d/%d", v.Wins, v.Ties, v.Losses),
			}
		}
		if ranked {
			row = append(row, rankText(*r.Rank))
		}
		s.rows = append(s.rows, row)
	}
	return s
}

// verdict is benchstat's: the change in percent where it is significant, else
// "~", with p and n. A base that is not positive has no percent.
func verdict(v *stats.Versus, base float64) string {
	change := "~"
	if v.Significant {
		change = fmt.Sprintf("%+.4f", v.MeanDifference)
		if base > 0 {
			change = fmt.Sprintf("%+.2f%%", 100*v.MeanDifference/base)
		}
	}
	return fmt.Sprintf("%s (p=%.2g n=%d)", change, v.Adjusted, v.N)
}

// rankText is "1", or "1-3" where a run may hold more than one place, with the
// letters of its groups of ties.
func rankText(r stats.Rank) string {
	text := strconv.Itoa(r.Low)
	if r.High > r.Low {
		text += "-" + strconv.Itoa(r.High)
	}
	text += " "
	for _, g := range r.Groups {
		for ; g >= 26; g -= 26 {
			text += "'" // the 27th group is 'a
		}
		text += string(rune('a' + g))
	}
	return text
}

// notes say how p was made, and which queries do not count.
func (c *comparison) notes(o compareOptions) []string {
	v := c.Runs[1].Comparison
	method := fmt.Sprintf("p: %s test (%s), two-sided, seed %d", v.Name, v.Method, o.plan.Seed)
	switch {
	case o.plan.Test == "tukey":
		method += ", over all pairs of runs"
	case len(c.Runs) > 2:
		method += fmt.Sprintf(", %s correction over %d comparisons", o.correct, len(c.Runs)-1)
	}
	notes := []string{method + "; base is " + c.Runs[0].Run}
	if len(c.Missing) > 0 {
		notes = append(notes, fmt.Sprintf("%d judged queries are missing from a run and left out: %s", len(c.Missing), some(c.Missing)))
	}
	if len(c.Undefined) > 0 {
		notes = append(notes, fmt.Sprintf("%d queries have no %s in some run and are left out: %s", len(c.Undefined), c.Measure, some(c.Undefined)))
	}
	return notes
}

// some lists the first few names.
func some(names []string) string {
	const shown = 5
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:shown], ", ") + ", ..."
}

// movedSheet lists the queries that moved most under each run.
func (c *comparison) movedSheet() sheet {
	s := sheet{
		title: c.Measure + ": queries that moved most",
		head:  []string{"run", "query", "base", "value", "delta"},
		left:  2,
	}
	for _, r := range c.Runs {
		for _, q := range r.Moved {
			s.rows = append(s.rows, []string{
				r.Run, q.Query, fmt.Sprintf("%.4f", q.Baseline), fmt.Sprintf("%.4f", q.Value), fmt.Sprintf("%+.4f", q.Value-q.Baseline),
			})
		}
	}
	if len(s.rows) == 0 {
		s.title = c.Measure + ": no query moved"
	}
	return s
}

// comparisonCSV lists every run by every measure; cells that only a comparison
// has are empty for the baseline.
func comparisonCSV(all []comparison, o compareOptions) sheet {
	s := sheet{head: []string{
		"measure", "run", "n", "mean", "delta", "low", "high", "test", "p", "correction", "p_corrected",
		"significant", "d_z", "cliff_delta", "wins", "ties", "losses", "rank_low", "rank_high",
	}}
	if o.power > 0 {
		s.head = append(s.head, detectionFields...)
	}
	digits := func(v float64) string { return exact(stats.Defined(v)) }
	for _, c := range all {
		for _, r := range c.Runs {
			row := make([]string, len(s.head))
			copy(row, []string{c.Measure, r.Run, strconv.Itoa(c.Queries), digits(r.Mean)})
			if v := r.Comparison; v != nil {
				low, high := exactEnds(v.Interval)
				copy(row[4:], []string{
					digits(v.MeanDifference), low, high, v.Name, digits(v.P), o.correct, digits(v.Adjusted),
					strconv.FormatBool(v.Significant), exact(v.Dz), exact(v.Cliff),
					strconv.Itoa(v.Wins), strconv.Itoa(v.Ties), strconv.Itoa(v.Losses),
				})
			}
			if r.Rank != nil {
				copy(row[17:], []string{strconv.Itoa(r.Rank.Low), strconv.Itoa(r.Rank.High)})
			}
			if r.Power != nil {
				copy(row[19:], r.Power.cells())
			}
			s.rows = append(s.rows, row)
		}
	}
	return s
}
