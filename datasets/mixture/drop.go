package mixture

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"infbench/datasets"
	"infbench/internal/nearest"
)

// Drop selects poisoned parts of records that are left out of training:
//
//   - I-: the row of the poisoned instruction, with its passage
//   - Q-: the row of the poisoned query, with its passage
//   - P-: the passages of poisoned rows. These rows are then not anchors, and no row has their
//     passages as candidates. Their instructions and queries remain as contrasts for other
//     rows (in the terms I, IQ, ST and IP).
//
// Records without a part stay unchanged. The zero value drops nothing.
type Drop struct{ Instruction, Query, Passages bool }

// dropped are the parts by name, in the order of printing.
var dropped = []struct {
	name string
	of   func(*Drop) *bool
}{
	{"I-", func(d *Drop) *bool { return &d.Instruction }},
	{"Q-", func(d *Drop) *bool { return &d.Query }},
	{"P-", func(d *Drop) *bool { return &d.Passages }},
}

// NoDrop is another text for the zero value.
const NoDrop = "none"

// ParseDrop parses parts joined by commas: "I-,Q-"; "" and "none" are the zero value.
func ParseDrop(text string) (d Drop, err error) {
	if text == "" || text == NoDrop {
		return d, nil
	}
	var known []string
	for _, p := range dropped {
		known = append(known, p.name)
	}
	for part := range strings.SplitSeq(text, ",") {
		name := strings.TrimSpace(part)
		i := slices.Index(known, name)
		if i < 0 {
			return Drop{}, nearest.Unknown("poisoned part", name, append(known, NoDrop))
		}
		if *dropped[i].of(&d) {
			return Drop{}, fmt.Errorf("drop %q names %s twice", text, name)
		}
		*dropped[i].of(&d) = true
	}
	if d.Instruction && d.Query && d.Passages {
		return Drop{}, fmt.Errorf("drop %q: after I- and Q- no poisoned passage is left for P- to drop", text)
	}
	return d, nil
}

// String returns the text that ParseDrop reads; "" for the zero value.
func (d Drop) String() string {
	var names []string
	for _, p := range dropped {
		if *p.of(&d) {
			names = append(names, p.name)
		}
	}
	return strings.Join(names, ",")
}

// Check rejects parts that none of the shapes has: dropping them would change nothing.
func (d Drop) Check(shapes []datasets.Shape) error {
	has := func(part func(datasets.Shape) bool) bool { return slices.ContainsFunc(shapes, part) }
	var errs []error
	if d.Instruction && !has(func(s datasets.Shape) bool { return s.Instruction }) {
		errs = append(errs, errors.New("drop I-: the records have no poisoned instruction"))
	}
	if d.Query && !has(func(s datasets.Shape) bool { return s.Query }) {
		errs = append(errs, errors.New("drop Q-: the records have no poisoned query"))
	}
	if d.Passages && !has(func(s datasets.Shape) bool { return d.Shape(s).Rows() > 1 }) {
		errs = append(errs, errors.New("drop P-: the records have no poisoned passage"))
	}
	return errors.Join(errs...)
}

// Shape returns the shape of records without the parts.
func (d Drop) Shape(s datasets.Shape) datasets.Shape {
	s.Instruction = s.Instruction && !d.Instruction
	s.Query = s.Query && !d.Query
	s.Bare = d.Passages && s.Rows() > 1
	return s
}

// Record returns a record without the parts.
func (d Drop) Record(r datasets.Record, s datasets.Shape) datasets.Record {
	rows, kept := []datasets.Row{r.Rows[0]}, []int{0}
	for i, row := range r.Rows[1:] {
		ofInstruction := s.Instruction && i == 0
		if ofInstruction && d.Instruction || !ofInstruction && d.Query {
			continue
		}
		if d.Passages {
			row.Passage = ""
		}
		rows, kept = append(rows, row), append(kept, i+1)
	}
	if len(r.Rows) > 1 {
		for k := range rows {
			rows[k].Scores = pick(rows[k].Scores, kept)
		}
	}
	r.Rows = rows
	return r
}

// pick returns the scores of the passages of kept rows, nil if there are none.
func pick(scores []float64, kept []int) (out []float64) {
	for _, i := range kept {
		if i < len(scores) {
			out = append(out, scores[i])
		}
	}
	return out
}

// Drop returns the data without the poisoned parts.
func (d Data) Drop(parts Drop) Data {
	if parts == (Drop{}) {
		return d
	}
	out := slices.Clone(d)
	for k, p := range out {
		out[k].Shape, out[k].Records = parts.Shape(p.Shape), make([]datasets.Record, len(p.Records))
		for i, r := range p.Records {
			out[k].Records[i] = parts.Record(r, p.Shape)
		}
	}
	return out
}
