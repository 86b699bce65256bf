package spec

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"gopkg.in/yaml.v3"

	"infbench/datasets/mixture"
)

// Dropped are the poisoned parts of records that a cell trains without. Parsing the
// experiment checked what Drop says.
func (c *Cell) Dropped() mixture.Drop {
	d, _ := mixture.ParseDrop(c.Drop)
	return d
}

// IsAblated says whether a cell trains on less than its data as it stands.
func (c *Cell) IsAblated() bool { return c.Drop != "" || c.Share != 0 || c.Judge != "" }

// ablationKeys are those that say what of its data a cell trains on.
var ablationKeys = []string{"drop", "share", "judge"}

// checkAblation canonises the value of one of ablationKeys; what takes nothing away is
// no part of an ID.
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

// CheckAblation canonises what a cell that no file holds trains on of its data.
func (c *Cell) CheckAblation() error {
	var errs []error
	for _, key := range ablationKeys {
		errs = append(errs, c.checkAblation(key))
	}
	return errors.Join(errs...)
}

// measuring lists the sources of the data on which a cell's epochs would take as many
// steps as it takes; none where it counts for itself.
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

// lengths are the keys that say how long training takes.
const (
	epochsKey  = "train.epochs"
	stepsKey   = "train.steps"
	stepsOfKey = "train.steps_of"
)

// replaceLength clears what a key that was set takes the place of: epochs and steps are
// two ways to say the same.
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
		p.Fail(n, "matrix: %s beside %s or %s: vary one, and include cells of the other", stepsKey, epochsKey, stepsOfKey)
	}
}

// checkLengths refuses cells that say twice how long to train, one thing from here and
// one from there.
func (e *Experiment) checkLengths(cells []start) error {
	for _, c := range cells {
		if t := c.Train; c.Model == Trained && t.Steps > 0 && t.StepsOf != "" {
			return e.fault(fmt.Errorf("train.steps %d and train.steps_of %s: both say how many steps, give one", t.Steps, t.StepsOf), "matrix", "include", "bases", "base")
		}
	}
	return nil
}

// Fault is a mistake in a setting of a cell that shows once training data is read.
type Fault struct {
	Key string
	Err error
}

func (f *Fault) Error() string { return f.Err.Error() }
func (f *Fault) Unwrap() error { return f.Err }

// FaultOfData is a mistake that shows once the training data of a cell is read, where
// the file names the setting that it is of, else the data.
func (e *Experiment) FaultOfData(c *Cell, err error) error {
	sections := []string{placeOf("data", c), "matrix", "bases", "base"}
	if of, ok := errors.AsType[*Fault](err); ok {
		sections = append([]string{placeOf(of.Key, c)}, sections...)
	}
	return e.fault(err, sections...)
}

// placed are the keys of which it is kept where each value stands.
var placed = append([]string{"data", stepsOfKey}, ablationKeys...)

// placeOf names the place of a cell's value at a key.
func placeOf(key string, c *Cell) string { return fmt.Sprint(key, ": ", reflect.Indirect(at(c, key))) }

// isOtherLength says whether one key says how long training takes in another way than
// the other.
func isOtherLength(a, b string) bool {
	return a == stepsKey && (b == epochsKey || b == stepsOfKey) || b == stepsKey && (a == epochsKey || a == stepsOfKey)
}

// checkOverride refuses to set a length of training where cells vary the other.
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
			return fmt.Errorf("the experiment varies %s, and %s would take its place", other, key)
		}
	}
	return nil
}
