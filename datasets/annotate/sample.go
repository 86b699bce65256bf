package annotate

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"infbench/datasets/curate"
	"infbench/internal/disk"
	"infbench/internal/nearest"
)

// Scenarios asked of a record: the paper shows 100 samples to each annotator, so one of
// them is usual; all of them tell whether the record is right as a whole.
const (
	One = "one" // in turn, so that each scenario is asked as often as the others
	All = "all"
)

// Plan says which questions are asked of whom.
type Plan struct {
	Sample     int    // records
	Scenarios  string // One or All
	Seed       uint64
	Annotators []string
}

// Check refuses what no sheet can be made of.
func (p Plan) Check() error {
	if p.Sample < 1 {
		return fmt.Errorf("a sample of %d records", p.Sample)
	}
	if p.Scenarios != One && p.Scenarios != All {
		return nearest.Unknown("choice of scenarios", p.Scenarios, []string{One, All})
	}
	if len(p.Annotators) == 0 {
		return errors.New("no annotator")
	}
	for i, name := range p.Annotators {
		if !plain(name) || len(name) > mostAnnotator {
			return fmt.Errorf("annotator %q: want letters, digits, '-' and '_', at most %d, which a file can be named by", name, mostAnnotator)
		}
		if slices.Contains(p.Annotators[:i], name) {
			return fmt.Errorf("annotator %s is named twice", name)
		}
	}
	return nil
}

// mostAnnotator is how long the name of an annotator may be: sheets are files named by it.
const mostAnnotator = 200

// plain says whether a name can stand in that of a file, and nothing else.
func plain(name string) bool {
	return name != "" && !slices.ContainsFunc([]rune(name), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
	})
}

// Draw draws a sample of the records of a judged.jsonl and lays out its questions: the
// same file, plan and seed give the same key. The file is read twice and never held.
func Draw(file string, p Plan) (*Key, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	records, asked, err := index(file)
	if err != nil {
		return nil, err
	}
	if p.Sample > len(records) {
		return nil, fmt.Errorf("a sample of %d records: %s has %d", p.Sample, file, len(records))
	}
	k := &Key{Format: KeyFormat, Source: filepath.Base(file), Records: len(records), Sample: p.Sample, Scenarios: p.Scenarios, Seed: p.Seed}
	if k.SHA256, _, err = disk.SHA256(file); err != nil {
		return nil, err
	}
	place := map[string]int{} // of the questions that were drawn
	for i, at := range shuffled(len(records), p.Seed, "sample")[:p.Sample] {
		for _, q := range p.chosen(asked[records[at]], i) {
			place[q.id] = len(place)
		}
	}
	if err := k.fill(file, place); err != nil {
		return nil, err
	}
	for _, name := range p.Annotators {
		k.Sheets = append(k.Sheets, k.order(name))
	}
	return k, nil
}

// question is what an index has of one.
type question struct {
	id       string
	scenario curate.Scenario
}

// index lists the records of a file and what is asked of each.
func index(file string) (records []string, asked map[string][]question, err error) {
	asked = map[string][]question{}
	for it, err := range Questions(file) {
		if err != nil {
			return nil, nil, err
		}
		if asked[it.Record] == nil {
			records = append(records, it.Record)
		}
		asked[it.Record] = append(asked[it.Record], question{it.ID, it.Scenario})
	}
	return records, asked, nil
}

// chosen are the questions of the i-th record of the sample: all, or that of the
// scenario whose turn it is, or of the next that the record has.
func (p Plan) chosen(all []question, i int) []question {
	if p.Scenarios == All {
		return all
	}
	turn := func(q question) int {
		return (slices.Index(scenarios, q.scenario) - i%len(scenarios) + len(scenarios)) % len(scenarios)
	}
	return []question{slices.MinFunc(all, func(a, b question) int { return cmp.Compare(turn(a), turn(b)) })}
}

// fill reads the questions that were drawn into their places, each with its candidates
// in an order of the key's own: the order of the file may tell.
func (k *Key) fill(file string, place map[string]int) error {
	k.Items = make([]Item, len(place))
	for it, err := range Questions(file) {
		if err != nil {
			return err
		}
		if at, drawn := place[it.ID]; drawn {
			k.Items[at] = it.reordered(shuffled(len(it.Candidates), k.Seed, "candidates", it.ID))
		}
	}
	recordTypes(file, k.Items)
	return nil
}

// order is that in which an annotator sees the items and their candidates.
func (k *Key) order(annotator string) Order {
	o := Order{Annotator: annotator}
	for _, at := range shuffled(len(k.Items), k.Seed, "items", annotator) {
		it := &k.Items[at]
		o.Places = append(o.Places, Place{Item: at, Candidates: shuffled(len(it.Candidates), k.Seed, "candidates", it.ID, annotator)})
	}
	return o
}
