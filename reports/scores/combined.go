package scores

import (
	"fmt"
	"slices"

	"infbench/internal/words"
	"infbench/reports/published"
)

// Combination is a number that others publish as a mean of numbers, as this program
// measures it.
type Combination struct {
	Number
	As published.Combination
}

// Combinations lists those of a benchmark that a trial has all parts of. Generated
// data has none, whatever its name.
func (v *Set) Combinations(name string) []Combination {
	b := v.Benchmarks[name]
	if b.Synthetic {
		return nil
	}
	var out []Combination
	for _, as := range published.Combinations(b.Name) {
		c := Number{Benchmark: name, Side: as.Side, Measure: as.Called(), Name: as.Title}
		whole := true
		for _, p := range as.Parts {
			s := v.stratum(name, p)
			whole = whole && len(s.Slots) > 0
			c.Parts = append(c.Parts, s)
			for _, at := range s.Slots {
				c.Tasks = append(c.Tasks, at.Task)
			}
		}
		if whole && v.attained(c) {
			out = append(out, Combination{c, as})
		}
	}
	return out
}

// stratum is what was measured of a published task.
func (v *Set) stratum(name string, p published.Part) Stratum {
	s := Stratum{Name: p.Task}
	for _, at := range v.Slots {
		if at.Benchmark == name && at.Side == p.Side && at.Measure == p.Measure && v.publishedTask(at) == p.Task {
			s.Slots = append(s.Slots, at)
		}
	}
	return s
}

// attained reports whether some trial has everything that a number is a mean of.
func (v *Set) attained(c Number) bool {
	slots := c.Slots()
	return slices.ContainsFunc(v.Trials, func(t *Trial) bool {
		return !slices.ContainsFunc(slots, func(at Slot) bool { _, has := t.Scores[at]; return !has })
	})
}

// groups are what a task is averaged under, outermost first; nil where they were
// not recorded or there are none.
func (v *Set) groups(at Slot) []string { return v.Benchmarks[at.Benchmark].Groups[at.Task] }

// publishedTask is what a task is published as: a split as the task that it is of.
func (v *Set) publishedTask(at Slot) string { return v.Benchmarks[at.Benchmark].Published(at.Task) }

// grouped reports whether it is known of each task of a number what it is averaged
// under.
func (v *Set) grouped(c Number) bool {
	return !slices.ContainsFunc(c.Slots(), func(at Slot) bool { return len(v.groups(at)) < 2 })
}

// strata puts slots of one published task together, in the order of their first.
func (v *Set) strata(slots []Slot) []Stratum {
	var out []Stratum
	places := map[Slot]int{}
	for _, at := range slots {
		key := at
		key.Task = v.publishedTask(at)
		i, known := places[key]
		if !known {
			i = len(out)
			places[key] = i
			out = append(out, Stratum{Name: key.Task})
		}
		out[i].Slots = append(out[i].Slots, at)
	}
	return out
}

// groupMeans are the averages of a benchmark whose tasks are in domains: the mean
// over its published tasks, that over its queries, and that over the tasks of each
// domain. What no trial has all tasks of is left out; where that is everything the
// number stays as it is.
func (v *Set) groupMeans(c Number) []Number {
	all := v.strata(c.Slots())
	if len(all) == 1 {
		return c.over(all).Each()
	}
	mean := c.over(all)
	mean.Name = meanOf(len(all))
	queries := mean
	queries.Name, queries.ByQuery = "mean by queries", true
	out := append([]Number{mean, queries}, v.domainMeans(c, all)...)
	out = slices.DeleteFunc(out, func(c Number) bool { return !v.attained(c) })
	if len(out) == 0 {
		return []Number{c}
	}
	return out
}

// domainMeans are the means over the tasks of each domain; none where there is one.
func (v *Set) domainMeans(c Number, all []Stratum) []Number {
	var domains []string
	of := map[string][]Stratum{}
	for _, s := range all {
		domain := v.groups(s.Slots[0])[0]
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

// over is the number over these strata only.
func (c Number) over(strata []Stratum) Number {
	c.Parts, c.Tasks = strata, nil
	for _, s := range strata {
		for _, at := range s.Slots {
			c.Tasks = append(c.Tasks, at.Task)
		}
	}
	return c
}

// Means lists what is averaged over several tasks of a benchmark: each task of
// several splits, then the columns of leaderboards.
func (v *Set) Means(name string) []Number {
	var splits, columns []Number
	for _, c := range v.MainColumns(name) {
		if len(c.Tasks) < 2 && c.Name == "" {
			continue
		}
		for _, one := range c.Each() {
			if len(one.Tasks) > 1 && !slices.ContainsFunc(splits, one.Same) {
				splits = append(splits, one)
			}
		}
		if !slices.ContainsFunc(splits, c.Same) {
			columns = append(columns, c)
		}
	}
	return append(splits, columns...)
}

// MeansNotes says how the means of columns weigh splits and tasks, and where what
// tasks are averaged under is not recorded.
func (v *Set) MeansNotes(columns []Number) []string {
	var out []string
	for _, c := range columns {
		b := v.Benchmarks[c.Benchmark]
		switch {
		case slices.ContainsFunc(c.Parts, func(s Stratum) bool { return len(s.Slots) > 1 }):
			out = words.AddNew(out, fmt.Sprintf("For %s a task of several splits is the mean over all of their queries.", c.Benchmark))
		case len(c.Tasks) > 1 && c.Name == "" && published.Grouped(b.Name) && !v.grouped(c):
			out = words.AddNew(out, fmt.Sprintf("For %s groups of tasks are not recorded: each split counts as a task, which is not what is published.", c.Benchmark))
		}
		if c.ByQuery {
			out = words.AddNew(out, fmt.Sprintf("For %s the mean by queries counts every query alike.", c.Benchmark))
		}
	}
	return out
}
