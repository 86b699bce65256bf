package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/runners/results"
)

// verdict says what the tests of an effect allow to say.
func (e *probeEffect) verdict() table.Entry {
	within := "inside ±" + words.Fixed(100*probeBand, 0)
	switch {
	case !e.tested && e.n+e.undefined < fewest && e.ofType != everyType:
		return table.Entry{Text: fmt.Sprintf("too few: %s, and %d are needed", words.Plural(e.n+e.undefined, "query", "queries"), fewest), Tone: table.Absent}
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
	text := "not shown"
	if v, ok := e.smallest(); ok {
		text += fmt.Sprintf("; ±%s would be, in %.0f%%", words.Fixed(100*v, 1), 100*probeChance)
	}
	return table.Entry{Text: text}
}

// probeSides are the meanings of a shown change, lower and higher, by kind.
var probeSides = map[string][2]string{
	results.AskedNone:          {"lower: the own one helps", "higher: better without"},
	results.AskedShuffled:      {"lower: another's misleads", "higher: better with another's"},
	results.AskedChanged:       {"lower: told apart", "higher: better with the change"},
	results.AskedContradiction: {"lower: told apart", "higher: better with the contrary"},
	results.AskedParaphrase:    {"lower: the wording matters", "higher: the wording matters"},
	results.AskedRewording:     {"lower: the wording matters", "higher: the wording matters"},
}

// side words a change that is shown by what it means.
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

// term is the verdict on a system, in sentences.
func (s *probedSubject) term(all, byType []*probeEffect) section.Term {
	t := section.Term{Name: s.system + " on " + s.benchmark, Text: s.judged(all)}
	for _, e := range all {
		if e.kind.Same && e.tested {
			t.More = append(t.More, fmt.Sprintf("Asked for %s (%s), %s changes by %s %s: %s.", e.kind.Means, e.kind.Name, s.measure(), words.Signed(e.change.Value), words.Interval(e.interval.Get()), e.verdict().Text))
		}
	}
	t.More = append(t.More, s.movedWords(all)...)
	if found, ok := s.spread(); ok {
		t.More = append(t.More, s.spreadWords(found))
	}
	return section.Term{Name: t.Name, Text: t.Text, More: append(t.More, unreactiveByType(byType, s)...)}
}

// judged answers whether the instructions are used: they are where queries are answered
// worse both without one and with another query's. Only the second says that a model
// reads them; only the first that it gains by them.
func (s *probedSubject) judged(all []*probeEffect) string {
	of := map[string]*probeEffect{}
	for _, e := range all {
		if e.tested {
			of[e.kind.Name] = e
		}
	}
	none, other := of[results.AskedNone], of[results.AskedShuffled]
	if none == nil {
		return "not tested: too few queries have a value."
	}
	if other == nil {
		return s.judgedAlone(none)
	}
	both := s.said(none) + "; " + s.said(other) + "."
	switch {
	case none.still() && other.still():
		return "does not use the instruction: every ranking is the same without it, and with another."
	case none.lower() && other.lower():
		return "uses the instruction: " + both
	case none.lower():
		return "is helped by having an instruction, and that it be the query's own is not shown: " + both
	case none.inside() && other.inside():
		return fmt.Sprintf("does not use the instruction within ±%s: %s", words.Fixed(100*probeBand, 0), both)
	case none.shown() && other.lower():
		return "reads the instruction, and is better without it: " + both
	case none.shown():
		return "is better without the instruction: " + both
	case other.lower():
		return "reads the instruction, and is not shown to gain by it: " + s.found(none) + "; " + s.said(other) + "."
	case other.shown():
		return "is better with another query's instruction: " + both
	}
	return "use of the instruction is not shown: " + s.found(none) + "; " + s.found(other) + "."
}

// judgedAlone is judged where all queries of a task have one instruction.
func (s *probedSubject) judgedAlone(none *probeEffect) string {
	const alone = " All queries of a task have one instruction, so none can be given another's."
	switch {
	case none.still():
		return "does not use the instruction: every ranking is the same without it." + alone
	case none.lower():
		return "is helped by having an instruction: " + s.said(none) + "." + alone
	case none.inside():
		return fmt.Sprintf("is not helped by having an instruction, within ±%s: %s.%s", words.Fixed(100*probeBand, 0), s.said(none), alone)
	case none.shown():
		return "is better without the instruction: " + s.said(none) + "." + alone
	}
	return "that an instruction helps is not shown: " + s.found(none) + "." + alone
}

// found is what is said of an effect that is not shown, with how large one would be.
func (s *probedSubject) found(e *probeEffect) string {
	if v, ok := e.smallest(); ok && !e.shown() {
		return fmt.Sprintf("%s (±%s would be found in %.0f%% of cases)", s.said(e), words.Fixed(100*v, 1), 100*probeChance)
	}
	return s.said(e)
}

// said is an effect in a sentence.
func (s *probedSubject) said(e *probeEffect) string {
	with := "without an instruction"
	if e.kind.Name != results.AskedNone {
		with = "with " + e.kind.Means
	}
	return fmt.Sprintf("%s, %s changes from %s by %s %s", with, s.measure(), words.Fixed(100*e.own, 1), words.Signed(e.change.Value), words.Interval(e.interval.Get()))
}

// measure names what is measured.
func (s *probedSubject) measure() string { return words.Clean(strings.Join(s.measures, " and ")) }

// movedWords hold how far rankings move under instructions of another meaning against
// how far they do under the same one: any other text moves some rankings.
func (s *probedSubject) movedWords(all []*probeEffect) []string {
	var same string
	for _, e := range all {
		if e.kind.Same && e.tested {
			same = e.kind.Name // the last: the frame alone is the smallest change
		}
	}
	var out []string
	for _, kind := range []string{results.AskedShuffled, results.AskedContradiction} {
		if d, ok := s.movedBeyond(kind, same); ok {
			out = append(out, fmt.Sprintf("under %s by %s %s", kind, words.Signed(d.Value), words.Interval(d.Interval(probeCoverage).Get())))
		}
	}
	if out == nil {
		return nil
	}
	return []string{fmt.Sprintf("How much further rankings move than under %s: %s (95%% each by itself).", same, strings.Join(out, ", "))}
}

// spreadWords says how far the wording alone carries a value.
func (s *probedSubject) spreadWords(v wordingSpread) string {
	share := 0.0
	if v.within > 0 {
		share = v.within / (v.within + v.between)
	}
	return fmt.Sprintf("Over up to %d ways of asking for the same, a query's %s lies ±%s about its mean (standard deviation ×100, %s), and queries of a task differ by ±%s: %.0f%% of the variance is wording.",
		v.ways, s.measure(), words.Fixed(100*math.Sqrt(v.within), 1), words.Plural(v.queries, "query", "queries"), words.Fixed(100*math.Sqrt(v.between), 1), 100*share)
}

// unreactiveByType reports how many queries of each type show no reaction to any
// instruction of another meaning.
func unreactiveByType(byType []*probeEffect, s *probedSubject) []string {
	var counts, unused []string
	for _, t := range results.InstructionTypes() {
		n := 0
		for _, task := range s.tasks {
			for _, i := range s.items[task] {
				if slices.ContainsFunc(i.queries, func(q *probedQuery) bool { return q.is(t) }) {
					n++
				}
			}
		}
		counts = append(counts, fmt.Sprintf("%s %s", t, words.Group(n)))
		mine := slices.DeleteFunc(slices.Clone(byType), func(e *probeEffect) bool { return e.ofType != t || e.kind.Same || !e.tested })
		if len(mine) > 0 && !slices.ContainsFunc(mine, (*probeEffect).shown) {
			unused = append(unused, t)
		}
	}
	out := []string{"Queries by type of instruction, of several where it is of several: " + strings.Join(counts, ", ") + "."}
	if len(unused) > 0 {
		out = append(out, "No reaction to an instruction of another meaning is shown where it is of: "+strings.Join(unused, ", ")+".")
	}
	return out
}

// notes say what must be known of the numbers.
func (s *probedSubject) notes(all []*probeEffect) []string {
	var out []string
	if s.runs > 1 {
		out = append(out, fmt.Sprintf("%s: means over %d training runs, which are taken as they are.", s.system, s.runs))
	}
	for _, e := range all {
		if e.undefined > 0 {
			out = append(out, fmt.Sprintf("%s, %s: %s no value and are left out.", s.system, e.kind.Name, words.Plural(e.undefined, "query has", "queries have")))
		}
		found, zeros := e.change.Coverage()
		if v, low := found.Get(); low && e.tested {
			out = append(out, fmt.Sprintf("%s, %s: few and skewed differences, %.0f%% of them 0; in simulation 95%% intervals like it hold the true value in about %.0f%%.", s.system, e.kind.Name, 100*zeros, 100*v))
		}
	}
	return out
}
