package scores

import (
	"fmt"
	"slices"

	"infbench/internal/words"
	"infbench/reports/published"
)

// Combination is a published mean of several numbers, computed from the measured ones.
type Combination struct {
	Number
	As published.Combination
}

// Combinations lists the combinations of the benchmark for which a trial has all parts.
// Generated data has none, whatever its name.
func (b *Columns) Combinations() []Combination {
	if b.about().Synthetic {
		return nil
	}
	var out []Combination
	for _, as := range published.Combinations(b.about().Name) {
		c := Number{Benchmark: b.name, Side: as.Side, Measure: as.Called(), Name: as.Title}
		whole := true
		for _, p := range as.Parts {
			s := b.stratum(p)
			whole = whole && len(s.Slots) > 0
			c.Parts = append(c.Parts, s)
			for _, at := range s.Slots {
				c.Tasks = append(c.Tasks, at.Task)
			}
		}
		if whole && b.attained(c) {
			out = append(out, Combination{c, as})
		}
	}
	return out
}

// stratum returns the measured slots of a published task.
func (b *Columns) stratum(p published.Part) Stratum {
	s := Stratum{Name: p.Task}
	for _, at := range b.slots {
		if at.Side == p.Side && at.Measure == p.Measure && b.benchmarks.published(at) == p.Task {
			s.Slots = append(s.Slots, at)
		}
	}
	return s
}

// attained reports whether some trial has all parts of a number.
func (b *Columns) attained(c Number) bool {
	slots := c.Slots()
	return slices.ContainsFunc(b.trials, func(t *Trial) bool {
		return !slices.ContainsFunc(slots, func(at Slot) bool { _, has := t.Scores[at]; return !has })
	})
}

// groupMeans returns the means of a benchmark whose tasks are in domains: the mean over
// its published tasks, the mean over its queries, and the mean over the tasks of each
// domain. Means whose tasks no trial has completely are left out. If none is left, the
// number is returned unchanged.
func (b *Columns) groupMeans(c Number) []Number {
	all := b.benchmarks.strata(c.Slots())
	if len(all) == 1 {
		return c.over(all).Each()
	}
	mean := c.over(all)
	mean.Name = meanOf(len(all))
	queries := mean
	queries.Name, queries.ByQuery = "mean by queries", true
	out := append([]Number{mean, queries}, b.domainMeans(c, all)...)
	out = slices.DeleteFunc(out, func(c Number) bool { return !b.attained(c) })
	if len(out) == 0 {
		return []Number{c}
	}
	return out
}

// domainMeans returns the means over the tasks of each domain; nil if there is only one.
func (b *Columns) domainMeans(c Number, all []Stratum) []Number {
	var domains []string
	of := map[string][]Stratum{}
	for _, s := range all {
		domain := b.benchmarks.groups(s.Slots[0])[0]
		domains = words.AddNew(domains, domain)
		of[domain] = append(of[domain], s)
	}
	if len(domains) == 1 {
		return nil
	}
	var out []Number
	for _, domain := range domains {
		mean := c.over(of[domain])
		mean.Name = fmt.Sprintf("%s, %s", domain, words.Plural(len(of[domain]), "task", "tasks"))
		out = append(out, mean)
	}
	return out
}

// over returns the number over these strata only.
func (c Number) over(strata []Stratum) Number {
	c.Parts, c.Tasks = strata, nil
	for _, s := range strata {
		for _, at := range s.Slots {
			c.Tasks = append(c.Tasks, at.Task)
		}
	}
	return c
}
