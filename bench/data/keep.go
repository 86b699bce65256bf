package data

import (
	"encoding/json"
	"fmt"
	"hash"
	"iter"
	"reflect"
	"strings"

	"infbench/datasets"
	"infbench/datasets/mixture"
	"infbench/internal/disk"
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

// keepBenchmark keeps the counts of a benchmark as keepCounts does those of a corpus. A pair
// of instructions counts as one query with the original one, instructions that read the
// same as one, and documents that tasks share once.
func keepBenchmark(name, source string, b *datasets.Benchmark) error {
	contents, err := datasets.HashContents(b)
	if err != nil {
		return err
	}
	text, err := json.Marshal(contents) // sorted by task
	if err != nil {
		return err
	}
	values, err := countsOfBenchmark(b)
	if err != nil {
		return err
	}
	study := &results.Study{Kind: "data", Name: name, SHA256: disk.Sum(string(text)), Values: values,
		Facts: []string{"words are what white space separates", "a pair of instructions counts as one query with the original one, equal instructions as one, documents that tasks share once"}}
	if b.Part != "" {
		study.Facts = append(study.Facts, "fetched in part: "+b.Part)
	}
	return runs.KeepStudy(study, source)
}

// countsOfBenchmark are the counts of a benchmark by the names of the paper's Table 1. It
// has no poisoned texts.
func countsOfBenchmark(b *datasets.Benchmark) ([]results.StudyValue, error) {
	var out []results.StudyValue
	relevant, queries, queryWords, documents, documentWords := 0, 0, 0, 0, 0
	instructions := map[string]int{} // words of each
	seen := map[datasets.Corpus]bool{}
	for i := range b.Tasks {
		t := &b.Tasks[i]
		other := map[string]bool{}
		for _, p := range t.Pairs {
			other[p.Changed], other[p.Reversed] = true, true
		}
		for _, q := range t.Queries {
			if other[q.ID] {
				continue
			}
			queries, queryWords = queries+1, queryWords+len(strings.Fields(q.Text))
			if words := len(strings.Fields(q.Instruction)); words > 0 {
				instructions[q.Instruction] = words
			}
			for _, grade := range t.Qrels[q.ID] {
				if grade > 0 {
					relevant++
				}
			}
		}
		if reflect.TypeOf(t.Corpus).Comparable() {
			if seen[t.Corpus] {
				continue
			}
			seen[t.Corpus] = true
		}
		for d, err := range t.Corpus.Documents() {
			if err != nil {
				return nil, err
			}
			documents, documentWords = documents+1, documentWords+len(strings.Fields(d.Title))+len(strings.Fields(d.Text))
		}
	}
	words := 0
	for _, n := range instructions {
		words += n
	}
	add := func(measure, of string, n int, value float64) {
		out = append(out, results.StudyValue{Measure: measure, Of: of, N: n, Value: &value})
	}
	for _, side := range []struct {
		name string
		n    int
	}{{"(Q,P)+", relevant}, {"I+", len(instructions)}, {"I-", 0}, {"Q-", 0}, {"P-", 0}} {
		add(side.name, "texts", queries, float64(side.n))
	}
	for _, k := range []struct {
		letter       string
		texts, words int
	}{{"I", len(instructions), words}, {"Q", queries, queryWords}, {"P", documents, documentWords}} {
		add("#"+k.letter, "tasks", len(b.Tasks), float64(k.texts))
		if k.texts > 0 {
			add("avg_"+k.letter+"_words", "texts", k.texts, float64(k.words)/float64(k.texts))
		}
	}
	return out, nil
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
