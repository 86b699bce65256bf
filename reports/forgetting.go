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

// forgettingAlpha is the level of each of the two one-sided tests of a difference. There is
// no correction: a system is not inferior on all of several collections only if each test
// shows it (intersection-union), and the mean is one more number.
const forgettingAlpha = 0.025

// forgettingPlan is what the plan of an experiment asks of its trained systems.
type forgettingPlan struct {
	Experiment string `json:"experiment"`
	results.Forgetting
}

// forgettingPlans lists what the plans of experiments ask of forgetting.
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

// forgettingJudgement is a system against its start on one collection, or on the mean of all.
type forgettingJudgement struct {
	System     *scores.System
	Start      *scores.System // nil where there is none
	Collection string         // "" of the mean
	Seeds      int            // training runs with values
	Why        string         // why nothing is judged; "" where something is
	Verdict    stats.Noninferiority
	Notes      []string

	*contrast.Contrast // nil where nothing was compared
	before, after      scores.Cell
}

// judgeForgetting compares each trained system of an experiment with its start on
// collections that its training was not about: it is not inferior by more than the plan's
// margin, inferior, or undecided. Judgements are ordered by system, then start, then the
// collections in the order of the plan, then their mean.
func judgeForgetting(v *scores.Set, asked forgettingPlan) []*forgettingJudgement {
	var all []*forgettingJudgement
	for _, s := range v.Systems {
		if s.Kind != table.Trained || !isOf(s, asked) {
			continue
		}
		starts := startsOf(v, s)
		if len(starts) == 0 {
			all = append(all, &forgettingJudgement{System: s, Why: "its start is not there: the baseline " + results.Untrained + " of its settings"})
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

// isOf says whether a system is one of an experiment, or was evaluated on all of its
// collections.
func isOf(s *scores.System, asked forgettingPlan) bool {
	return slices.ContainsFunc(s.Trials, func(t *scores.Trial) bool {
		return t.Experiment == asked.Experiment || !slices.ContainsFunc(asked.Collections, func(name string) bool { return t.Shown[name] == "" })
	})
}

// startsOf lists what a system started from: the untrained systems of its settings, and
// its backbone as its card says, where that was run.
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

// isStart says whether a system was trained from an untrained one: it has all of its
// settings but those that only one of them has.
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
		mean.Why = "real and synthetic data share no mean"
	default:
		mean.compare(v, meanOf(parts))
	}
	return append(all, mean)
}

// numberOf is the measure of a collection as a system was scored on it: over the headline
// task where there is one, else over all tasks that have it; of pairs the original side.
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

// meanOf is the mean of collections, which weigh alike whatever their tasks and queries.
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

// judge says what the test allows to say.
func (j *forgettingJudgement) judge(asked forgettingPlan) {
	switch {
	case j.Contrast == nil:
	case j.Contrast.Why != "":
		j.Why = j.Contrast.Why
	case j.Seeds < contrast.LeastRuns:
		j.Why = fmt.Sprintf("%s: how training runs vary takes %d seeds", words.Plural(j.Seeds, "training run", "training runs"), contrast.LeastRuns)
	default:
		j.Verdict = inDirection(j.Estimate, j.On.Direction()).Noninferiority(asked.Margin, forgettingAlpha)
	}
}

// inDirection turns a difference so that more is better.
func inDirection(e stats.Estimate, d metrics.Direction) stats.Estimate {
	e.Value, e.Values = d.Oriented(e.Value), slices.Clone(e.Values)
	for i := range e.Values {
		e.Values[i] = d.Oriented(e.Values[i])
	}
	return e
}
