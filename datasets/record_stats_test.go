package datasets

import (
	"slices"
	"testing"
)

func TestRecordStats(t *testing.T) {
	all := []Triplet{
		{"a", "be brief", "be  very long", "what is it", "who", "it is this", "not that", "they are"},
		{ID: "b", QueryPositive: "what is it", Positive: "one"},
	}
	s, err := RecordStats(func(yield func(Record, error) bool) {
		for _, r := range all {
			if !yield(r.Record(), nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	// Counted by hand.
	want := RecordStatistics{Records: 2, Rows: 4,
		Instructions: WordStatistics{Texts: 2, Distinct: 2, Words: 5, Mean: 2.5},
		Queries:      WordStatistics{Texts: 3, Distinct: 2, Words: 7, Mean: 7.0 / 3},
		Passages:     WordStatistics{Texts: 4, Distinct: 4, Words: 8, Mean: 2},
		Fields:       FieldCounts{InstructionPositive: 1, InstructionNegative: 1, QueryPositive: 2, QueryNegative: 1, Positive: 2, HardNegative1: 1, HardNegative2: 1}}
	if *s != want {
		t.Errorf("%+v, want %+v", *s, want)
	}
}

// TestRecordStatsPaper holds the definition to the paper's Table 1, which counts 77.5
// thousand instructions and queries and 116.2 thousand passages in 38,759 records: every
// text of a record counts, equal ones too.
func TestRecordStatsPaper(t *testing.T) {
	records := slices.Repeat([]Triplet{{"", "i", "i", "q", "q", "p", "p", "p"}}, 38759)
	s, err := RecordStats(func(yield func(Record, error) bool) {
		for _, r := range records {
			if !yield(r.Record(), nil) {
				return
			}
		}
	})
	if err != nil || s.Instructions.Texts != 77518 || s.Queries.Texts != 77518 || s.Passages.Texts != 116277 {
		t.Errorf("%+v, %v", s, err)
	}
}
