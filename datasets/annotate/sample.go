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

// Scenarios asked per record. The paper shows 100 samples to each annotator, so one per record is
// usual; only all of them together show that the record is entirely right.
const (
	One = "one" // scenarios in turn, so that all are asked equally often
	All = "all"
)

// Plan chooses the questions and the annotators.
type Plan struct {
	Sample     int    // number of records
	Scenarios  string // One or All
	Seed       uint64
	Annotators []string
}

// Check rejects a plan without records, scenarios or valid annotator names.
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
			return fmt.Errorf("annotator %q: want letters, digits, '-' and '_', at most %d: the sheet's file is named by it", name, mostAnnotator)
		}
		if slices.Contains(p.Annotators[:i], name) {
			return fmt.Errorf("annotator %s is named twice", name)
		}
	}
	return nil
}

// mostAnnotator is the maximum length of an annotator's name in bytes: sheets are files named by
// it.
const mostAnnotator = 200

// plain reports whether a name is safe as part of a file name.
func plain(name string) bool {
	return name != "" && !slices.ContainsFunc([]rune(name), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
	})
}

// Draw samples records of a judged.jsonl and lays out their questions. The same file, plan and seed
// give the same key. The file is read twice and never kept in memory.
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
	place := map[string]int{} // place of each drawn question
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

// question is an entry of the index.
type question struct {
	id       string
	scenario curate.Scenario
}

// index lists the records of a file and the questions of each.
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

// chosen returns the questions of the i-th record of the sample: all of them, or only the one whose
// scenario is next in turn. If the record lacks that scenario, the following one is used.
func (p Plan) chosen(all []question, i int) []question {
	if p.Scenarios == All {
		return all
	}
	turn := func(q question) int {
		return (slices.Index(scenarios, q.scenario) - i%len(scenarios) + len(scenarios)) % len(scenarios)
	}
	return []question{slices.MinFunc(all, func(a, b question) int { return cmp.Compare(turn(a), turn(b)) })}
}

// fill reads the drawn questions into their places. It shuffles their candidates, since the order
// in the file may give the answer away.
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

// order returns the order in which an annotator sees the items and their candidates.
func (k *Key) order(annotator string) Order {
	o := Order{Annotator: annotator}
	for _, at := range shuffled(len(k.Items), k.Seed, "items", annotator) {
		it := &k.Items[at]
		o.Places = append(o.Places, Place{Item: at, Candidates: shuffled(len(it.Candidates), k.Seed, "candidates", it.ID, annotator)})
	}
	return o
}
