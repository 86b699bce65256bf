package reports

import (
	"fmt"
	"slices"

	"infbench/bench/results"
	"infbench/reports/scores"
	"infbench/reports/table"
	"infbench/reports/words"
)

// overlaps lists those of a report that concern it: a training corpus that one
// of its trials learnt from, and a benchmark that it shows.
func overlaps(v *scores.Set, all []Overlap) []Overlap {
	var out []Overlap
	for _, o := range all {
		trained := slices.ContainsFunc(v.Trials, func(t *scores.Trial) bool { return t.Config[results.Data] == words.Clean(o.Train) })
		tested := slices.ContainsFunc(v.Slots, func(s scores.Slot) bool { return v.Benchmarks[s.Benchmark].Name == words.Clean(o.Test) })
		if trained && tested {
			out = append(out, o)
		}
	}
	return out
}

// overlapTable shows what was counted; it says so where nothing was.
func overlapTable(v *scores.Set, all []Overlap) *table.Table {
	t := &table.Table{ID: "overlap", Title: "Contamination",
		Caption: "Texts of the benchmarks that stand in the training corpus, as infbench data overlap counted them.",
		Columns: []table.Column{{Name: "benchmark"}, {Name: "training data"}, {Name: "texts"}, {Name: "n", Number: true}, {Name: "word for word", Number: true}, {Name: "share a run", Number: true}, {Name: "run", Number: true}}}
	var checked []string
	for _, o := range overlaps(v, all) {
		checked = words.AddNew(checked, words.Clean(o.Test))
		partial := table.Number(words.Group(o.Partial), float64(o.Partial))
		exact := table.Number(words.Group(o.Exact), float64(o.Exact))
		if o.Exact > 0 {
			exact.Tone = table.Worse
		}
		if o.Partial > 0 {
			partial.Tone = table.Worse
		}
		t.Rows = append(t.Rows, table.Row{Entries: []table.Entry{{Text: words.Clean(o.Test)}, {Text: words.Clean(o.Train)}, {Text: words.Clean(o.Group)},
			table.Number(words.Group(o.Texts), float64(o.Texts)), exact, partial, {Text: words.Plural(o.Words, "word", "words")}}})
	}
	var unchecked []string
	for _, name := range trainedOn(v) {
		if !slices.Contains(checked, name) {
			unchecked = words.AddNew(unchecked, name)
		}
	}
	if len(unchecked) > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("Not checked: %s. Nothing is known of what of them stands in the training data.", words.Listed(unchecked)))
	}
	return t
}

// trainedOn lists the benchmarks on which trained systems are shown.
func trainedOn(v *scores.Set) []string {
	var out []string
	if len(v.Trained()) == 0 {
		return nil
	}
	for _, s := range v.Slots {
		out = words.AddNew(out, v.Benchmarks[s.Benchmark].Name)
	}
	return out
}

// overlapWarnings words what of a board's benchmarks stands in training data.
func overlapWarnings(v *scores.Set, all []Overlap) []string {
	type pair struct{ train, test string }
	var order []pair
	texts, found := map[pair]int{}, map[pair]int{}
	for _, o := range overlaps(v, all) {
		p := pair{words.Clean(o.Train), words.Clean(o.Test)}
		if texts[p] == 0 {
			order = append(order, p)
		}
		texts[p] += o.Texts
		found[p] += o.Exact
	}
	var out []string
	for _, p := range order {
		if found[p] > 0 {
			out = append(out, fmt.Sprintf("Warning: %s of %s in %s stand word for word in the training data %s.", words.Group(found[p]), words.Plural(texts[p], "text", "texts"), p.test, p.train))
		}
	}
	return out
}
