package training

import "fmt"

// Evaluation is the value that OnEvaluate returned after a step.
type Evaluation struct {
	Step  int     `json:"step"`
	Value float64 `json:"value"`
}

// validation evaluates weights during training, keeps the best and decides when to stop. A nil
// evaluate never does anything.
type validation struct {
	every, patience int
	evaluate        func(step int) (float64, error)
	better          func(a, b float64) bool

	done []Evaluation
	kept best // the best weights so far
}

// after evaluates if the step is due, and always after the last step.
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
		if err := v.kept.keep(v.bestFile()); err != nil {
			return fmt.Errorf("keep the weights of step %d: %w", step, err)
		}
	}
	return nil
}

// best is the index of the best evaluation, the earliest among equal ones; -1 if there is none.
func (v *validation) best() int {
	best := -1
	for i, e := range v.done {
		if best < 0 || v.better(e.Value, v.done[best].Value) {
			best = i
		}
	}
	return best
}

// bestFile is the name of the best evaluation's weights in a checkpoint.
func (v *validation) bestFile() string {
	return fmt.Sprintf("best-%d.safetensors", v.done[v.best()].Step)
}

// stop reports whether the last patience evaluations were no better than the best.
func (v *validation) stop() bool {
	return v.patience > 0 && len(v.done)-1-v.best() >= v.patience
}

// restore gives the encoder the best weights and returns their step, or 0 if there was no
// evaluation.
func (v *validation) restore() (step int, err error) {
	best := v.best()
	if best < 0 {
		return 0, nil
	}
	if err := v.kept.restore(); err != nil {
		return 0, fmt.Errorf("restore the best weights: %w", err)
	}
	return v.done[best].Step, nil
}
