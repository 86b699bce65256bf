package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"infbench/metrics/stats"
)

// detection is what comparing a system with the baseline can show by one measure.
// The deviations are of the difference between the two.
type detection struct {
	Seeds       [2]int       `json:"seeds"` // runs of the baseline and of the system
	OverQueries float64      `json:"sd_queries"`
	OverSeeds   float64      `json:"sd_seeds"`
	Rest        float64      `json:"sd_rest"` // of queries with seeds, where there are several
	Chance      float64      `json:"chance"`  // that the smallest difference is found,
	Alpha       float64      `json:"alpha"`   // which is at this level
	Smallest    stats.Number `json:"smallest_difference"`
	Difference  float64      `json:"difference,omitempty"` // that was asked for, and what it needs; null: none suffice
	Queries     stats.Number `json:"queries_needed"`
	EachSeeds   stats.Number `json:"seeds_needed"`
	P           float64      `json:"p_tukey_hsd"`
	Cut         bool         `json:"variance_cut"` // an estimate was below 0 and counts as 0
}

// detectionFields name the cells of a detection in CSV.
var detectionFields = []string{
	"seeds_base", "seeds", "sd_queries", "sd_seeds", "sd_rest", "chance", "alpha", "smallest_difference",
	"difference", "queries_needed", "seeds_needed", "p_tukey_hsd", "variance_cut",
}

func (d *detection) cells() []string {
	digits := func(v float64) string { return exact(stats.Defined(v)) }
	return []string{
		strconv.Itoa(d.Seeds[0]), strconv.Itoa(d.Seeds[1]), digits(d.OverQueries), digits(d.OverSeeds), digits(d.Rest), digits(d.Chance),
		digits(d.Alpha), exact(d.Smallest), digits(d.Difference), exact(d.Queries), exact(d.EachSeeds), digits(d.P), strconv.FormatBool(d.Cut),
	}
}

// detect says of each system what comparing it with the first can show, if that is
// asked for: values[system][seed][query], and their means over seeds.
func (c *comparison) detect(o compareOptions, values [][][]float64, means [][]float64) error {
	if o.power == 0 {
		return nil
	}
	pairs, err := stats.TukeyHSD(means) // those with the first system come first
	if err != nil {
		return fmt.Errorf("--power: %w", err)
	}
	alpha := o.plan.Alpha / float64(o.family(len(values)))
	for i := range c.Runs[1:] {
		v, err := stats.SplitDifference(values[0], values[i+1])
		if err != nil {
			return fmt.Errorf("--power: %w", err)
		}
		d := &detection{
			Seeds: v.Seeds, OverQueries: math.Sqrt(v.Topic),
			OverSeeds: math.Hypot(math.Sqrt(v.Seed[0]), math.Sqrt(v.Seed[1])),
			Rest:      math.Hypot(math.Sqrt(v.Interaction[0]), math.Sqrt(v.Interaction[1])),
			Chance:    o.power, Alpha: alpha, Smallest: v.Smallest(v.Seeds, v.Topics, o.power, alpha),
			Difference: o.needed, P: pairs[i].P, Cut: v.Cut,
		}
		if o.needed > 0 {
			d.Queries = counted(v.TopicsNeeded(o.needed, v.Seeds, o.power, alpha))
			d.EachSeeds = counted(v.SeedsNeeded(o.needed, v.Topics, o.power, alpha))
		}
		c.Runs[i+1].Power = d
	}
	return nil
}

// family is how many comparisons share the level of a test.
func (o compareOptions) family(systems int) int {
	switch {
	case o.plan.Test == "tukey":
		return systems * (systems - 1) / 2
	case o.correct == "none":
		return 1
	}
	return systems - 1
}

// counted is a count that may not exist.
func counted(n int, ok bool) stats.Number {
	if !ok {
		return stats.Number{}
	}
	return stats.Defined(float64(n))
}

// powerSheet lays out what the comparisons can show; columns of seeds only where a
// system has several.
func (c *comparison) powerSheet(o compareOptions) sheet {
	compared := c.Runs[1:]
	seeded := slices.ContainsFunc(compared, func(r comparedRun) bool { return max(r.Power.Seeds[0], r.Power.Seeds[1]) > 1 })
	s := sheet{
		title: fmt.Sprintf("%s: the smallest true difference found in %g%% of cases", c.Measure, 100*o.power),
		left:  1,
		notes: c.powerNotes(o, seeded),
	}
	column := func(shown bool, name string, cell func(*detection) string) {
		if !shown {
			return
		}
		s.head = append(s.head, name)
		for i, r := range compared {
			s.rows[i] = append(s.rows[i], cell(r.Power))
		}
	}
	s.head = []string{"run"}
	for _, r := range compared {
		s.rows = append(s.rows, []string{r.Run})
	}
	column(seeded, "seeds", func(d *detection) string { return fmt.Sprintf("%d, base %d", d.Seeds[1], d.Seeds[0]) })
	column(true, "sd queries", func(d *detection) string { return fmt.Sprintf("%.4f", d.OverQueries) })
	column(seeded, "sd seeds", func(d *detection) string { return fmt.Sprintf("%.4f", d.OverSeeds) })
	column(seeded, "sd rest", func(d *detection) string { return fmt.Sprintf("%.4f", d.Rest) })
	column(true, "smallest", func(d *detection) string { return d.Smallest.Format(4) })
	column(o.needed > 0, fmt.Sprintf("queries for %g", o.needed), func(d *detection) string { return orNone(d.Queries) })
	column(o.needed > 0 && seeded, fmt.Sprintf("seeds for %g", o.needed), func(d *detection) string { return orNone(d.EachSeeds) })
	column(true, "p (Tukey HSD)", func(d *detection) string { return fmt.Sprintf("%.2g", d.P) })
	return s
}

// orNone is a count, or that no number suffices.
func orNone(n stats.Number) string {
	if _, ok := n.Get(); !ok {
		return "none suffice"
	}
	return n.Format(0)
}

// powerNotes say by what test a difference is found, and what is not known.
func (c *comparison) powerNotes(o compareOptions, seeded bool) []string {
	found := fmt.Sprintf("found: two-sided t test at level %.3g", c.Runs[1].Power.Alpha)
	if n := o.family(len(c.Runs)); n > 1 {
		found += fmt.Sprintf(" (%g over %d comparisons)", o.plan.Alpha, n)
	}
	found += " over queries"
	if seeded {
		found += ", and over seeds where there are several (Satterthwaite's degrees of freedom)"
	}
	notes := []string{found, "sd: of the difference from " + c.Runs[0].Run + "; p: two-way Tukey HSD over all pairs, queries as blocks"}
	which := func(note string, holds func(*detection) bool) {
		var names []string
		for _, r := range c.Runs[1:] {
			if holds(r.Power) {
				names = append(names, r.Run)
			}
		}
		if len(names) > 0 {
			notes = append(notes, note+some(names))
		}
	}
	which("where one side has one run, how its seeds vary is not known and not counted: ", func(d *detection) bool { return min(d.Seeds[0], d.Seeds[1]) == 1 })
	which("a variance estimated below zero counts as none: ", func(d *detection) bool { return d.Cut })
	return notes
}
