package contamination

import (
	"fmt"
	"iter"

	"infbench/datasets"
	"infbench/datasets/mixture"
	"infbench/runners/results"
)

// Remove removes training records that share a query or a passage with a query or a document of
// the benchmarks: word for word, or a run of as many words as in the counts. Instructions recur
// and do not count.
func Remove(data mixture.Data, tests []*datasets.Benchmark) (mixture.Data, results.Removed, error) {
	all := data.All()
	corpus, err := datasets.LearnOverlap(contents(all), datasets.OverlapWords)
	if err != nil {
		return nil, results.Removed{}, err
	}
	shared, err := corpus.Shared(Asked(tests))
	if err != nil {
		return nil, results.Removed{}, err
	}
	rest, err := data.Keep(func(i int) bool {
		for _, row := range all[i].Rows {
			if shared.Has(row.Query) || shared.Has(row.Passage) {
				return false
			}
		}
		return true
	})
	if err != nil {
		return nil, results.Removed{}, fmt.Errorf("drop_overlap: %w", err)
	}
	return rest, results.Removed{Records: len(all) - rest.Len(), Of: len(all)}, nil
}

// contents streams the queries and passages of records.
func contents(records []datasets.Record) iter.Seq2[datasets.OverlapText, error] {
	return func(yield func(datasets.OverlapText, error) bool) {
		for _, r := range records {
			for _, row := range r.Rows {
				if !yield(datasets.OverlapText{Text: row.Query}, nil) || !yield(datasets.OverlapText{Text: row.Passage}, nil) {
					return
				}
			}
		}
	}
}

// Asked streams the queries and documents of benchmarks.
func Asked(tests []*datasets.Benchmark) iter.Seq2[datasets.OverlapText, error] {
	return func(yield func(datasets.OverlapText, error) bool) {
		for _, b := range tests {
			for _, t := range b.Tasks {
				for _, q := range t.Queries {
					if !yield(datasets.OverlapText{Text: q.Text}, nil) {
						return
					}
				}
				for d, err := range t.Corpus.Documents() {
					if !yield(datasets.OverlapText{Text: d.Text}, err) || err != nil {
						return
					}
				}
			}
		}
	}
}
