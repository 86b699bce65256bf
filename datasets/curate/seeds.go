package curate

import (
	"fmt"
	"iter"
	"strings"

	"infbench/datasets"
)

// seeds reads the pairs and drops those not worth paying for: blank pairs, pairs out of bounds,
// duplicates, and texts of the tests.
func (c *Corpus) seeds() ([]Record, error) {
	var records []Record
	seen, near, ids := map[string]bool{}, newAlike(c.Filters.Alike), map[string]bool{}
	for r, err := range c.Pairs {
		if err != nil {
			return nil, fmt.Errorf("read pairs: %w", err)
		}
		if ids[r.ID] {
			return nil, fmt.Errorf("read pairs: two have the ID %q", r.ID)
		}
		ids[r.ID] = true
		text := r.QueryPositive + "\n" + r.Positive
		whole := strings.Join(plainWords(text), " ")
		switch {
		case strings.TrimSpace(r.QueryPositive) == "" || strings.TrimSpace(r.Positive) == "":
			r.Fell = "blank"
		case seen[whole]:
			r.Fell = "duplicate"
		case near.seen(text):
			r.Fell = "near-duplicate"
		default:
			r.Fell = c.Filters.pairFault(&r)
		}
		seen[whole] = true
		records = append(records, r)
	}
	if len(records) == 0 {
		return nil, fmt.Errorf("there are no pairs")
	}
	return records, c.decontaminate(records, func(r *Record) []string { return []string{r.QueryPositive, r.Positive} })
}

// decontaminate drops the records that share a text, or a sequence of words, with the tests.
func (c *Corpus) decontaminate(records []Record, texts func(*Record) []string) error {
	if c.Tests == nil {
		return nil
	}
	all := func(yield func(datasets.OverlapText, error) bool) {
		for i := range records {
			if records[i].Fell != "" {
				continue
			}
			for _, text := range texts(&records[i]) {
				if !yield(datasets.OverlapText{Text: text}, nil) {
					return
				}
			}
		}
	}
	learnt, err := datasets.LearnOverlap(iter.Seq2[datasets.OverlapText, error](all), datasets.OverlapWords)
	if err != nil {
		return err
	}
	shared, err := learnt.Shared(c.Tests)
	if err != nil {
		return err
	}
	for i := range records {
		r := &records[i]
		for _, text := range texts(r) {
			if r.Fell == "" && shared.Has(text) {
				r.Fell = "stands in the tests" //plain:ok recorded in funnels
			}
		}
	}
	return nil
}
