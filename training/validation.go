package training

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/gomlx/ml/model"

	"infbench/training/encoder/safetensors"
)

// Evaluation is what OnEvaluate said of the weights after a step.
type Evaluation struct {
	Step  int     `json:"step"`
	Value float64 `json:"value"`
}

// validation evaluates weights while they are trained, keeps a copy of the best
// and says when to stop. A nil evaluate never does anything.
type validation struct {
	every, patience int
	evaluate        func(step int) (float64, error)
	better          func(a, b float64) bool
	store           *model.Store

	done    []Evaluation
	weights []safetensors.Tensor // the best so far
	file    tensorFile           // where a checkpoint holds them; empty: nowhere yet
}

// after evaluates where it is time to, always after the last step.
func (v *validation) after(step, steps int) error {
	if v.every == 0 || step%v.every != 0 && step != steps {
		return nil
	}
	value, err := v.evaluate(step)
	if err == nil && !finite(value) {
		err = fmt.Errorf("the value is %v", value)
	}
	if err != nil {
		return fmt.Errorf("evaluate after step %d: %w", step, err)
	}
	v.done = append(v.done, Evaluation{step, value})
	if v.best() == len(v.done)-1 {
		if v.weights, err = weights(v.store); err != nil {
			return fmt.Errorf("keep the weights of step %d: %w", step, err)
		}
		v.file = tensorFile{}
	}
	return nil
}

// best is the number of the best evaluation, the earliest of equal ones; -1
// where there is none.
func (v *validation) best() int {
	best := -1
	for i, e := range v.done {
		if best < 0 || v.better(e.Value, v.done[best].Value) {
			best = i
		}
	}
	return best
}

// bestFile is what a checkpoint calls the weights of the best evaluation.
func (v *validation) bestFile() string {
	return fmt.Sprintf("best-%d.safetensors", v.done[v.best()].Step)
}

// stop says whether patience evaluations in a row were no better than the best.
func (v *validation) stop() bool {
	return v.patience > 0 && len(v.done)-1-v.best() >= v.patience
}

// restore gives the store the best weights and returns their step, 0 where
// nothing was evaluated.
func (v *validation) restore() (step int, err error) {
	best := v.best()
	if best < 0 {
		return 0, nil
	}
	if err := setTensors(v.store, v.weights); err != nil {
		return 0, fmt.Errorf("restore the best weights: %w", err)
	}
	return v.done[best].Step, nil
}

// weights copies all variables of a store but the moments.
func weights(store *model.Store) ([]safetensors.Tensor, error) {
	list, err := stored(store)
	return slices.DeleteFunc(list, func(t safetensors.Tensor) bool { return strings.HasPrefix("/"+t.Name, momentScope+"/") }), err
}
