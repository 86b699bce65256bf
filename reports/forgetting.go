package reports

import (
	"fmt"
	"slices"

	"infbench/internal/words"
	"infbench/metrics"
	"infbench/metrics/stats"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/table"
	"infbench/runners/results"
	"infbench/training/setting"
)

// forgettingAlpha is the level of each of the two one-sided tests of a difference. There
// is no correction: a system is non-inferior on all of several collections only if each
// test shows it (intersection-union), and the mean is one more number.
const forgettingAlpha = 0.025

// forgettingPlan is the forgetting trial in the plan of an experiment.
type forgettingPlan struct {
	Experiment string `json:"experiment"`
	results.Forgetting
}

// forgettingPlans lists the forgetting trials in the plans of experiments.
func forgettingPlans(exps []*results.Experiment) []forgettingPlan {
	var out []forgettingPlan
	for _, e := range exps {
		if e.Forgetting == nil {
			continue
		}
		a := forgettingPlan{words.Clean(e.Name), *e.Forgetting}
		a.Measure, a.Collections = words.Clean(a.Measure), words.CleanAll(a.Collections)
		if !slices.ContainsFunc(out, func(o forgettingPlan) bool { return o.Experiment == a.Experiment }) {
			out = append(out, a)
		}
	}
	return out
}

// forgettingJudgement compares a system with its start on one collection, or on the mean
// of all.
type forgettingJudgement struct {
	System     *scores.System
	Start      *scores.System // nil if there is none
	Collection string         // "" for the mean
	Seeds      int            // training runs with values
	Why        string         // reason if nothing is judged, else ""
	Verdict    stats.Noninferiority
	Notes      []string

	*contrast.Contrast // nil if nothing was compared
	before, after      scores.Cell
}

// judgeForgetting compares each trained system of an experiment with its start, on
// collections outside its training. The verdict is not inferior (by more than the plan's
// margin), inferior, or undecided. Judgements are sorted by system, then start, then the
// plan's order of collections, then their mean.
func judgeForgetting(v *scores.Set, asked forgettingPlan) []*forgettingJudgement {
	var all []*forgettingJudgement
	for _, s := range v.Systems {
		if s.Kind != table.Trained || !isOf(s, asked) {
			continue
		}
		starts := startsOf(v, s)
		if len(starts) == 0 {
			all = append(all, &forgettingJudgement{System: s, Why: "its start was not run: the baseline " + results.Untrained + " with its settings"})
		}
		for _, start := range starts {
			all = append(all, judgeAgainst(v, asked, s, start)...)
		}
	}
	var family contrast.Family
	for _, j := range all {
		if j.Contrast != nil {
			family.Contrasts = append(family.Contrasts, j.Contrast)
		}
	}
	family.Test(v)
	for _, j := range all {
		j.judge(asked)
	}
	return all
}

// isOf reports whether a system belongs to an experiment, or was evaluated on all of its
// collections.
func isOf(s *scores.System, asked forgettingPlan) bool {
	return slices.ContainsFunc(s.Trials, func(t *scores.Trial) bool {
		return t.Experiment == asked.Experiment || !slices.ContainsFunc(asked.Collections, func(name string) bool { return t.Shown[name] == "" })
	})
}

// startsOf lists the starts of a system: the untrained systems with its settings, and the
// backbone named on its card if that was run.
func startsOf(v *scores.Set, s *scores.System) []*scores.System {
	var out []*scores.System
	for _, r := range v.Systems {
		untrained := r.Model == results.Untrained && isStart(r.Config(), s.Config())
		published := r.Model == s.Config()[results.Backbone] && r.Config()[results.World] == s.Config()[results.World]
		if r.Kind != table.Trained && (untrained || published) {
			out = append(out, r)
		}
	}
	return out
}

// isStart reports whether a system was trained from an untrained one: both have the same
// settings, except those that only one of them can have.
func isStart(start, trained map[string]string) bool {
	for key, value := range start {
		if !slices.Contains([]string{results.Model, results.Seed, results.Similarity, results.Tasks}, key) && trained[key] != value {
			return false
		}
	}
	return !slices.ContainsFunc(results.Keys(), func(k results.Key) bool {
		return k.Group == setting.OfDesign && trained[k.Name] != start[k.Name]
	})
}

// judgeAgainst compares a system with one start.
func judgeAgainst(v *scores.Set, asked forgettingPlan, s, start *scores.System) []*forgettingJudgement {
	var all []*forgettingJudgement
	var parts []scores.Number
	for _, name := range asked.Collections {
		j := &forgettingJudgement{System: s, Start: start, Collection: name}
		all = append(all, j)
		on, ok := numberOf(v, s, name, asked.Measure)
		if !ok {
			j.Why = "no value of " + asked.Measure + " yet"
			continue
		}
		j.compare(v, on)
		parts = append(parts, on)
	}
	if len(all) == 1 {
		return all
	}
	mean := &forgettingJudgement{System: s, Start: start}
	switch realms := realmsOf(v, parts); {
	case len(parts) < len(all):
		mean.Why = "not all collections have values"
	case len(realms) > 1:
		mean.Why = "no mean over real and synthetic data"
	default:
		mean.compare(v, meanOf(parts))
	}
	return append(all, mean)
}

// numberOf returns the number for a measure of a collection on which a system was scored:
// over the headline task if there is one, else over all tasks that have it. For pairs it
// is the original side.
func numberOf(v *scores.Set, s *scores.System, name, measure string) (scores.Number, bool) {
	display := ""
	for _, t := range s.Trials {
		if display == "" {
			display = t.Shown[name]
		}
	}
	on := scores.Number{Benchmark: display, Measure: measure}
	for _, side := range []string{"", "original"} {
		on.Side = side
		for _, at := range v.Slots {
			if at.Benchmark == display && at.Side == side && at.Measure == measure {
				on.Tasks = words.AddNew(on.Tasks, at.Task)
			}
		}
		if len(on.Tasks) > 0 {
			break
		}
	}
	if slices.Contains(on.Tasks, scores.HeadlineTask) {
		on.Tasks = []string{scores.HeadlineTask}
	}
	return on, display != "" && len(on.Tasks) > 0
}

// meanOf returns the mean of collections. Each has the same weight, independent of its
// tasks and queries.
func meanOf(parts []scores.Number) scores.Number {
	mean := scores.Number{Measure: parts[0].Measure, Name: fmt.Sprintf("mean of %d collections", len(parts))}
	for _, on := range parts {
		strata := on.Strata()
		for _, s := range strata {
			mean.Parts, mean.Shares = append(mean.Parts, s), append(mean.Shares, 1/float64(len(parts)*len(strata)))
			mean.Tasks = append(mean.Tasks, s.Slots[0].Test())
		}
	}
	return mean
}

// realmsOf lists the realms of some numbers.
func realmsOf(v *scores.Set, parts []scores.Number) (out []scores.Realm) {
	for _, on := range parts {
		out = words.AddNew(out, v.Benchmarks[on.Benchmark].Realm())
	}
	return out
}

// compare sets up the test on a number.
func (j *forgettingJudgement) compare(v *scores.Set, on scores.Number) {
	j.before, j.after = v.Cell(j.Start, on), v.Cell(j.System, on)
	j.Seeds = j.after.Trials
	switch {
	case !j.after.State.Valued():
		j.Why = "no value yet"
	case !j.before.State.Valued():
		j.Why = "its start has no value yet"
	default:
		j.Contrast = &contrast.Contrast{A: j.Start, B: j.System, On: on, From: v.LinkTo("", j.System.Trials, on)}
		j.From.Against = v.Link("", j.Start.Trials, nil).Trials
	}
	if j.after.State == scores.Partial {
		j.Notes = append(j.Notes, j.after.Remark())
	}
}

// judge sets the verdict from the test.
func (j *forgettingJudgement) judge(asked forgettingPlan) {
	switch {
	case j.Contrast == nil:
	case j.Contrast.Why != "":
		j.Why = j.Contrast.Why
	case j.Seeds < contrast.LeastRuns:
		j.Why = fmt.Sprintf("%s: an estimate of how runs vary needs %d seeds", words.Plural(j.Seeds, "training run", "training runs"), contrast.LeastRuns)
	default:
		j.Verdict = inDirection(j.Estimate, j.On.Direction()).Noninferiority(asked.Margin, forgettingAlpha)
	}
}

// inDirection turns a difference so that higher is better.
func inDirection(e stats.Estimate, d metrics.Direction) stats.Estimate {
	e.Value, e.Values = d.Oriented(e.Value), slices.Clone(e.Values)
	for i := range e.Values {
		e.Values[i] = d.Oriented(e.Values[i])
	}
	return e
}
