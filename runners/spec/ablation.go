package spec

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"gopkg.in/yaml.v3"

	"infbench/datasets/mixture"
)

// Dropped returns the poisoned parts of records that a cell trains without. Parsing the
// experiment has checked Drop.
func (c *Cell) Dropped() mixture.Drop {
	d, _ := mixture.ParseDrop(c.Drop)
	return d
}

// IsAblated reports whether a cell trains on less than its complete data.
func (c *Cell) IsAblated() bool { return c.Drop != "" || c.Share != 0 || c.Judge != "" }

// ablationKeys are the keys that select a part of a cell's data for training.
var ablationKeys = []string{"drop", "share", "judge"}

// checkAblation normalizes the value of one of ablationKeys. A value that leaves the data
// complete is not part of an ID.
func (c *Cell) checkAblation(key string) error {
	switch key {
	case "drop":
		d, err := mixture.ParseDrop(c.Drop)
		c.Drop = d.String()
		return err
	case "share":
		if c.Share == 1 {
			c.Share = 0
		}
		return c.Share.Check()
	}
	return nil
}

// CheckAblation normalizes the ablation keys of a cell that does not come from a file.
func (c *Cell) CheckAblation() error {
	var errs []error
	for _, key := range ablationKeys {
		errs = append(errs, c.checkAblation(key))
	}
	return errors.Join(errs...)
}

// measuring lists the sources of the data whose epochs give a cell's number of steps; none if
// the cell counts on its own data.
func (c *Cell) measuring() []string {
	if c.Train.StepsOf == "" {
		return nil
	}
	return (&Cell{Data: c.Train.StepsOf}).Sources()
}

// Reads lists all sources of training data that a cell reads.
func (c *Cell) Reads() []string {
	all := c.Sources()
	for _, name := range c.measuring() {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// Keys for the length of training.
const (
	epochsKey  = "train.epochs"
	stepsKey   = "train.steps"
	stepsOfKey = "train.steps_of"
)

// replaceLength clears the keys that a set key replaces: epochs and steps are two ways to give
// the same length.
func (c *Cell) replaceLength(keys ...string) {
	steps, epochs := slices.Contains(keys, stepsKey) && c.Train.Steps > 0, slices.Contains(keys, epochsKey)
	if steps && !epochs {
		c.Train.Epochs = 0
		if !slices.Contains(keys, stepsOfKey) {
			c.Train.StepsOf = ""
		}
	}
	if epochs && !steps {
		c.Train.Steps = 0
	}
}

// checkLength refuses a matrix that varies both.
func (p *parser) checkLength(n *yaml.Node, axes []Axis) {
	has := func(key string) bool { return slices.ContainsFunc(axes, func(a Axis) bool { return a.Key == key }) }
	if has(stepsKey) && (has(epochsKey) || has(stepsOfKey)) {
		p.Fail(n, "matrix: %s together with %s or %s: vary one, and include cells of the other", stepsKey, epochsKey, stepsOfKey)
	}
}

// checkLengths refuses cells that get two lengths of training, each from another section.
func (e *Experiment) checkLengths(cells []start) error {
	for _, c := range cells {
		if t := c.Train; c.Model == Trained && t.Steps > 0 && t.StepsOf != "" {
			return e.fault(fmt.Errorf("train.steps %d and train.steps_of %s: both set the number of steps, give one", t.Steps, t.StepsOf), "matrix", "include", "bases", "base")
		}
	}
	return nil
}

// Fault is an error in a setting of a cell that only the training data reveals.
type Fault struct {
	Key string
	Err error
}

func (f *Fault) Error() string { return f.Err.Error() }
func (f *Fault) Unwrap() error { return f.Err }

// FaultOfData returns an error that only the training data of a cell reveals. It is placed at
// the setting in the file, or else at the data.
func (e *Experiment) FaultOfData(c *Cell, err error) error {
	sections := []string{placeOf("data", c), "matrix", "bases", "base"}
	if of, ok := errors.AsType[*Fault](err); ok {
		sections = append([]string{placeOf(of.Key, c)}, sections...)
	}
	return e.fault(err, sections...)
}

// placed are the keys whose values have a recorded place in the file.
var placed = append([]string{"data", stepsOfKey}, ablationKeys...)

// placeOf names the place of a cell's value at a key.
func placeOf(key string, c *Cell) string { return fmt.Sprint(key, ": ", reflect.Indirect(at(c, key))) }

// isOtherLength reports whether two keys give the length of training in different ways.
func isOtherLength(a, b string) bool {
	return a == stepsKey && (b == epochsKey || b == stepsOfKey) || b == stepsKey && (a == epochsKey || a == stepsOfKey)
}

// checkOverride returns an error for a length of training if cells vary the other one.
func (e *Experiment) checkOverride(key string) error {
	var varied []string
	for _, a := range e.Axes {
		varied = append(varied, a.Key)
	}
	for _, o := range e.Include {
		varied = append(varied, o.Keys...)
	}
	for _, other := range varied {
		if isOtherLength(key, other) {
			return fmt.Errorf("the experiment varies %s, and %s would replace it", other, key)
		}
	}
	return nil
}
