package command

import (
	"fmt"
	"slices"
	"strconv"

	"infbench/bench/output"
	"infbench/internal/words"
	"infbench/metrics"
	"infbench/metrics/stats"
)

// detectionFields are the CSV columns of a detection.
var detectionFields = []string{
	"seeds_base", "seeds", "sd_queries", "sd_seeds", "sd_rest", "chance", "alpha", "smallest_difference",
	"difference", "queries_needed", "seeds_needed", "p_tukey_hsd", "variance_cut",
}

func detectionCells(d *detection) []string {
	digits := func(v float64) string { return output.Exact(&v) }
	return []string{
		strconv.Itoa(d.Seeds[0]), strconv.Itoa(d.Seeds[1]), digits(d.OverQueries), digits(d.OverSeeds), digits(d.Rest), digits(d.Chance),
		digits(d.Alpha), output.Exact(d.Smallest.Pointer()), digits(d.Difference), output.Exact(d.Queries.Pointer()), output.Exact(d.EachSeeds.Pointer()), digits(d.P), strconv.FormatBool(d.Cut),
	}
}

// powerSheet lays out the power of the comparisons; with columns for seeds only if a system
// has several.
func powerSheet(c *comparison, p comparisonPlan) output.Sheet {
	compared := c.Runs[1:]
	seeded := slices.ContainsFunc(compared, func(r comparedRun) bool { return max(r.Power.Seeds[0], r.Power.Seeds[1]) > 1 })
	s := output.Sheet{
		Title: fmt.Sprintf("%s: the smallest true difference found in %g%% of cases%s", c.Measure, 100*p.Power, scaleWords(metrics.Scale(c.Measure))),
		Left:  1,
		Notes: powerNotes(c, p, seeded),
	}
	scale := metrics.Scale(c.Measure)
	sd := func(of func(*detection) float64) func(*detection) string {
		return func(d *detection) string { return words.Fixed(scale*of(d), 2) }
	}
	column := func(shown bool, name string, cell func(*detection) string) {
		if !shown {
			return
		}
		s.Head = append(s.Head, name)
		for i, r := range compared {
			s.Rows[i] = append(s.Rows[i], cell(r.Power))
		}
	}
	s.Head = []string{"run"}
	for _, r := range compared {
		s.Rows = append(s.Rows, []string{r.Run})
	}
	column(seeded, "seeds", func(d *detection) string { return fmt.Sprintf("%d, base %d", d.Seeds[1], d.Seeds[0]) })
	column(true, "sd queries", sd(func(d *detection) float64 { return d.OverQueries }))
	column(seeded, "sd seeds", sd(func(d *detection) float64 { return d.OverSeeds }))
	column(seeded, "sd rest", sd(func(d *detection) float64 { return d.Rest }))
	column(true, "smallest", func(d *detection) string { return d.Smallest.Times(scale).Format(2) })
	column(p.Difference > 0, fmt.Sprintf("queries for %g", scale*p.Difference), func(d *detection) string { return countOrNone(d.Queries) })
	column(p.Difference > 0 && seeded, fmt.Sprintf("seeds for %g", scale*p.Difference), func(d *detection) string { return countOrNone(d.EachSeeds) })
	column(true, "p (Tukey HSD)", func(d *detection) string { return fmt.Sprintf("%.2g", d.P) })
	return s
}

// countOrNone formats a count, or reports that no number suffices.
func countOrNone(n stats.Number) string {
	if _, ok := n.Get(); !ok {
		return "none suffice"
	}
	return n.Format(0)
}

// powerNotes names the test and lists the assumptions.
func powerNotes(c *comparison, p comparisonPlan, seeded bool) []string {
	found := fmt.Sprintf("found: two-sided t test at level %.3g", c.Runs[1].Power.Alpha)
	if n := p.Family(len(c.Runs)); n > 1 {
		found += fmt.Sprintf(" (%g over %d comparisons)", p.Alpha, n)
	}
	found += " over queries"
	if seeded {
		found += ", and over seeds if there are several (Satterthwaite's degrees of freedom)"
	}
	notes := []string{found, "sd is of the difference from " + c.Runs[0].Run + "; p: two-way Tukey HSD over all pairs, queries as blocks"}
	which := func(note string, holds func(*detection) bool) {
		var names []string
		for _, r := range c.Runs[1:] {
			if holds(r.Power) {
				names = append(names, r.Run)
			}
		}
		if len(names) > 0 {
			notes = append(notes, note+firstNames(names))
		}
	}
	which("one side has a single run, so its variance over seeds is unknown and not counted: ", func(d *detection) bool { return min(d.Seeds[0], d.Seeds[1]) == 1 })
	which("a negative variance estimate counts as zero: ", func(d *detection) bool { return d.Cut })
	return notes
}
