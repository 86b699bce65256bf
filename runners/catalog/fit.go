package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"infbench/datasets/mixture"
	"infbench/metrics"
	"infbench/metrics/trec"
	"infbench/runners/results"
	"infbench/runners/spec"
	"infbench/training"
	"infbench/training/encoder"
)

// Expand makes the plan of an experiment and reads the training data of its cells. Data that
// cannot be opened, or have too little for a cell's loss or batches, are an error with the
// position in the file. Absent data are not read. notes describe the parts of a corpus without
// which losses are computed.
func Expand(e *spec.Experiment, resolve spec.Resolver) (plan *spec.Plan, notes []string, err error) {
	if plan, err = e.Expand(resolve); err != nil {
		return nil, nil, err
	}
	if err := checkForgetting(plan); err != nil {
		return nil, nil, e.FaultOfForgetting(err)
	}
	var read readings
	for i := range plan.Trials {
		t := &plan.Trials[i]
		if t.Cell.Data == "" || !hasSources(t) {
			continue
		}
		if err := read.fit(&t.Cell); err != nil {
			return nil, nil, e.FaultOfData(&t.Cell, err)
		}
	}
	return plan, read.notes(), nil
}

// hasSources reports whether a trial's training data is on this machine.
func hasSources(t *spec.Trial) bool {
	return !slices.ContainsFunc(t.Revisions, func(r spec.Revision) bool {
		return r.Revision == spec.Absent && slices.Contains(t.Cell.Reads(), r.Name)
	})
}

// reading is the result of reading training data completely.
type reading struct {
	corpora []Corpus
	sizes   []mixture.Size
	fields  []training.Fields // one for each corpus
	ids     []string          // IDs of all records, in the order of mixture.Data.All
	err     error
}

// readings are the readings of data in a world, in the order of the requests.
type readings struct {
	index map[string]int
	all   []reading
	noted []string // notes on the data of cells and on their steps
}

// reading reads the data of a cell, once.
func (r *readings) reading(c *spec.Cell) reading {
	key := fmt.Sprint(c.Data, "@", c.World, "@", c.Judge)
	i, ok := r.index[key]
	if !ok {
		if r.index == nil {
			r.index = map[string]int{}
		}
		i = len(r.all)
		r.index[key] = i
		r.all = append(r.all, read(c))
	}
	return r.all[i]
}

// fit checks a cell against its data.
func (r *readings) fit(c *spec.Cell) error {
	of := r.reading(c)
	if of.err != nil || c.Model != spec.Trained {
		return of.err
	}
	long := *c // c with its number of steps
	if c.Train.StepsOf != "" {
		steps, err := r.reading(measured(c)).steps(measured(c))
		if err != nil {
			return &spec.Fault{Key: results.StepsOf, Err: err}
		}
		r.note("train.steps_of %s: %d steps, the length of %d epochs there", c.Train.StepsOf, steps, c.Train.Epochs)
		long.Train = c.Train.ForSteps(steps)
	}
	for i, fields := range of.fields {
		if c.Train.Mined > 0 && fields.Bare > 0 {
			r.note("%s: %d of %d records list no negatives", of.corpora[i].Name, fields.Bare, of.sizes[i].Records)
		}
	}
	sizes, err := of.fit(&long)
	if err == nil && c.IsAblated() {
		all, used := total(of.sizes), total(sizes)
		r.note("%s: %d of %d records, in %d of %d rows", taken(c), used.records, all.records, used.rows, all.rows)
	}
	return err
}

// note adds a note unless it is there already.
func (r *readings) note(format string, values ...any) {
	if note := fmt.Sprintf(format, values...); !slices.Contains(r.noted, note) {
		r.noted = append(r.noted, note)
	}
}

// amount is a number of records and rows.
type amount struct{ records, rows int }

func total(sizes []mixture.Size) (sum amount) {
	for _, s := range sizes {
		sum.records += s.Records
		sum.rows += s.Records * s.Shape.Rows()
	}
	return sum
}

// read opens the data of a cell and counts its records.
func read(c *spec.Cell) reading {
	var r reading
	if r.corpora, r.err = OpenCell(c); r.err != nil {
		return r
	}
	for _, c := range r.corpora {
		n, fields := 0, training.Fields{Shape: c.Shape}
		for record, err := range c.All {
			if err != nil {
				r.err = fmt.Errorf("training data %s: %w", c.Name, err)
				return r
			}
			fields.Add(record, n == 0)
			n++
			if len(r.corpora) > 1 {
				record.ID = mixture.IDOf(c.Name, record.ID)
			}
			r.ids = append(r.ids, record.ID)
		}
		r.sizes = append(r.sizes, mixture.Size{Source: c.Source, Shape: c.Shape, Records: n})
		r.fields = append(r.fields, fields)
	}
	return r
}

// fit returns the sizes of the data that a cell trains on. It is an error if the loss needs
// fields that a corpus does not have or the cell drops, if a share is empty, if the records do
// not fill a batch, or if a validation needs pairs.
func (r reading) fit(c *spec.Cell) ([]mixture.Size, error) {
	l, err := training.ParseLoss(c.Loss)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(c.Train.CheckModifiers(), c.Train.CheckScore(l, c.Design.Score), fitWidths(c), fitKeep(c)); err != nil {
		return nil, err
	}
	drop := c.Dropped()
	var all []training.Fields
	for i, corpus := range r.corpora {
		if err := training.CheckShape(l, corpus.Shape); err != nil {
			return nil, fmt.Errorf("%w: %s", err, corpus.missing("instruction_negative"))
		}
		if err := training.CheckShape(l, drop.Shape(corpus.Shape)); err != nil {
			return nil, &spec.Fault{Key: results.Drop, Err: fmt.Errorf("drop %s: %w", drop, err)}
		}
		fields := r.fields[i]
		fields.Shape = drop.Shape(fields.Shape)
		if err := c.Train.CheckFields(l, fields); err != nil {
			return nil, fmt.Errorf("training data %s: %w", corpus.Name, err)
		}
		all = append(all, fields)
	}
	if err := c.Train.CheckMined(all); err != nil {
		return nil, fmt.Errorf("training data %s: %w", c.Data, err)
	}
	sizes, err := r.remaining(c)
	if err != nil {
		return nil, err
	}
	if _, err := c.Train.Order(sizes); err != nil {
		return nil, fmt.Errorf("training data %s: %w", taken(c), err)
	}
	return sizes, r.fitValidation(c.Validate)
}

// fitKeep returns an error if an adapter alone cannot be kept as the model.
func fitKeep(c *spec.Cell) error {
	if c.Train.LoRA.Keep != encoder.KeepAdapter {
		return nil
	}
	if slices.Contains(Backbones(), c.Backbone) {
		return fmt.Errorf("train.lora: keep adapter: backbone %s is made for a cell and not saved, so an adapter would have no base: keep merged, or name a folder or ORG/NAME", c.Backbone)
	}
	separate := c.Design.ShareEncoder != nil && !*c.Design.ShareEncoder
	return encoder.CheckKeep(separate, encoder.Interaction(c.Interaction))
}

// fitWidths returns an error if training or evaluation uses more values than the vectors of a
// backbone have, if that is known.
func fitWidths(c *spec.Cell) error {
	if len(c.Train.Matryoshka.Dims) == 0 && c.Dims == 0 {
		return nil
	}
	width := encoder.Tiny()[c.Backbone].HiddenSize
	if folder, err := BackboneFolder(c.Backbone); err == nil && folder != "" {
		found, err := encoder.Inspect(folder)
		if err != nil {
			return err
		}
		width = cmp.Or(found.Whole, found.Dim)
	}
	if width == 0 {
		return nil // absent
	}
	if c.Dims > width {
		return fmt.Errorf("dims %d: the vectors have %d values", c.Dims, width)
	}
	return c.Train.CheckWidths(width)
}

// fitValidation returns an error if a validation compares rankings of pairs that held-out
// records cannot make.
func (r reading) fitValidation(v spec.Validation) error {
	if v.Data != spec.HeldOut {
		return nil
	}
	m, err := metrics.Parse(v.Measure)
	if err != nil {
		return err
	}
	if paired := slices.ContainsFunc(r.corpora, func(c Corpus) bool { return c.Shape.Instruction }); !paired && ComparesRankings(m) {
		return fmt.Errorf("validate: %s compares the rankings of two instructions, and %s; use another measure, such as nDCG@10", m, r.corpora[0].missing("instruction_negative"))
	}
	return nil
}

// ComparesRankings reports whether a measure is defined only for pairs of rankings.
func ComparesRankings(m metrics.Measure) bool {
	_, ok := m.Score(&metrics.Case{Judgments: map[string]int{"d": 1}, Ranking: trec.Ranking{{Doc: "d", Score: 1}}})
	return !ok
}

// missing formats that a corpus does not have a field, and which corpora do.
func (c Corpus) missing(field string) string {
	for _, m := range c.Lacks {
		if m.Field == field && m.Older != "" {
			return m.Error()
		}
	}
	return fmt.Sprintf("%s has no %s; inf-ir and mini-infir have it", c.Name, field)
}

// notes describe corpora that are not like InF-IR, and the data that cells use.
func (r *readings) notes() []string {
	notes := slices.Clone(r.noted)
	for _, of := range r.all {
		for _, c := range of.corpora {
			if note := c.Note(); note != "" && !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
		}
	}
	return notes
}

// Note describes a corpus that is not like InF-IR: its missing fields, its rows per record, and
// its unread columns. It is "" for other corpora.
func (c Corpus) Note() string {
	var parts []string
	if len(c.Lacks) > 0 {
		var fields []string
		for _, m := range c.Lacks {
			fields = append(fields, m.Field)
		}
		rows := "one row"
		if n := c.Shape.Rows(); n > 1 {
			rows = fmt.Sprintf("%d rows", n)
		}
		parts = append(parts, fmt.Sprintf("%s has no %s: a record makes %s", c.Name, strings.Join(fields, ", "), rows))
		if c.Lists {
			parts = append(parts, "its listed negatives are used only with train.negatives")
		}
	}
	if len(c.Unread) > 0 {
		parts = append(parts, fmt.Sprintf("%s has unread columns: %s", c.Name, strings.Join(c.Unread, ", ")))
	}
	return strings.Join(parts, "; ")
}
