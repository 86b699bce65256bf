package training

import "fmt"

// Evaluation is what OnEvaluate said of the weights after a step.
type Evaluation struct {
	Step  int     `json:"step"`
	Value float64 `json:"value"`
}

// validation evaluates weights while they are trained, keeps the best
// and says when to stop. A nil evaluate never does anything.
type validation struct {
	every, patience int
	evaluate        func(step int) (float64, error)
	better          func(a, b float64) bool

	done []Evaluation
	kept best // the weights of the best so far
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
		if err := v.kept.keep(v.bestFile()); err != nil {
			return fmt.Errorf("keep the weights of step %d: %w", step, err)
		}
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

// restore gives the encoder the best weights and returns their step, 0 where
// nothing was evaluated.
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
