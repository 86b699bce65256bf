package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/reports/section"
	"infbench/reports/sentence"
	"infbench/reports/table"
	"infbench/runners/results"
)

// verdict is the verdict on an effect for tables.
func (e *probeEffect) verdict() table.Entry {
	within := "inside ±" + words.Fixed(100*probeBand, 0)
	switch {
	case !e.tested && e.n+e.undefined < fewest && e.ofType != everyType:
		return table.Entry{Text: fmt.Sprintf("too few: %s; %d are needed", words.Plural(e.n+e.undefined, "query", "queries"), fewest), Tone: table.Absent}
	case !e.tested:
		return table.Entry{Text: "not tested: too few queries have a value", Tone: table.Absent}
	case e.still():
		return table.Entry{Text: "nothing changes: every ranking is the same"}
	case e.shown() && e.inside():
		return table.Entry{Text: e.side() + ", and " + within}
	case e.shown():
		return table.Entry{Text: e.side(), Tone: e.tone()}
	case e.inside():
		return table.Entry{Text: "no effect: " + within}
	}
	text := "not significant"
	if v, ok := e.smallest(); ok {
		text += fmt.Sprintf("; ±%s would be detected in %.0f%%", words.Fixed(100*v, 1), 100*probeChance)
	}
	return table.Entry{Text: text}
}

// probeSides has the meaning of a shown change, lower and higher, by kind.
var probeSides = map[string][2]string{
	results.AskedNone:          {"lower: its own instruction helps", "higher: better without"},
	results.AskedShuffled:      {"lower: another's misleads", "higher: better with another's"},
	results.AskedChanged:       {"lower: the change is noticed", "higher: better with the change"},
	results.AskedContradiction: {"lower: the contradiction is noticed", "higher: better with the contradiction"},
	results.AskedParaphrase:    {"lower: the wording matters", "higher: the wording matters"},
	results.AskedRewording:     {"lower: the wording matters", "higher: the wording matters"},
}

// side returns the meaning of a shown change.
func (e *probeEffect) side() string {
	if e.change.Value < 0 {
		return probeSides[e.kind.Name][0]
	}
	return probeSides[e.kind.Name][1]
}

func (e *probeEffect) tone() table.Tone {
	if e.kind.Same || e.change.Value > 0 {
		return table.Worse
	}
	return table.Better
}

// term is the verdict on a system in sentences.
func (s *probedSubject) term(all, byType []*probeEffect) section.Term {
	t := section.Term{Name: s.system + " on " + s.benchmark, Text: s.usage(all).String()}
	for _, e := range all {
		if e.kind.Same && e.tested {
			t.More = append(t.More, sentence.Same{Means: e.kind.Means, Kind: e.kind.Name, Measure: s.measure(), By: words.Signed(e.change.Value), Interval: words.Interval(e.interval.Get()), Verdict: e.verdict().Text}.String())
		}
	}
	if moved, ok := s.movedFurther(all); ok {
		t.More = append(t.More, moved.String())
	}
	if found, ok := s.spread(); ok {
		t.More = append(t.More, s.spreadWords(found).String())
	}
	t.More = append(t.More, s.types(byType).String())
	return t
}

// usage judges whether the instructions are used: the answers get worse both without an
// instruction and with another query's. Only the second shows that a model reads them; only
// the first that it gains from them.
func (s *probedSubject) usage(all []*probeEffect) sentence.Usage {
	of := map[string]*probeEffect{}
	for _, e := range all {
		if e.tested {
			of[e.kind.Name] = e
		}
	}
	none, other := of[results.AskedNone], of[results.AskedShuffled]
	if none == nil {
		return sentence.Usage{Is: sentence.Untested}
	}
	out := sentence.Usage{Is: usageOf(none, other), Band: words.Fixed(100*probeBand, 0), None: s.change(none).String()}
	if other != nil {
		out.Other = s.change(other).String()
	}
	return out
}

// usageOf returns the verdict by the effects of no and of another query's instruction, nil if
// all queries of a task share one.
func usageOf(none, other *probeEffect) string {
	switch {
	case none.still() && (other == nil || other.still()):
		return sentence.Unmoved
	case none.lower() && other.lower():
		return sentence.Used
	case none.lower():
		return sentence.Helped
	case none.inside() && (other == nil || other.inside()):
		return sentence.Unused
	case none.shown() && other.lower():
		return sentence.ReadsBetterNone
	case none.shown():
		return sentence.BetterNone
	case other.lower():
		return sentence.Reads
	case other.shown():
		return sentence.BetterWithAnother
	}
	return sentence.Unknown
}

// change formats an effect and, if it is not shown, the size that would be found.
func (s *probedSubject) change(e *probeEffect) sentence.Change {
	out := sentence.Change{With: "without an instruction", Measure: s.measure(), From: words.Fixed(100*e.own, 1), By: words.Signed(e.change.Value), Interval: words.Interval(e.interval.Get())}
	if e.kind.Name != results.AskedNone {
		out.With = "with " + e.kind.Means
	}
	if v, ok := e.smallest(); ok && !e.shown() {
		out.Smallest, out.Chance = words.Fixed(100*v, 1), words.Fixed(100*probeChance, 0)
	}
	return out
}

// measure names the measures.
func (s *probedSubject) measure() string { return words.Clean(strings.Join(s.measures, " and ")) }

// movedFurther compares how far rankings move under instructions of another meaning with how
// far they move under the same one in other words: any change of text moves some rankings.
func (s *probedSubject) movedFurther(all []*probeEffect) (out sentence.MovedFurther, ok bool) {
	for _, e := range all {
		if e.kind.Same && e.tested {
			out.Than = e.kind.Name // the last: the frame alone is the smallest change
		}
	}
	for _, kind := range []string{results.AskedShuffled, results.AskedContradiction} {
		if d, ok := s.movedBeyond(kind, out.Than); ok {
			out.Under = append(out.Under, fmt.Sprintf("%s %s %s", kind, words.Signed(d.Value), words.Interval(d.Interval(probeCoverage).Get())))
		}
	}
	return out, out.Under != nil
}

// spreadWords reports how much wording alone changes a value.
func (s *probedSubject) spreadWords(v wordingSpread) sentence.Spread {
	share := 0.0
	if v.within > 0 {
		share = v.within / (v.within + v.between)
	}
	return sentence.Spread{Ways: v.ways, Queries: v.queries, Measure: s.measure(), Within: words.Fixed(100*math.Sqrt(v.within), 1), Between: words.Fixed(100*math.Sqrt(v.between), 1), Share: words.Fixed(100*share, 0)}
}

// types counts the queries by type of instruction, and lists the types for which no reaction
// to an instruction of another meaning is shown.
func (s *probedSubject) types(byType []*probeEffect) (out sentence.InstructionTypes) {
	for _, t := range results.InstructionTypes() {
		n := 0
		for _, task := range s.tasks {
			for _, i := range s.items[task] {
				if slices.ContainsFunc(i.queries, func(q *probedQuery) bool { return q.hasType(t) }) {
					n++
				}
			}
		}
		out.Counts = append(out.Counts, fmt.Sprintf("%s %s", t, words.Group(n)))
		mine := slices.DeleteFunc(slices.Clone(byType), func(e *probeEffect) bool { return e.ofType != t || e.kind.Same || !e.tested })
		if len(mine) > 0 && !slices.ContainsFunc(mine, (*probeEffect).shown) {
			out.Unused = append(out.Unused, t)
		}
	}
	return out
}

// notes lists the limits of the numbers.
func (s *probedSubject) notes(all []*probeEffect) []string {
	var out []string
	if s.runs > 1 {
		out = append(out, fmt.Sprintf("%s: means over %d training runs; the intervals do not include how runs vary.", s.system, s.runs))
	}
	for _, e := range all {
		if e.undefined > 0 {
			out = append(out, fmt.Sprintf("%s, %s: %s no value; left out.", s.system, e.kind.Name, words.Plural(e.undefined, "query has", "queries have")))
		}
		found, zeros := e.change.Coverage()
		if v, low := found.Get(); low && e.tested {
			out = append(out, fmt.Sprintf("%s, %s: few and skewed differences, %.0f%% of them 0. In simulations, such 95%% intervals contain the true value in about %.0f%%.", s.system, e.kind.Name, 100*zeros, 100*v))
		}
	}
	return out
}
