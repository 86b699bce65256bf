package probe

import (
	"slices"
	"testing"

	"infbench/runners/results"
)

func TestTypesOf(t *testing.T) {
	for _, c := range []struct {
		instruction string
		want        []string
	}{
		{"Find passages on volcanoes.", []string{results.TypeOther}},
		{"Relevant texts are only those set in Nordic places.", []string{results.TypeOther}},
		{"Documents on the notion of nothingness are relevant.", []string{results.TypeOther}},
		{"Find papers that do not use deep learning.", []string{"negation"}},
		{"A relevant document doesn't describe Hubble.", []string{"negation"}},
		{"Recipes without nuts.", []string{"negation", "format"}},
		{"Relevant documents name a hotel. Documents about hostels are not relevant.", []string{"negation", "exclusion"}},
		{"All animals except cats.", []string{"exclusion"}},
		{"Find texts showing praise but not blame.", []string{"negation", "exclusion"}},
		{"Anything other than football, in a brief passage.", []string{"exclusion", "length"}},
		{"Give me a concise answer.", []string{"length"}},
		{"An answer of two sentences, please.", []string{"length"}},
		{"Only papers published after 2015.", []string{"date"}},
		{"Events of the 19th century.", []string{"date"}},
		{"Please retrieve notes which evoke the era of mammoths.", []string{"date"}},
		{"The most recent results.", []string{"date"}},
		{"We may march on.", []string{results.TypeOther}},
		{"Texts which suit pupils or kids.", []string{"audience"}},
		{"I am a homeowner looking for a wine cabinet.", []string{"audience"}},
		{"As a nurse, I need dosages.", []string{"audience"}},
		{"Explain it to a layperson.", []string{"audience"}},
		{"A tutorial with code for beginners.", []string{"audience", "format"}},
		{"Those which are written as ballads.", []string{"format"}},
		{"Only news articles.", []string{"format"}},
		{"As a result, prices fell over the long term.", []string{results.TypeOther}},
		{"Briefly, and as a table.", []string{"length", "format"}},
		{"Longer articles about the 1990s.", []string{"length", "date", "format"}},
		{"", []string{results.TypeOther}},
	} {
		if got := TypesOf(c.instruction); !slices.Equal(got, c.want) {
			t.Errorf("TypesOf(%q) = %q, want %q", c.instruction, got, c.want)
		}
	}
	if types := results.InstructionTypes(); types[len(types)-1] != results.TypeOther || len(types) != 7 {
		t.Errorf("types %q", types)
	}
}
