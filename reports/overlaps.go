package reports

import (
	"fmt"
	"strings"

	"infbench/internal/words"
	"infbench/reports/scores"
	"infbench/reports/table"
	"infbench/runners/results"
)

// leak is an overlap with the benchmark of that name in the report.
type leak struct {
	results.Overlap
	shown string
}

// trainedOn is training data, with the world that it was generated from, and a benchmark
// for which the report shows a system trained on the data.
type trainedOn struct{ train, world, shown string }

// trainingPairs lists the pairs of training data and benchmark, in the order of trials and slots.
func trainingPairs(v *scores.Set) []trainedOn {
	var out []trainedOn
	seen := map[trainedOn]bool{}
	for _, t := range v.Trials {
		if t.Config[results.Loss] == "" {
			continue
		}
		for _, s := range v.Slots {
			p := trainedOn{t.Config[results.Data], t.Config[results.World], s.Benchmark}
			if judge := t.Config[results.Judge]; judge != "" { // not the records that are counted under the data's name
				p.train += ", judge " + words.Clean(judge)
			}
			if !seen[p] && t.Expects(s) {
				seen[p] = true
				out = append(out, p)
			}
		}
	}
	return out
}

// overlaps returns the overlaps that concern a report: between data that a trial was
// trained on and a benchmark shown for that trial. If something was counted twice, the
// first count is used.
func overlaps(v *scores.Set, all []results.Overlap) []leak {
	type key struct {
		trainedOn
		group string
		words int
	}
	seen := map[key]bool{}
	var out []leak
	for _, p := range trainingPairs(v) {
		for _, o := range all {
			k := key{p, o.Group, o.Words}
			about := words.Clean(o.Train) == p.train && words.Clean(o.Test) == v.Benchmarks[p.shown].Name && (o.World == "" || o.World == p.world)
			if about && !seen[k] {
				seen[k] = true
				out = append(out, leak{o, p.shown})
			}
		}
	}
	return out
}

// overlapsOf returns the counts that affect a report. If it judges claims these are all
// counts, because claims may be about any of them.
func overlapsOf(v *scores.Set, o Options) []results.Overlap {
	if len(o.Claims) > 0 {
		return o.Overlaps
	}
	var out []results.Overlap
	for _, l := range overlaps(v, o.Overlaps) {
		out = words.AddNew(out, l.Overlap)
	}
	return out
}

// perPair groups counts by training data and benchmark, in their order.
func perPair(all []leak) [][]leak {
	type pair struct {
		train, world, shown string
		words               int
	}
	index := map[pair]int{}
	var out [][]leak
	for _, o := range all {
		p := pair{o.Train, o.World, o.shown, o.Words}
		i, ok := index[p]
		if !ok {
			i = len(out)
			index[p] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], o)
	}
	return out
}

// total adds the counts of a pair.
func total(of []leak) leak {
	sum := of[0]
	for _, o := range of[1:] {
		sum.Texts, sum.Exact, sum.Partial = sum.Texts+o.Texts, sum.Exact+o.Exact, sum.Partial+o.Partial
	}
	if len(of) > 1 {
		sum.Group = "all"
	}
	return sum
}

// overlapTable shows the counts, and the groups of texts that share something. Notes name
// benchmarks that were not checked.
func overlapTable(v *scores.Set, all []results.Overlap) *table.Table {
	t := &table.Table{ID: "overlap", Title: "Contamination",
		Caption: "Texts of the benchmarks that occur in the training data word for word, or that share a run of words with it. Paraphrases are not detected.",
		Columns: []table.Column{{Name: "benchmark"}, {Name: "training data"}, {Name: "texts"}, {Name: "n", Number: true}, {Name: "word for word", Number: true}, {Name: "share a run", Number: true}, {Name: "run", Number: true}}}
	checked := map[string]bool{}
	for _, of := range perPair(overlaps(v, all)) {
		sum := total(of)
		checked[words.Clean(sum.Train)+"\x00"+sum.shown] = true
		t.Rows = append(t.Rows, sum.row())
		for _, o := range of {
			if len(of) > 1 && o.Exact+o.Partial > 0 {
				t.Rows = append(t.Rows, o.row())
			}
		}
	}
	var unchecked []string
	hint := ""
	for _, p := range trainingPairs(v) {
		if checked[p.train+"\x00"+p.shown] {
			continue
		}
		unchecked = words.AddNew(unchecked, p.shown)
		if name := v.Benchmarks[p.shown].Name; hint == "" && p.train != "" && !strings.ContainsAny(p.train, "@ ") { // a label may not be a name
			hint = fmt.Sprintf("; infbench data overlap %s %s counts it", p.train, name)
		}
	}
	if len(unchecked) > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("Not checked: %s. It is not known which of their texts are in the training data%s.", words.Listed(unchecked), hint))
	}
	t.Notes = append(t.Notes, removals(v)...)
	return t
}

// removals describes the records removed from training data before training.
func removals(v *scores.Set) []string {
	var out []string
	for _, t := range v.Trials {
		if r := t.Provenance.Removed; r != nil {
			out = words.AddNew(out, fmt.Sprintf("Systems with train.drop_overlap were trained on %s without %s of its %s records, which share a query or a passage with their test data.",
				t.Config[results.Data], words.Group(r.Records), words.Group(r.Of)))
		}
	}
	return out
}

// row formats one count.
func (o leak) row() table.Row {
	number := func(n int, bad bool) table.Entry {
		e := table.Number(words.Group(n), float64(n))
		if bad && n > 0 {
			e.Tone = table.Worse
		}
		return e
	}
	train := words.Clean(o.Train)
	if o.World != "" {
		train += ", world " + words.Clean(o.World)
	}
	return table.Row{Entries: []table.Entry{{Text: o.shown}, {Text: train}, {Text: words.Clean(o.Group)},
		number(o.Texts, false), number(o.Exact, true), number(o.Partial, true), {Text: words.Plural(o.Words, "word", "words")}}}
}

// overlapWarnings warns of benchmark texts on a board that are in training data.
func overlapWarnings(v *scores.Set, all []results.Overlap) []string {
	var out []string
	for _, of := range perPair(overlaps(v, all)) {
		if sum := total(of); sum.Exact > 0 {
			out = append(out, fmt.Sprintf("Warning: %s of %s in %s occur word for word in the training data %s.", words.Group(sum.Exact), words.Plural(sum.Texts, "text", "texts"), sum.shown, words.Clean(sum.Train)))
		}
	}
	return out
}
