package reports

import (
	"fmt"
	"slices"
)

// Overlap says how much of one group of test texts stands in a training corpus.
type Overlap struct {
	Train   string `json:"train"`   // name of the training data
	Test    string `json:"test"`    // of the benchmark
	Group   string `json:"group"`   // "queries of headline"
	Words   int    `json:"words"`   // in a run
	Texts   int    `json:"texts"`   // looked at
	Exact   int    `json:"exact"`   // equal to a training text
	Partial int    `json:"partial"` // sharing a run of words with one
}

// dataKey is the configuration key of the training corpus.
const dataKey = "data"

// overlaps lists those of a report that concern it: a training corpus that one
// of its trials learnt from, and a benchmark that it shows.
func (v *view) overlaps(all []Overlap) []Overlap {
	var out []Overlap
	for _, o := range all {
		trained := slices.ContainsFunc(v.trials, func(t *trial) bool { return t.Config[dataKey] == clean(o.Train) })
		tested := slices.ContainsFunc(v.slots, func(s slot) bool { return v.benchmarks[s.Benchmark].Name == clean(o.Test) })
		if trained && tested {
			out = append(out, o)
		}
	}
	return out
}

// overlapTable shows what was counted; it says so where nothing was.
func (v *view) overlapTable(all []Overlap) *Table {
	t := &Table{ID: "overlap", Title: "Contamination",
		Caption: "Texts of the benchmarks that stand in the training corpus, as infbench data overlap counted them.",
		Columns: []Column{{Name: "benchmark"}, {Name: "training data"}, {Name: "texts"}, {Name: "n", Number: true}, {Name: "word for word", Number: true}, {Name: "share a run", Number: true}, {Name: "run", Number: true}}}
	var checked []string
	for _, o := range v.overlaps(all) {
		checked = addNew(checked, clean(o.Test))
		partial := number(group(o.Partial), float64(o.Partial))
		exact := number(group(o.Exact), float64(o.Exact))
		if o.Exact > 0 {
			exact.Tone = Worse
		}
		if o.Partial > 0 {
			partial.Tone = Worse
		}
		t.Rows = append(t.Rows, Row{Entries: []Entry{{Text: clean(o.Test)}, {Text: clean(o.Train)}, {Text: clean(o.Group)},
			number(group(o.Texts), float64(o.Texts)), exact, partial, {Text: plural(o.Words, "word", "words")}}})
	}
	var unchecked []string
	for _, name := range v.trainedOn() {
		if !slices.Contains(checked, name) {
			unchecked = addNew(unchecked, name)
		}
	}
	if len(unchecked) > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("Not checked: %s. Nothing is known of what of them stands in the training data.", listed(unchecked)))
	}
	return t
}

// trainedOn lists the benchmarks on which trained systems are shown.
func (v *view) trainedOn() []string {
	var out []string
	if len(v.trained()) == 0 {
		return nil
	}
	for _, s := range v.slots {
		out = addNew(out, v.benchmarks[s.Benchmark].Name)
	}
	return out
}

// overlapWarnings words what of a board's benchmarks stands in training data.
func (v *view) overlapWarnings(all []Overlap) []string {
	type pair struct{ train, test string }
	var order []pair
	texts, found := map[pair]int{}, map[pair]int{}
	for _, o := range v.overlaps(all) {
		p := pair{clean(o.Train), clean(o.Test)}
		if texts[p] == 0 {
			order = append(order, p)
		}
		texts[p] += o.Texts
		found[p] += o.Exact
	}
	var out []string
	for _, p := range order {
		if found[p] > 0 {
			out = append(out, fmt.Sprintf("Warning: %s of %s in %s stand word for word in the training data %s.", group(found[p]), plural(texts[p], "text", "texts"), p.test, p.train))
		}
	}
	return out
}
