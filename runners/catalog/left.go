package catalog

import (
	"fmt"
	"iter"

	"infbench/datasets"
	"infbench/datasets/mixture"
	"infbench/runners/results"
	"infbench/runners/spec"
	"infbench/training"
)

// taken names the data of a cell and the part that it takes.
func taken(c *spec.Cell) string {
	text := c.Data
	settings := c.Settings()
	for _, key := range []string{results.Judge, results.Share, results.Drop} {
		if value := settings[key]; value != "" {
			text += ", " + key + " " + value
		}
	}
	return text
}

// remaining are the sizes of the data that a cell trains on.
func (r reading) remaining(c *spec.Cell) ([]mixture.Size, error) {
	drop := c.Dropped()
	var shapes []datasets.Shape
	for _, s := range r.sizes {
		shapes = append(shapes, s.Shape)
	}
	if err := drop.Check(shapes); err != nil {
		return nil, &spec.Fault{Key: results.Drop, Err: fmt.Errorf("training data %s: %w", c.Data, err)}
	}
	if err := r.checkHeldOut(c); err != nil {
		return nil, &spec.Fault{Key: results.Share, Err: fmt.Errorf("training data %s: %w", c.Data, err)}
	}
	sizes, err := mixture.Taken(r.sizes, c.Share, r.ids, c.Seed)
	if err != nil {
		return nil, &spec.Fault{Key: results.Share, Err: fmt.Errorf("training data %s: %w", c.Data, err)}
	}
	for i := range sizes {
		sizes[i].Shape = drop.Shape(sizes[i].Shape)
	}
	return sizes, nil
}

// checkHeldOut returns an error if validation leaves fewer records than requested.
func (r reading) checkHeldOut(c *spec.Cell) error {
	if c.Validate.Data != spec.HeldOut || c.Share <= 1 {
		return nil
	}
	n := len(r.ids)
	if held := c.Validate.HeldOutOf(n); float64(c.Share) > float64(n-held) {
		return fmt.Errorf("share %v: there are %d records, and %d of them are held out for validation", float64(c.Share), n, held)
	}
	return nil
}

// measured is the cell whose epochs determine the number of steps of another: its data are
// complete.
func measured(c *spec.Cell) *spec.Cell {
	of := spec.Cell{Model: c.Model, Data: c.Train.StepsOf, World: c.World, Train: c.Train}
	of.Train.StepsOf = ""
	return &of
}

// Length is the training configuration of a cell. If it counts its epochs on other data, they
// are converted to steps. Nothing is held out of those data or removed as overlapping.
func Length(c *spec.Cell) (training.Config, error) {
	if c.Train.StepsOf == "" {
		return c.Train, nil
	}
	of := measured(c)
	steps, err := read(of).steps(of)
	return c.Train.ForSteps(steps), err
}

// steps is the number of steps of a cell's epochs on the data that was read.
func (r reading) steps(c *spec.Cell) (int, error) {
	if r.err != nil {
		return 0, fmt.Errorf("train.steps_of: %w", r.err)
	}
	steps := c.Train.StepsOn(total(r.sizes).rows)
	if steps == 0 {
		return 0, fmt.Errorf("train.steps_of: %s does not fill a step", c.Data)
	}
	return steps, nil
}

// Left is the part of its data that a cell trains on. Records that the judge rejects, overlaps
// and validation data are removed before; Left draws a share and then drops poisoned parts.
func Left(c *spec.Cell, data mixture.Data) (mixture.Data, error) {
	rest, err := data.Take(c.Share, c.Seed)
	if err != nil {
		return nil, fmt.Errorf("training data %s: %w", c.Data, err)
	}
	return rest.Drop(c.Dropped()), nil
}

// OpenLeft opens the data that a cell trains on, with its share drawn and its poisoned parts
// dropped. They still include overlaps with tests and validation data.
func OpenLeft(c *spec.Cell) ([]Corpus, error) {
	of := read(c)
	if of.err != nil {
		return nil, of.err
	}
	sizes, err := of.remaining(c)
	if err != nil {
		return nil, err
	}
	drawn, err := c.Share.Draw(of.ids, c.Seed)
	if err != nil {
		return nil, err
	}
	drop, first := c.Dropped(), 0
	for i := range of.corpora {
		corpus := &of.corpora[i]
		corpus.All = leftOf(corpus.All, drawn[first:first+of.sizes[i].Records], func(r datasets.Record) datasets.Record { return drop.Record(r, of.sizes[i].Shape) })
		corpus.Shape = sizes[i].Shape
		first += of.sizes[i].Records
	}
	return of.corpora, nil
}

// leftOf streams the drawn records, each after drop.
func leftOf(all iter.Seq2[datasets.Record, error], drawn []bool, drop func(datasets.Record) datasets.Record) iter.Seq2[datasets.Record, error] {
	return func(yield func(datasets.Record, error) bool) {
		n := 0
		for r, err := range all {
			if err != nil {
				yield(r, err)
				return
			}
			if drawn[n] && !yield(drop(r), nil) {
				return
			}
			n++
		}
	}
}
