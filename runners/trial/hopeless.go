package trial

import (
	"errors"
	"fmt"
	"io/fs"

	"infbench/metrics"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/spec"
)

// HopelessWatch watches a trial during its training and ends it once it cannot become the best
// (see runs.JudgeTrial). The decision depends on the trials that have finished by then, so on
// the order and the number of workers: two runs of one plan may stop different trials. It does
// not affect numbers: a trial that is not stopped has the same values without the watch.
type HopelessWatch struct {
	run   runs.Folder
	plan  *spec.Plan
	trial *spec.Trial

	best   float64 // so far
	values map[string]*float64
}

// NewHopelessWatch returns nil if the plan does not ask for a watch.
func NewHopelessWatch(run runs.Folder, plan *spec.Plan, t *spec.Trial) *HopelessWatch {
	if !plan.Stop.Given() || t.Cell.Model != spec.Trained {
		return nil
	}
	return &HopelessWatch{run: run, plan: plan, trial: t}
}

// hopelessError ends the training of a trial that cannot become the best.
type hopelessError struct{ results.Halt }

func (e hopelessError) Error() string { return e.Halt.Words() }

// look judges the trial after a step by its values on held-out queries. better is the direction
// in which these values improve.
func (h *HopelessWatch) look(better metrics.Direction, step, steps int, scores []results.Result, value float64) error {
	if h == nil || step >= steps {
		return nil
	}
	if h.values == nil || better.Better(value, h.best) {
		h.best, h.values = value, runs.ValidationByQuery(scores)
	}
	rivals, err := h.rivals(better, float64(step)/float64(steps))
	if err != nil {
		return err
	}
	every := h.trial.Cell.Train.EvaluateEvery
	v := runs.JudgeTrial(better, h.values, rivals, (steps-1)/every, h.plan.Stop.Alpha)
	if !v.Hopeless {
		return nil
	}
	return hopelessError{results.Halt{
		Step: step, Steps: steps, Rival: v.Rival, Queries: v.Queries,
		Difference: v.Difference, Upper: v.Upper, Gain: v.Gain, Rivals: len(rivals), Alpha: h.plan.Stop.Alpha,
	}}
}

// rivals reads the finished trials that compete with this one: those from which selection would
// choose, validated on the same queries.
func (h *HopelessWatch) rivals(better metrics.Direction, share float64) ([]runs.Rival, error) {
	var out []runs.Rival
	for i := range h.plan.Trials {
		t := &h.plan.Trials[i]
		if t.ID == h.trial.ID || t.Cell.Model != spec.Trained || h.group(t) != h.group(h.trial) {
			continue
		}
		var done results.Trial
		if err := h.run.Trial(t.ID).Reader().Trial(&done); errors.Is(err, results.ErrDamaged) || errors.Is(err, fs.ErrNotExist) {
			continue // it will run again, and does not count until then
		} else if err != nil {
			return nil, err
		}
		if done.State != results.Done || len(done.Validation) == 0 {
			continue
		}
		mean, undefined := runs.ValidationValue(done.Validation)
		if gain, known := runs.GainFrom(better, done.Evaluations, share); known && undefined == nil {
			out = append(out, runs.Rival{ID: t.ID, Values: runs.ValidationByQuery(done.Validation), Mean: mean, Gain: gain})
		}
	}
	return out, nil
}

// group identifies the trials that compete with each other, and their queries.
func (h *HopelessWatch) group(t *spec.Trial) string {
	per := h.plan.Select.Per
	if len(per) == 0 {
		per = []string{"backbone"}
	}
	return fmt.Sprint(runs.SelectionGroup(&t.Cell, per), "\x00", t.Cell.Data, "\x00", t.Cell.Validate)
}
