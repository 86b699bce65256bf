package probe

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"infbench/bench/probe"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/reports/words"
)

// verdict says what the tests of an effect allow to say.
func (e *effect) verdict() table.Entry {
	within := "inside ±" + words.Fixed(100*band, 0)
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
		text += fmt.Sprintf("; ±%s would be, in %.0f%%", words.Fixed(100*v, 1), 100*chance)
	}
	return table.Entry{Text: text}
}

// side words a change that is shown by what it means.
func (e *effect) side() string {
	switch {
	case e.kind.Same && e.change.Value < 0:
		return "lower: the wording matters"
	case e.kind.Same:
		return "higher: the wording matters"
	case e.change.Value < 0:
		return "lower: it is used"
	}
	return "higher: better so"
}

func (e *effect) tone() table.Tone {
	if e.kind.Same || e.change.Value > 0 {
		return table.Worse
	}
	return table.Better
}

// term is the verdict on a system, in sentences.
func (s *subject) term(all, byType []*effect) section.Term {
	t := section.Term{Name: s.system + " on " + s.benchmark, Text: s.judged(all)}
	for _, e := range all {
		if e.kind.Same && e.tested {
			t.More = append(t.More, fmt.Sprintf("Asked for %s (%s), %s changes by %s %s: %s.", e.kind.Means, e.kind.Name, s.measure(), words.Signed(e.change.Value), words.Interval(e.interval), e.verdict().Text))
		}
	}
	t.More = append(t.More, s.movedWords(all)...)
	if found, ok := s.spread(); ok {
		t.More = append(t.More, s.spreadWords(found))
	}
	return section.Term{Name: t.Name, Text: t.Text, More: append(t.More, counted(byType, s)...)}
}

// judged answers whether the instructions are used. Another query's instruction is the
// test: without one a model may also react to a query that is shorter.
func (s *subject) judged(all []*effect) string {
	of := map[string]*effect{}
	for _, e := range all {
		if e.tested {
			of[e.kind.Name] = e
		}
	}
	shuffled, none := of[probe.Shuffled], of[probe.None]
	key := shuffled
	if key == nil {
		key = none
	}
	switch {
	case key == nil:
		return "not tested: too few queries have a value."
	case key.lower():
		return "uses the instruction: " + s.said(key) + "."
	case none.still() && key.still():
		return "does not use the instruction: every ranking is the same without it, and with another."
	case key.inside() && none.inside():
		return fmt.Sprintf("does not use the instruction within ±%s: %s; %s.", words.Fixed(100*band, 0), s.said(key), s.said(none))
	case none.lower():
		return "is helped by having an instruction, and that it be the query's own is not shown: " + s.said(none) + "; " + s.said(key) + "."
	case key.shown():
		return "is better with another query's instruction: " + s.said(key) + "."
	}
	text := "use of the instruction is not shown: " + s.said(key)
	if v, ok := key.smallest(); ok {
		text += fmt.Sprintf(" (±%s would be found in %.0f%% of cases)", words.Fixed(100*v, 1), 100*chance)
	}
	return text + "."
}

// said is an effect in a sentence.
func (s *subject) said(e *effect) string {
	with := "without an instruction"
	if e.kind.Name != probe.None {
		with = "with " + e.kind.Means
	}
	return fmt.Sprintf("%s, %s changes from %s by %s %s", with, s.measure(), words.Fixed(100*e.own, 1), words.Signed(e.change.Value), words.Interval(e.interval))
}

// measure names what is measured.
func (s *subject) measure() string { return words.Clean(strings.Join(s.measures, " and ")) }

// movedWords hold how far rankings move under instructions of another meaning against
// how far they do under the same one: any other text moves some rankings.
func (s *subject) movedWords(all []*effect) []string {
	var same string
	for _, e := range all {
		if e.kind.Same && e.tested {
			same = e.kind.Name // the last: the frame alone is the smallest change
		}
	}
	var out []string
	for _, kind := range []string{probe.Shuffled, probe.Contradiction} {
		if d, ok := s.movedBeyond(kind, same); ok {
			out = append(out, fmt.Sprintf("under %s by %s %s", kind, words.Signed(d.Value), words.Interval(d.Interval(coverage))))
		}
	}
	if out == nil {
		return nil
	}
	return []string{fmt.Sprintf("How much further rankings move than under %s: %s (95%% each by itself).", same, strings.Join(out, ", "))}
}

// spreadWords says how far the wording alone carries a value.
func (s *subject) spreadWords(v spread) string {
	share := 0.0
	if v.within > 0 {
		share = v.within / (v.within + v.between)
	}
	return fmt.Sprintf("Over up to %d ways of asking for the same, a query's %s lies ±%s about its mean (standard deviation ×100, %s), and queries of a task differ by ±%s: %.0f%% of the variance is wording.",
		v.ways, s.measure(), words.Fixed(100*math.Sqrt(v.within), 1), words.Plural(v.queries, "query", "queries"), words.Fixed(100*math.Sqrt(v.between), 1), 100*share)
}

// counted says how many queries are of each type, and which types show no use of their
// instruction.
func counted(byType []*effect, s *subject) []string {
	var counts, unused []string
	for _, t := range probe.Types() {
		n := 0
		for _, task := range s.tasks {
			for _, i := range s.items[task] {
				if slices.ContainsFunc(i.queries, func(q *query) bool { return q.is(t) }) {
					n++
				}
			}
		}
		counts = append(counts, fmt.Sprintf("%s %s", t, words.Group(n)))
		for _, e := range byType {
			if e.ofType == t && e.kind.Name == probe.Shuffled && e.tested && !e.lower() {
				unused = append(unused, t)
			}
		}
	}
	out := []string{"Queries by type of instruction, of several where it is of several: " + strings.Join(counts, ", ") + "."}
	if len(unused) > 0 {
		out = append(out, "Not shown to be used by type: "+strings.Join(unused, ", ")+".")
	}
	return out
}

// notes say what must be known of the numbers.
func (s *subject) notes(all []*effect) []string {
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
