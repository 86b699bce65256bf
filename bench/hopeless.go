package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"infbench/bench/results"
	"infbench/bench/spec"
	"infbench/datasets/atomicfile"
)

// hopelessWatch looks at a cell while it is trained and ends it once it cannot
// become the best (see hopeless_rule.go). Whether and when it does depends on which
// cells have finished by then, so on the order and the number of workers: two runs
// of one plan may stop different cells. Numbers do not: a cell that is not stopped
// gives what it gives without the watch.
type hopelessWatch struct {
	dir   string // of the run
	plan  *spec.Plan
	trial *spec.Trial

	best   float64 // of the looks so far
	values map[string]*float64
}

// newHopelessWatch is nil where the plan does not ask for it.
func newHopelessWatch(dir string, plan *spec.Plan, t *spec.Trial) *hopelessWatch {
	if !plan.Stop.Given() || t.Cell.Model != spec.Trained {
		return nil
	}
	return &hopelessWatch{dir: dir, plan: plan, trial: t}
}

// hopelessError ends the training of a cell that cannot become the best.
type hopelessError struct{ results.Halt }

func (e hopelessError) Error() string { return e.Halt.Words() }

// look judges the cell after a step of so many, by what held-out queries say.
func (h *hopelessWatch) look(step, steps int, scores []results.Result, value float64) error {
	if h == nil || step >= steps {
		return nil
	}
	if h.values == nil || value > h.best {
		h.best, h.values = value, byQuery(scores)
	}
	rivals, err := h.rivals(float64(step) / float64(steps))
	if err != nil {
		return err
	}
	every := h.trial.Cell.Train.EvaluateEvery
	v := judge(h.values, rivals, (steps-1)/every, h.plan.Stop.Alpha)
	if !v.hopeless {
		return nil
	}
	return hopelessError{results.Halt{
		Step: step, Steps: steps, Rival: v.rival, Queries: v.queries,
		Difference: v.difference, Upper: v.upper, Gain: v.gain, Rivals: len(rivals), Alpha: h.plan.Stop.Alpha,
	}}
}

// rivals reads the finished cells that compete with this one: those that selection
// would choose from, validated on the same queries.
func (h *hopelessWatch) rivals(share float64) ([]rival, error) {
	var out []rival
	for i := range h.plan.Trials {
		t := &h.plan.Trials[i]
		if t.ID == h.trial.ID || t.Cell.Model != spec.Trained || h.group(t) != h.group(h.trial) {
			continue
		}
		var done results.Trial
		if err := results.ReadTrial(trialDir(h.dir, t.ID), &done); errors.Is(err, results.ErrDamaged) || errors.Is(err, fs.ErrNotExist) {
			continue // it runs again, and is no measure until then
		} else if err != nil {
			return nil, err
		}
		if done.State != results.Done || len(done.Validation) == 0 {
			continue
		}
		mean, undefined := validationValue(done.Validation)
		if gain, known := gainFrom(done.Evaluations, share); known && undefined == nil {
			out = append(out, rival{t.ID, byQuery(done.Validation), mean, gain})
		}
	}
	return out, nil
}

// group is what cells compete for, and on which queries.
func (h *hopelessWatch) group(t *spec.Trial) string {
	per := h.plan.Select.Per
	if len(per) == 0 {
		per = []string{"backbone"}
	}
	return fmt.Sprint(groupOf(&t.Cell, per), "\x00", t.Cell.Data, "\x00", t.Cell.Validate)
}

// byQuery names the values of held-out queries; a query can have several, of its
// sides.
func byQuery(scores []results.Result) map[string]*float64 {
	values := map[string]*float64{}
	for _, r := range scores {
		values[fmt.Sprint(r.Task, "\x00", r.Side, "\x00", r.Query)] = r.Value
	}
	return values
}

// gainFrom is how much the best weights of a finished cell gained from a share of
// its training to the end; false where it was not judged by then.
func gainFrom(evaluations []results.Evaluation, share float64) (float64, bool) {
	if len(evaluations) == 0 {
		return 0, false
	}
	last := float64(evaluations[len(evaluations)-1].Step)
	then, top, known := 0.0, evaluations[0].Value, false
	for _, e := range evaluations {
		top = max(top, e.Value)
		if float64(e.Step) <= share*last+1e-9 && (!known || e.Value > then) {
			then, known = e.Value, true
		}
	}
	return top - then, known
}

// stayStopped says whether a trial was stopped as hopeless and the plan still asks
// for that. Where it does not, the mark goes, and the trial goes on from its
// checkpoint.
func stayStopped(fsys atomicfile.FS, dir string, plan *spec.Plan, id string) (bool, error) {
	if !isStopped(dir, id) {
		return false, nil
	}
	if plan.Stop.Given() {
		return true, nil
	}
	return false, results.Resume(fsys, trialDir(dir, id))
}

// isStopped says whether a trial has the mark of a hopeless one.
func isStopped(dir, id string) bool {
	_, err := results.ReadHalt(trialDir(dir, id))
	return err == nil
}

// sortedKeys lists the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
