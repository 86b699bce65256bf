package mixture

import (
	"crypto/sha256"
	"iter"
	"strings"

	"infbench/datasets"
)

// Statistics describes a training corpus by the numbers of the paper's Table 1: the counts of
// instructions, queries and passages in its records, equal texts counted each time, and their mean
// lengths in words. Words are separated by white space; the paper does not define them.
type Statistics struct {
	Records      int            `json:"records"`
	Rows         int            `json:"rows"`
	Instructions WordStatistics `json:"instructions"`
	Queries      WordStatistics `json:"queries"`
	Passages     WordStatistics `json:"passages"`
	Negatives    WordStatistics `json:"negatives,omitzero"` // listed by records in addition to their rows
	Fields       FieldCounts    `json:"fields"`
}

// WordStatistics describes the texts of one kind. Mean is 0 without texts.
type WordStatistics struct {
	Texts    int     `json:"texts"`
	Distinct int     `json:"distinct_texts"`
	Words    int     `json:"words"`
	Mean     float64 `json:"mean_words"`
}

// FieldCounts counts the records that have each field.
type FieldCounts struct {
	InstructionPositive int `json:"instruction_positive"`
	InstructionNegative int `json:"instruction_negative"`
	QueryPositive       int `json:"query_positive"`
	QueryNegative       int `json:"query_negative"`
	Positive            int `json:"document_positive"`
	HardNegative1       int `json:"hard_negative_document_1"`
	HardNegative2       int `json:"hard_negative_document_2"`
}

// Stats streams training records once and counts.
func Stats(records iter.Seq2[datasets.Record, error]) (*Statistics, error) {
	var s Statistics
	var instructions, queries, passages, negatives wordCounter
	for r, err := range records {
		if err != nil {
			return nil, err
		}
		s.Records++
		s.Rows += len(r.Rows)
		f := &s.Fields
		i, q, p := r.Instructions(), r.Queries(), r.Passages()
		instructions.add(i, &f.InstructionPositive, &f.InstructionNegative)
		queries.add(q, &f.QueryPositive, &f.QueryNegative)
		fields := []*int{&f.Positive, &f.HardNegative1, &f.HardNegative2}
		if len(i) < 2 {
			fields = []*int{&f.Positive, &f.HardNegative2}
		}
		passages.add(p, fields...)
		negatives.add(r.Negatives())
	}
	s.Instructions, s.Queries, s.Passages = instructions.statistics(), queries.statistics(), passages.statistics()
	s.Negatives = negatives.statistics()
	return &s, nil
}

// wordCounter counts texts and their words.
type wordCounter struct {
	texts, words int
	seen         map[[16]byte]struct{} // 128 bits of the SHA-256 of each text
}

// add counts texts, and adds each to its field if fields are given.
func (c *wordCounter) add(texts []string, fields ...*int) {
	for i, text := range texts {
		c.texts++
		c.see(sha256.Sum256([]byte(text)))
		c.words += len(strings.Fields(text))
		if len(fields) > 0 {
			*fields[i]++
		}
	}
}

func (c *wordCounter) see(sum [sha256.Size]byte) {
	if c.seen == nil {
		c.seen = map[[16]byte]struct{}{}
	}
	c.seen[[16]byte(sum[:])] = struct{}{}
}

func (c *wordCounter) statistics() WordStatistics {
	s := WordStatistics{Texts: c.texts, Distinct: len(c.seen), Words: c.words}
	if c.texts > 0 {
		s.Mean = float64(c.words) / float64(c.texts)
	}
	return s
}
