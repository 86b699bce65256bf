package data

import (
	"encoding/json"
	"fmt"
	"hash"
	"iter"

	"infbench/datasets"
	"infbench/datasets/mixture"
	"infbench/internal/usage"
	"infbench/runners/catalog"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// keepCounts keeps the counts of a corpus where the view of data and claims find them.
func keepCounts(name string, corpora []catalog.Corpus, counts map[string]*mixture.Statistics, sum hash.Hash) error {
	if len(corpora) != 1 {
		return usage.Errorf("--keep %s: counts of %d sources; keep those of one after the other", name, len(corpora))
	}
	c := counts[corpora[0].Name]
	study := &results.Study{Kind: "data", Name: name, SHA256: fmt.Sprintf("%x", sum.Sum(nil)),
		Facts: []string{"words are what white space separates"}, Values: countsOf(c)}
	return runs.KeepStudy(study, corpora[0].Name)
}

// countsOf are the counts by the names of the paper's Table 1, and how many positive
// and negative passages the text speaks of.
func countsOf(c *mixture.Statistics) []results.StudyValue {
	var out []results.StudyValue
	add := func(measure, of string, n int, value float64) {
		out = append(out, results.StudyValue{Measure: measure, Of: of, N: n, Value: &value})
	}
	count := func(measure, of string, n int) { add(measure, of, c.Records, float64(n)) }
	for _, side := range []struct {
		name    string
		records int
	}{{"(Q,P)+", c.Fields.Positive}, {"I+", c.Fields.InstructionPositive}, {"I-", c.Fields.InstructionNegative}, {"Q-", c.Fields.QueryNegative},
		{"P-", max(c.Fields.HardNegative1, c.Fields.HardNegative2, c.Negatives.Texts)}} {
		count(side.name, "texts", side.records)
	}
	count("positives", "records", c.Fields.Positive)
	count("negatives", "records", c.Fields.HardNegative1+c.Fields.HardNegative2+c.Negatives.Texts)
	for _, k := range []struct {
		letter string
		texts  mixture.WordStatistics
	}{{"I", c.Instructions}, {"Q", c.Queries}, {"P", c.Passages}} {
		count("#"+k.letter, "records", k.texts.Texts)
		if k.texts.Texts > 0 {
			add("avg_"+k.letter+"_words", "texts", k.texts.Texts, k.texts.Mean)
		}
	}
	return out
}

// hashing hashes records as they go by.
func hashing(records iter.Seq2[datasets.Record, error], sum hash.Hash) iter.Seq2[datasets.Record, error] {
	to := json.NewEncoder(sum)
	return func(yield func(datasets.Record, error) bool) {
		for r, err := range records {
			if err == nil {
				err = to.Encode(r)
			}
			if !yield(r, err) {
				return
			}
		}
	}
}
