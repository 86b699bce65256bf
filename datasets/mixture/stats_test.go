package mixture

import (
	"slices"
	"testing"

	"infbench/datasets"
)

func TestStats(t *testing.T) {
	all := []datasets.Triplet{
		{ID: "a", InstructionPositive: "be brief", InstructionNegative: "be  very long", QueryPositive: "what is it", QueryNegative: "who",
			Positive: "it is this", HardNegative1: "not that", HardNegative2: "they are"},
		{ID: "b", QueryPositive: "what is it", Positive: "one"},
	}
	s, err := Stats(func(yield func(datasets.Record, error) bool) {
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
	want := Statistics{Records: 2, Rows: 4,
		Instructions: WordStatistics{Texts: 2, Distinct: 2, Words: 5, Mean: 2.5},
		Queries:      WordStatistics{Texts: 3, Distinct: 2, Words: 7, Mean: 7.0 / 3},
		Passages:     WordStatistics{Texts: 4, Distinct: 4, Words: 8, Mean: 2},
		Fields:       FieldCounts{InstructionPositive: 1, InstructionNegative: 1, QueryPositive: 2, QueryNegative: 1, Positive: 2, HardNegative1: 1, HardNegative2: 1}}
	if *s != want {
		t.Errorf("%+v, want %+v", *s, want)
	}
}

// TestStatsPaper checks the definition against the paper's Table 1, which counts 77.5 thousand
// instructions and queries and 116.2 thousand passages in 38,759 records: every text of a record
// counts, also equal ones.
func TestStatsPaper(t *testing.T) {
	records := slices.Repeat([]datasets.Triplet{{InstructionPositive: "i", InstructionNegative: "i", QueryPositive: "q", QueryNegative: "q", Positive: "p", HardNegative1: "p", HardNegative2: "p"}}, 38759)
	s, err := Stats(func(yield func(datasets.Record, error) bool) {
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
