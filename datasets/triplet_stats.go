package datasets

import (
	"iter"
	"strings"
)

// TripletStatistics describes a training corpus by the numbers of the paper's Table 1:
// how many instructions, queries and passages its records hold, equal texts counted
// each time, and their mean lengths in words. Words are what white space separates;
// the paper does not say what it took.
type TripletStatistics struct {
	Records      int            `json:"records"`
	Instructions WordStatistics `json:"instructions"`
	Queries      WordStatistics `json:"queries"`
	Passages     WordStatistics `json:"passages"`
	Fields       FieldCounts    `json:"fields"`
}

// WordStatistics describes the texts of one kind. Mean is 0 without texts.
type WordStatistics struct {
	Texts    int     `json:"texts"`
	Distinct int     `json:"distinct_texts"`
	Words    int     `json:"words"`
	Mean     float64 `json:"mean_words"`
}

// FieldCounts says how many records have each field.
type FieldCounts struct {
	InstructionPositive int `json:"instruction_positive"`
	InstructionNegative int `json:"instruction_negative"`
	QueryPositive       int `json:"query_positive"`
	QueryNegative       int `json:"query_negative"`
	Positive            int `json:"document_positive"`
	HardNegative1       int `json:"hard_negative_document_1"`
	HardNegative2       int `json:"hard_negative_document_2"`
}

// TripletStats streams training records once and counts.
func TripletStats(records iter.Seq2[Triplet, error]) (*TripletStatistics, error) {
	var s TripletStatistics
	var instructions, queries, passages wordCounter
	for r, err := range records {
		if err != nil {
			return nil, err
		}
		s.Records++
		instructions.add(r.InstructionPositive, &s.Fields.InstructionPositive)
		instructions.add(r.InstructionNegative, &s.Fields.InstructionNegative)
		queries.add(r.QueryPositive, &s.Fields.QueryPositive)
		queries.add(r.QueryNegative, &s.Fields.QueryNegative)
		passages.add(r.Positive, &s.Fields.Positive)
		passages.add(r.HardNegative1, &s.Fields.HardNegative1)
		passages.add(r.HardNegative2, &s.Fields.HardNegative2)
	}
	s.Instructions, s.Queries, s.Passages = instructions.statistics(), queries.statistics(), passages.statistics()
	return &s, nil
}

// wordCounter counts texts and their words.
type wordCounter struct {
	textCounter
	words int
}

// add counts a text, of its field too; "" is none.
func (c *wordCounter) add(text string, field *int) {
	if text == "" {
		return
	}
	*field++
	c.textCounter.add(text)
	c.words += len(strings.Fields(text))
}

func (c *wordCounter) statistics() WordStatistics {
	s := WordStatistics{Texts: c.n, Distinct: len(c.seen), Words: c.words}
	if c.n > 0 {
		s.Mean = float64(c.words) / float64(c.n)
	}
	return s
}
