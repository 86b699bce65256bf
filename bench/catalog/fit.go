package catalog

import (
	"fmt"
	"slices"
	"strings"

	"infbench/bench/spec"
	"infbench/datasets/mixture"
	"infbench/metrics"
	"infbench/metrics/trec"
	"infbench/training"
)

// Expand makes the plan of an experiment and reads the training data that its cells
// name: what does not open, or gives a cell's loss or batches too little, is an error
// where the file names it. What is absent is not read. notes say what of a corpus the
// losses are computed without.
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
			return nil, nil, e.FaultOfData(t.Cell.Data, err)
		}
	}
	return plan, read.notes(), nil
}

// hasSources says whether a trial's training data is there.
func hasSources(t *spec.Trial) bool {
	return !slices.ContainsFunc(t.Revisions, func(r spec.Revision) bool {
		return r.Revision == unresolved && slices.Contains(t.Cell.Sources(), r.Name)
	})
}

// reading is what reading training data from end to end told of it.
type reading struct {
	data    string
	corpora []Corpus
	sizes   []mixture.Size
	err     error
}

// readings are those of data in a world, in the order in which they were asked for.
type readings struct {
	index map[string]int
	all   []reading
}

// fit holds a cell to its data.
func (r *readings) fit(c *spec.Cell) error {
	key := fmt.Sprint(c.Data, "@", c.World)
	i, ok := r.index[key]
	if !ok {
		if r.index == nil {
			r.index = map[string]int{}
		}
		i = len(r.all)
		r.index[key] = i
		r.all = append(r.all, read(c.Data, c.World))
	}
	if of := r.all[i]; of.err != nil || c.Model != spec.Trained {
		return of.err
	}
	return r.all[i].fit(c)
}

// read opens data and counts its records.
func read(text string, world uint64) reading {
	r := reading{data: text}
	if r.corpora, r.err = OpenData(text, world); r.err != nil {
		return r
	}
	for _, c := range r.corpora {
		n := 0
		for _, err := range c.All {
			if err != nil {
				r.err = fmt.Errorf("training data %s: %w", c.Name, err)
				return r
			}
			n++
		}
		r.sizes = append(r.sizes, mixture.Size{Source: c.Source, Shape: c.Shape, Records: n})
	}
	return r
}

// fit refuses a loss that needs what a corpus lacks, batches that its records do not
// fill, and a validation that needs pairs.
func (r reading) fit(c *spec.Cell) error {
	l, err := training.ParseLoss(c.Loss)
	if err != nil {
		return err
	}
	for _, corpus := range r.corpora {
		if err := l.CheckShape(corpus.Shape); err != nil {
			return fmt.Errorf("%w: %s", err, corpus.without("instruction_negative"))
		}
	}
	if _, err := c.Train.Order(r.sizes); err != nil {
		return fmt.Errorf("training data %s: %w", c.Data, err)
	}
	return r.fitValidation(c.Validate)
}

// fitValidation refuses to compare rankings of pairs that held-out records do not make.
func (r reading) fitValidation(v spec.Validation) error {
	if v.Data != spec.HeldOut {
		return nil
	}
	m, err := metrics.Parse(v.Measure)
	if err != nil {
		return err
	}
	if paired := slices.ContainsFunc(r.corpora, func(c Corpus) bool { return c.Shape.Instruction }); !paired && ComparesRankings(m) {
		return fmt.Errorf("validate: %s compares the rankings of two instructions, and %s; take another measure, such as nDCG@10", m, r.corpora[0].without("instruction_negative"))
	}
	return nil
}

// ComparesRankings says whether a measure is defined for pairs of rankings only.
func ComparesRankings(m metrics.Measure) bool {
	_, ok := m.Score(&metrics.Case{Judgments: map[string]int{"d": 1}, Ranking: trec.Ranking{{Doc: "d", Score: 1}}})
	return !ok
}

// without words that a corpus lacks a field and what has it.
func (c Corpus) without(field string) string {
	for _, m := range c.Lacks {
		if m.Field == field && m.Older != "" {
			return m.Error()
		}
	}
	return fmt.Sprintf("%s has no %s; inf-ir and mini-infir have it", c.Name, field)
}

// notes say of corpora that are not like InF-IR what a record makes.
func (r *readings) notes() []string {
	var notes []string
	for _, of := range r.all {
		for _, c := range of.corpora {
			if note := c.Note(); note != "" && !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
		}
	}
	return notes
}

// Note says what a corpus that is not like InF-IR lacks, and what its records make; ""
// of one that is.
func (c Corpus) Note() string {
	if len(c.Lacks) == 0 {
		return ""
	}
	var fields []string
	for _, m := range c.Lacks {
		fields = append(fields, m.Field)
	}
	rows := "one row"
	if n := c.Shape.Rows(); n > 1 {
		rows = fmt.Sprintf("%d rows", n)
	}
	note := fmt.Sprintf("%s has no %s: a record makes %s", c.Name, strings.Join(fields, ", "), rows)
	if c.Lists {
		note += "; the negatives that it lists are not trained on, only those of the batch"
	}
	return note
}
