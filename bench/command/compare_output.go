package command

import (
	"fmt"
	"strconv"
	"strings"

	"infbench/bench/output"
	"infbench/internal/words"
	"infbench/metrics"
	"infbench/metrics/stats"
)

// comparisonSheet lays a comparison out for a terminal, as benchstat does.
func comparisonSheet(c *comparison, o compareOptions) output.Sheet {
	scale := metrics.Scale(c.Measure)
	s := output.Sheet{
		Title: fmt.Sprintf("%s over %d queries%s", c.Measure, c.Queries, scaleWords(scale)),
		Head:  []string{"run", "mean", "delta", fmt.Sprintf("%g%% interval", 100*o.plan.Confidence), "vs base", "d_z", "win/tie/loss"},
		Left:  1,
		Notes: comparisonNotes(c, o),
	}
	ranked := c.Runs[0].Rank != nil
	if ranked {
		s.Head = append(s.Head, "rank")
	}
	for _, r := range c.Runs {
		row := []string{r.Run, words.Fixed(scale*r.Mean, 2), "", "", "", "", ""}
		if v := r.Comparison; v != nil {
			row = []string{
				r.Run, row[1], fmt.Sprintf("%+.2f", scale*v.MeanDifference), v.Interval.Times(scale).Format(2),
				versusVerdict(v, c.Runs[0].Mean, scale), v.Dz.Format(2), fmt.Sprintf("%d/%d/%d", v.Wins, v.Ties, v.Losses),
			}
		}
		if ranked {
			row = append(row, rankText(*r.Rank))
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

// scaleWords names the factor by which a table multiplies values, if any.
func scaleWords(scale float64) string {
	if scale == 1 {
		return ""
	}
	return fmt.Sprintf(", ×%g", scale)
}

// versusVerdict formats a comparison as benchstat does: the change in percent if it is
// significant, else "~", with p and n. There is no percentage of a base that is not positive.
func versusVerdict(v *stats.Versus, base, scale float64) string {
	change := "~"
	if v.Significant {
		change = fmt.Sprintf("%+.2f", scale*v.MeanDifference)
		if base > 0 {
			change = fmt.Sprintf("%+.2f%%", 100*v.MeanDifference/base)
		}
	}
	return fmt.Sprintf("%s (p=%.2g n=%d)", change, v.Adjusted, v.N)
}

// rankText is "1", or "1-3" if a run may have any of these places, with the letters of its
// groups of ties.
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

// comparisonNotes describes the computation of p and lists the queries that do not count.
func comparisonNotes(c *comparison, o compareOptions) []string {
	v := c.Runs[1].Comparison
	method := fmt.Sprintf("p: %s test (%s), two-sided", v.Name, v.Method)
	if strings.HasPrefix(v.Method, "monte carlo") {
		method += fmt.Sprintf(", seed %d", o.plan.Seed)
	}
	switch {
	case o.plan.Test == "tukey":
		method += ", over all pairs of runs"
	case len(c.Runs) > 2:
		method += fmt.Sprintf(", %s correction over %d comparisons", o.plan.Correct, len(c.Runs)-1)
	}
	notes := []string{method + "; base is " + c.Runs[0].Run}
	if len(c.Runs) > 2 && o.plan.Correct != "none" {
		notes = append(notes, fmt.Sprintf("interval: the differences that the test does not reject, at %g%% simultaneously for all comparisons", 100*o.plan.Confidence))
	}
	var alone []string
	for _, r := range c.Runs[1:] {
		if r.Comparison.HolmAlone() {
			alone = append(alone, r.Run)
		}
	}
	if len(alone) > 0 {
		notes = append(notes, fmt.Sprintf("significant only by the step-down correction, though the interval includes 0: %s", firstNames(alone)))
	}
	if len(c.Missing) > 0 {
		notes = append(notes, fmt.Sprintf("%d judged queries are missing from a run and left out: %s", len(c.Missing), firstNames(c.Missing)))
	}
	if len(c.Undefined) > 0 {
		notes = append(notes, fmt.Sprintf("%d queries have no %s in some run and are left out: %s", len(c.Undefined), c.Measure, firstNames(c.Undefined)))
	}
	return notes
}

// firstNames lists the first few names.
func firstNames(names []string) string {
	const shown = 5
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:shown], ", ") + ", ..."
}

// movedSheet lists the queries that moved most under each run.
func movedSheet(c *comparison) output.Sheet {
	s := output.Sheet{
		Title: c.Measure + ": queries that moved most" + scaleWords(metrics.Scale(c.Measure)),
		Head:  []string{"run", "query", "base", "value", "delta"},
		Left:  2,
	}
	scale := metrics.Scale(c.Measure)
	for _, r := range c.Runs {
		for _, q := range r.Moved {
			s.Rows = append(s.Rows, []string{
				r.Run, q.Query, words.Fixed(scale*q.Baseline, 2), words.Fixed(scale*q.Value, 2), fmt.Sprintf("%+.2f", scale*(q.Value-q.Baseline)),
			})
		}
	}
	if len(s.Rows) == 0 {
		s.Title = c.Measure + ": no query moved"
	}
	return s
}

// comparisonCSV lists every run by every measure; cells that only a comparison
// has are empty for the baseline.
func comparisonCSV(all []comparison, o compareOptions) output.Sheet {
	s := output.Sheet{Head: []string{
		"measure", "run", "n", "mean", "delta", "low", "high", "test", "p", "correction", "p_corrected",
		"significant", "d_z", "cliff_delta", "wins", "ties", "losses", "rank_low", "rank_high",
	}}
	if o.plan.Power > 0 {
		s.Head = append(s.Head, detectionFields...)
	}
	digits := func(v float64) string { return output.Exact(&v) }
	for _, c := range all {
		for _, r := range c.Runs {
			row := make([]string, len(s.Head))
			copy(row, []string{c.Measure, r.Run, strconv.Itoa(c.Queries), digits(r.Mean)})
			if v := r.Comparison; v != nil {
				low, high := v.Interval.Ends()
				copy(row[4:], []string{
					digits(v.MeanDifference), output.Exact(low), output.Exact(high), v.Name, digits(v.P), o.plan.Correct, digits(v.Adjusted),
					strconv.FormatBool(v.Significant), output.Exact(v.Dz.Pointer()), output.Exact(v.Cliff.Pointer()),
					strconv.Itoa(v.Wins), strconv.Itoa(v.Ties), strconv.Itoa(v.Losses),
				})
			}
			if r.Rank != nil {
				copy(row[17:], []string{strconv.Itoa(r.Rank.Low), strconv.Itoa(r.Rank.High)})
			}
			if r.Power != nil {
				copy(row[19:], detectionCells(r.Power))
			}
			s.Rows = append(s.Rows, row)
		}
	}
	return s
}
