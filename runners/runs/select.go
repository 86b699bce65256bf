package runs

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"infbench/metrics"
	"infbench/runners/results"
	"infbench/runners/spec"
)

// MarkSelected selects the best configuration of each group by the plan's rule, and marks its
// trials. It selects nothing in a group while a trial of it has no results: a choice among the
// trials that happen to be finished could change later. A configuration with a run that was
// stopped as hopeless is out.
func MarkSelected(plan *spec.Plan, exp *results.Experiment) {
	if !plan.Select.Given() {
		return
	}
	groups := map[string]*selection{}
	var order []string
	for i := range plan.Trials {
		c := &plan.Trials[i].Cell
		if c.Model != spec.Trained {
			continue
		}
		key := SelectionGroup(c, plan.Select.Per)
		if groups[key] == nil {
			groups[key] = &selection{how: plan.Select, apart: plan.Forgetting.Names(), of: map[string]*configuration{}}
			order = append(order, key)
		}
		groups[key].add(c, &exp.Trials[i])
	}
	for _, key := range order {
		if why := groups[key].pick(); why != "" {
			exp.Notes = append(exp.Notes, fmt.Sprintf("No configuration is selected for %s: %s.", key, why))
		}
	}
}

// SelectionGroup names the group in which configurations compete: the settings of select.per
// and the world, because another world is another data set.
func SelectionGroup(c *spec.Cell, per []string) string {
	settings := c.Settings()
	var parts []string
	for _, key := range append(slices.Clone(per), results.World) {
		parts = append(parts, key+"="+settings[key])
	}
	return strings.Join(slices.Compact(parts), " ")
}

// selection selects one configuration of a group.
type selection struct {
	how     spec.Select
	apart   []string // benchmarks that do not count for selection: the limit on forgetting applies to them
	order   []string // configurations in plan order
	of      map[string]*configuration
	waiting int
}

// configuration is a competitor: its runs with one seed each.
type configuration struct {
	runs    []*results.Trial
	stopped bool // a run was stopped as hopeless, so the mean of the others would be too good
}

// add adds a trial, which is a run of its configuration with one seed.
func (s *selection) add(c *spec.Cell, t *results.Trial) {
	settings := c.Settings()
	delete(settings, results.Seed)
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		b.WriteString(key + "\x00" + settings[key] + "\x00")
	}
	config := s.of[b.String()]
	if config == nil {
		config = &configuration{}
		s.of[b.String()] = config
		s.order = append(s.order, b.String())
	}
	switch t.State {
	case results.Stopped:
		config.stopped = true
	case results.Done:
		config.runs = append(config.runs, t)
	default:
		s.waiting++
	}
}

// pick marks the runs of the best configuration, the first in plan order among equal ones, or
// returns the reason why it cannot.
func (s *selection) pick() (why string) {
	if s.waiting > 0 {
		return fmt.Sprintf("%d of its trials are not finished", s.waiting)
	}
	var best []*results.Trial
	var better metrics.Direction
	top := 0.0
	measure := s.how.Measure
	for _, key := range s.order {
		config := s.of[key]
		if config.stopped {
			continue
		}
		sum := 0.0
		for _, t := range config.runs {
			value, err := testValue(t.Results, measure, s.apart)
			if s.how.On == spec.OnValidation {
				value, err = ValidationValue(t.Validation)
			}
			if err != nil {
				return fmt.Sprintf("trial %s: %v", t.ID, err)
			}
			if measure == "" {
				measure = t.Validation[0].Measure
			}
			sum += value
		}
		if best == nil { // the measure is known by now
			var err error
			if _, better, err = metrics.ParseSelector(measure); err != nil {
				return err.Error()
			}
		}
		if mean := sum / float64(len(config.runs)); best == nil || better.Better(mean, top) {
			best, top = config.runs, mean
		}
	}
	if best == nil {
		return "a trial of each of its configurations was stopped as hopeless"
	}
	for _, t := range best {
		t.Selection = results.Selection{On: s.how.On, Measure: measure, Among: len(s.order), Per: strings.Join(s.how.Per, ",")}
	}
	return ""
}

// headline is the task that represents its benchmark in reports.
const headline = "headline"

// testValue returns the mean of a measure over queries, then over tasks and sides. For a
// benchmark with a headline task only that task counts, as in reports. Benchmarks in apart do
// not count.
func testValue(scores []results.Result, measure string, apart []string) (float64, error) {
	headlines := map[string]bool{}
	for _, r := range scores {
		headlines[r.Benchmark] = headlines[r.Benchmark] || r.Task == headline
	}
	asked := slices.DeleteFunc(slices.Clone(scores), func(r results.Result) bool {
		return r.Measure != measure || slices.Contains(apart, r.Benchmark) || headlines[r.Benchmark] && r.Task != headline
	})
	if len(asked) == 0 {
		return 0, fmt.Errorf("it was not scored by %s", measure)
	}
	for _, scoring := range results.ByScoring(asked) {
		if _, defined := results.Mean(scoring); defined == 0 {
			return 0, fmt.Errorf("%s of %s/%s is undefined", measure, scoring[0].Benchmark, scoring[0].Task)
		}
	}
	return ValidationValue(asked)
}

// ValidationValue returns the mean over held-out queries, then over tasks and sides, so that
// all count alike whatever their size.
func ValidationValue(scores []results.Result) (float64, error) {
	sum, n := 0.0, 0
	for _, scoring := range results.ByScoring(scores) {
		if mean, defined := results.Mean(scoring); defined > 0 {
			sum, n = sum+mean, n+1
		}
	}
	if n == 0 {
		return 0, errors.New("validate: the measure is undefined for every held-out query")
	}
	return sum / float64(n), nil
}
