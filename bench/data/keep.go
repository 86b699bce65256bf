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

// keepCounts saves the counts of a corpus for report --view data and for claims.
func keepCounts(name string, corpora []catalog.Corpus, counts map[string]*mixture.Statistics, sum hash.Hash) error {
	if len(corpora) != 1 {
		return usage.Errorf("--keep %s: counts of %d sources; keep one source at a time", name, len(corpora))
	}
	c := counts[corpora[0].Name]
	study := &results.Study{Kind: "data", Name: name, SHA256: fmt.Sprintf("%x", sum.Sum(nil)),
		Facts: []string{"words are what white space separates"}, Values: countsOf(c)}
	return runs.KeepStudy(study, corpora[0].Name)
}

// keepBenchmark saves the counts of a benchmark like keepCounts. It counts a pair of
// instructions as one query with the original instruction, equal instructions once, and
// documents that tasks share once.
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

// countsOfBenchmark are the counts of a benchmark under the names of the paper's Table 1. It
// has no poisoned texts.
func countsOfBenchmark(b *datasets.Benchmark) ([]results.StudyValue, error) {
	relevant, queries, queryWords, documents, documentWords := 0, 0, 0, 0, 0
	instructions := map[string]int{} // number of words of each
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
	mean := func(words, texts int) float64 { return float64(words) / float64(max(texts, 1)) }
	return append(sideCounts(queries, [5]int{relevant, len(instructions)}),
		textCounts("tasks", len(b.Tasks), [3]textCount{{len(instructions), mean(words, len(instructions))}, {queries, mean(queryWords, queries)}, {documents, mean(documentWords, documents)}})...), nil
}

// sideCounts are the numbers of records or queries, n in all, that have each side of a triplet,
// under the names of the paper's Table 1: positives, I+, I-, Q- and P-.
func sideCounts(n int, sides [5]int) (out []results.StudyValue) {
	for i, name := range []string{"(Q,P)+", "I+", "I-", "Q-", "P-"} {
		value := float64(sides[i])
		out = append(out, results.StudyValue{Measure: name, Of: "texts", N: n, Value: &value})
	}
	return out
}

// textCount is the number of texts of a kind, and their mean length in words.
type textCount struct {
	texts int
	mean  float64
}

// textCounts are the numbers of instructions, queries and passages in n units, with their mean
// lengths, under the names of Table 1.
func textCounts(unit string, n int, kinds [3]textCount) (out []results.StudyValue) {
	for i, letter := range []string{"I", "Q", "P"} {
		k := kinds[i]
		texts := float64(k.texts)
		out = append(out, results.StudyValue{Measure: "#" + letter, Of: unit, N: n, Value: &texts})
		if k.texts > 0 {
			out = append(out, results.StudyValue{Measure: "avg_" + letter + "_words", Of: "texts", N: k.texts, Value: &k.mean})
		}
	}
	return out
}

// countsOf are the counts under the names of the paper's Table 1, and the numbers of positive
// and negative passages that its text mentions.
func countsOf(c *mixture.Statistics) []results.StudyValue {
	positives, negatives := float64(c.Fields.Positive), float64(c.Fields.HardNegative1+c.Fields.HardNegative2+c.Negatives.Texts)
	out := sideCounts(c.Records, [5]int{c.Fields.Positive, c.Fields.InstructionPositive, c.Fields.InstructionNegative, c.Fields.QueryNegative,
		max(c.Fields.HardNegative1, c.Fields.HardNegative2, c.Negatives.Texts)})
	out = append(out, results.StudyValue{Measure: "positives", Of: "records", N: c.Records, Value: &positives},
		results.StudyValue{Measure: "negatives", Of: "records", N: c.Records, Value: &negatives})
	of := func(w mixture.WordStatistics) textCount { return textCount{w.Texts, w.Mean} }
	return append(out, textCounts("records", c.Records, [3]textCount{of(c.Instructions), of(c.Queries), of(c.Passages)})...)
}

// hashing passes records on and hashes them.
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
