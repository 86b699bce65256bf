package sentence

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/examples.golden")

const (
	first = "nDCG@10 on mini-bright"
	basis = "one of 55 pairs of systems of the column; n = 80 queries; 3 seeds each"
)

var leader = Leader{Number: first, System: "uni(P)", Value: "72.0", Extreme: "highest", Of: 11, Subject: "trained systems", Tested: true, Level: []string{"uni(P)", "uni(I)"}}

var drop = Drop{After: "6.70", Before: "78.10", Fall: "drop", By: "71.40", Limit: "1.00", P: "p < 0.0001", AtHand: "p = 0.2000", N: 80}

const bound = "a run assumed to vary by ±6.0 around its system"

// change returns an example with other facts.
func change[T any](of T, by func(*T)) T {
	by(&of)
	return of
}

// examples are facts that reach each branch of the templates.
var examples = []fmt.Stringer{
	Finished{8, 8, 0}, Finished{1, 1, 0}, Finished{8, 8, 2}, Finished{7, 8, 0}, Finished{7, 8, 1}, Finished{0, 1, 0},
	Title{Questions: []string{"Which loss is best?", "At which size?"}}, Title{}, Title{Systems: 1, System: "bm25", Measures: []string{"p-MRR", "AP", "nDCG@10"}},
	Title{Systems: 4, Axes: []string{"loss"}, Measures: []string{"p-MRR"}}, Title{Systems: 9, Axes: []string{"loss", "backbone"}, Measures: []string{"a", "b", "c", "d", "e"}},
	Best{},
	Best{Ranked: 5, Leads: []Lead{{"bm25", []string{"p-MRR on a (+2.1)", "AP on b (64.0)", "AP on c (63.1)", "AP on d (61.0)"}}, {"uni(P)", []string{"nDCG@5 on c (50.5)"}}}},
	Best{Ranked: 3, Leads: []Lead{{"bm25", []string{"AP on b (64.0)"}}}, Open: []Lead{{"uni(P)", []string{"p-MRR on a (+2.1)", "nDCG@5 on c (50.5)"}}}, Level: 2, Least: 2, Most: 4},
	Best{Ranked: 2, Leads: []Lead{{"bm25", []string{"AP on b (64.0)"}}}, Open: []Lead{{"uni(P)", []string{"p-MRR on a (+2.1)"}}}, Level: 1, Least: 2, Most: 2},
	Best{Ranked: 2, Open: []Lead{{"uni(P)", []string{"p-MRR on a (+2.1)"}}, {"uni(I)", []string{"AP on b (64.0)"}}}, Level: 2, Least: 3, Most: 3},
	Best{Ranked: 1, Open: []Lead{{"uni(P)", []string{"p-MRR on a (+2.1)"}}}, Level: 1, Least: 3, Most: 3},
	Compared{Reference: "the untrained encoder", Tested: 10, Better: 4, Worse: 1, Open: slices.Repeat([]string{"uni(P) in AP on b"}, 5), OneRun: true},
	Compared{Reference: "the untrained encoder", Tested: 6, Better: 6}, Compared{Reference: "the reference bm25", Tested: 2, Worse: 2}, Compared{Reference: "the reference bm25", Tested: 1, Better: 1},
	Compared{Reference: "the untrained encoder", Tested: 10, Open: slices.Repeat([]string{"x"}, 10), Untested: 5}, Compared{Reference: "the untrained encoder", Tested: 4, Better: 2, Worse: 1, Differs: 1},
	Compared{Reference: "the untrained encoder", Untested: 3}, Compared{Reference: "the untrained encoder"}, Compared{Untestable: Untestable{Reference: "bm52", Board: "real data"}.String()},
	Controls{Checked: 32}, Controls{Checked: 1}, Controls{}, Controls{Checked: 32, Declared: Declared{"untrained, bm25 in " + first}.String()},
	Controls{Failed: []FailedControl{{"below chance", first, []string{"uni(P)"}}, {"instructions that change nothing", "p-MRR on null", []string{"uni(P)", "uni(I)"}}}, More: 2, Checked: 32},
	Declared{}, Declared{"untrained, bm25 in " + first},
	ControlsOfPage{}, ControlsOfPage{Checked: 1}, ControlsOfPage{Checked: 32}, ControlsOfPage{Failed: []string{"uni(P)", "uni(I)"}, Checked: 32},
	change(leader, func(l *Leader) { l.Shown = true }),
	change(leader, func(l *Leader) { l.Shown, l.Lower, l.Extreme, l.OneRun, l.Fails = true, true, "lowest", true, true }),
	leader, change(leader, func(l *Leader) { l.Of = 2 }),
	change(leader, func(l *Leader) { l.Level = slices.Repeat([]string{"x"}, 6) }), change(leader, func(l *Leader) { l.Level = slices.Repeat([]string{"x"}, 11) }),
	change(leader, func(l *Leader) { l.Equal = l.Level }),
	change(leader, func(l *Leader) { l.Tested = false }),
	LossLeader{Leader: change(leader, func(l *Leader) { l.Shown, l.Subject = true, "losses" }), Settings: 1, Axes: []string{"backbone"}},
	LossLeader{Leader: change(leader, func(l *Leader) { l.Subject = "losses" }), Settings: 4, Axes: []string{"backbone", "train.lr"}},
	Left{1}, Left{2},
	Margin{System: "uni(P)", Other: "uni(I)", Difference: Difference{"+1.2", "[+0.3, +2.1]", "p = 0.0100"}, Basis: basis},
	Margin{System: "uni(P)", Other: "uni(I)", Difference: Difference{"+1.2", "[-0.3, +2.1]", ""}, Basis: basis},
	Margin{System: "uni(P)", Other: "bm25", Difference: Difference{"+5.3", "[-7.1, +17.7]", "p = 1.0000"}, Basis: "one of 20 comparisons with bm25 on followir", Verdict: "no difference shown"},
	NotTested{1, "the untrained encoder"}, NotTested{2, "bm25"},
	Once{true}, Once{},
	OtherNumbers{Of: 4}, OtherNumbers{Of: 4, Shown: []string{"uni(P) in AP on b"}}, OtherNumbers{Of: 2, Shown: []string{"uni(P) in AP on b", "uni(I) in AP on c (this run)"}, Losses: true},
	Against{System: "uni(P)", Reference: "bm25"}, Against{System: "uni(P)", Reference: "bm25", Won: true, Points: "5.3"}, Against{System: "uni(P)", Reference: "bm25", Lost: true, Points: "5.3"},
	Against{System: "uni(P)", Reference: "the untrained encoder", Won: true, Points: "45.7", Better: 11, Trained: 11},
	Against{System: "uni(P)", Reference: "the untrained encoder", Won: true, Points: "45.7", Better: 1, Trained: 11}, Against{System: "uni(P)", Reference: "the untrained encoder", Won: true, Points: "45.7", Better: 2, Trained: 2},
	Against{System: "uni(P)", Reference: "the untrained encoder", Better: 2, Trained: 11}, Against{System: "uni(P)", Reference: "the untrained encoder", Trained: 11},
	Against{System: "uni(P)", Reference: "the untrained encoder", Lost: true, Points: "3.2", Trained: 11},
	Alone{"bm25", []string{"58.9 in " + first}, "it is the only system"}, Alone{"bm25", []string{"+5.9 in p-MRR on a", "58.9 in AP on a"}, "chosen by its results"},
	Runs{Systems: 2}, Runs{1, 1, 1}, Runs{2, 1, 1}, Runs{1, 3, 3}, Runs{2, 3, 3}, Runs{2, 1, 3}, Runs{4, 1, 3},
	Finding{Number: first, Of: 2, Untested: []string{"a", "b"}},
	Finding{Number: first, Of: 11, Better: slices.Repeat([]string{"x"}, 11), Ahead: "above", Behind: "below", Reference: "the untrained encoder", N: "80 queries", Level: .05, OneRun: 11},
	Finding{Number: first, Of: 5, Better: []string{"a"}, Worse: []string{"b"}, Same: []string{"c", "d"}, Untested: []string{"e"}, Ahead: "below", Behind: "above", Lower: true, Reference: "bm25", N: "9 to 10 queries", Level: .05, OneRun: 1, Untrained: "bm25", Extreme: "lowest", Value: "63.4"},
	Untestable{Reference: "bm52", Board: "real data"}, Untestable{Start: true, Board: "real data"},
	Moved{System: "uni(P)", Number: "p-MRR on null", Difference: Difference{"+4.0", "[+2.0, +6.0]", "p = 0.0010"}, OneRun: true},
	BelowChance{System: "uni(P)", Number: first, Difference: Difference{By: "-4.0", Interval: "[-6.0, -2.0]"}, Chance: "random"},
	BelowChance{System: "bm25", Number: first, Difference: Difference{By: "+4.0", Interval: "[+2.0, +6.0]"}, Chance: "random", OneRun: true, Defeated: true, Data: "no shared words."},
	Change{"without an instruction", "AP", "50.1", "-3.0", "[-5.0, -1.0]", "", ""}, Change{"with another query's instruction", "AP", "50.1", "-1.0", "[-3.0, +1.0]", "2.5", "80"},
	Same{"the same in other words", "paraphrase", "AP", "-0.1", "[-1.0, +0.8]", "no effect: inside ±2"},
	MovedFurther{"paraphrase", []string{"shuffled +3.1 [+1.0, +5.2]"}},
	Spread{5, 40, "AP", "3.1", "20.0", "2"},
	Drop{After: "78.10", Before: "77.90", Fall: "drop"}, Drop{After: "77.90", Before: "78.10", Fall: "drop", By: "0.20", Limit: "1.00"},
	change(drop, func(d *Drop) { d.Is = AnyDrop }), change(drop, func(d *Drop) { d.Is = AcceptedDrop }),
	change(drop, func(d *Drop) { d.Is, d.Why, d.Accepted, d.Further = UntestedDrop, "not tested", "9.00", "2.30" }),
	change(drop, func(d *Drop) { d.Is, d.Why, d.Bound = BeyondSeeds, "not tested: one query", bound }),
	change(drop, func(d *Drop) { d.Is = Significant }), change(drop, func(d *Drop) { d.Is, d.Runs, d.Bound = Significant, 6, bound }),
	change(drop, func(d *Drop) { d.Is = NotSignificant }), change(drop, func(d *Drop) { d.Is = NotEvenHere }),
	change(drop, func(d *Drop) { d.Is, d.Cure = TheseRuns, Cure{Needed: 5}.String() }), change(drop, func(d *Drop) { d.Is, d.Cure = UndecidedDrop, Cure{Needed: 5}.String() }),
	DropBrief(change(drop, func(d *Drop) { d.Is = AnyDrop })), DropBrief(change(drop, func(d *Drop) { d.Is, d.Why, d.Accepted = UntestedDrop, "not tested", "9.00" })),
	DropBrief(change(drop, func(d *Drop) { d.Is, d.Why, d.Bound = BeyondSeeds, "not tested: one query", bound })),
	DropBrief(change(drop, func(d *Drop) { d.Is, d.Bound = Significant, bound })), DropBrief(change(drop, func(d *Drop) { d.Is = NotSignificant })),
	DropBrief(change(drop, func(d *Drop) { d.Is, d.Cure = TheseRuns, Cure{Needed: 5}.String() })), DropBrief(change(drop, func(d *Drop) { d.Is, d.Cure = UndecidedDrop, Cure{Needed: 5}.String() })),
	Drift{"c0ffee1", "78.10", "76.00", "drop", "2.10", "1.00"},
	Cure{Needed: 5}, Cure{History: true, Needed: 5}, Cure{History: true, Needed: 5, Commits: 7, Distinct: 1, Same: "1"}, Cure{History: true, Needed: 5, Commits: 4, Distinct: 4},
	Cure{History: true, Needed: 5, Commits: 6, Distinct: 6, Other: "1"}, Cure{History: true, Needed: 5, Commits: 6, Distinct: 6},
	Found{Rule: "gate.yaml:2", Measure: "p-MRR"}, Found{Rule: "gate.yaml:2", Measure: "p-MRR", Chance: "80", Drops: []string{"5.30 to 7.50 for numbers of boards", "21.10 for single tasks"}, Unknown: 2, Allowed: "1.00", Runs: 54},
	Found{Rule: "gate.yaml:2", Measure: "p-MRR", Chance: "80", Drops: []string{"21.10 for single tasks"}, Allowed: "1.00"},
	InstructionTypes{Counts: []string{"audience 12", "length 3"}}, InstructionTypes{Counts: []string{"audience 12", "length 3"}, Unused: []string{"length"}},
}

// usages returns every verdict of Usage, with and without another instruction.
func usages() (all []fmt.Stringer) {
	none, other := Change{"without an instruction", "AP", "50.1", "-3.0", "[-5.0, -1.0]", "", ""}.String(), Change{"with another query's", "AP", "50.1", "-1.0", "[-3.0, +1.0]", "", ""}.String()
	for _, is := range []string{Untested, Unmoved, Used, Helped, Unused, ReadsBetterNone, BetterNone, Reads, BetterWithAnother, Unknown} {
		all = append(all, Usage{is, "2", none, other})
	}
	for _, is := range []string{Unmoved, Helped, Unused, BetterNone, Unknown} {
		all = append(all, Usage{is, "2", none, ""})
	}
	return all
}

// TestExamples compares every sentence with the golden file, which reads from top to bottom:
// the type, then its examples. Every template has one.
func TestExamples(t *testing.T) {
	var out strings.Builder
	last, have := "", map[string]bool{}
	for _, e := range slices.Concat(examples, usages()) {
		name := reflect.TypeOf(e).Name()
		if name != last {
			fmt.Fprintf(&out, "\n%s\n", name)
		}
		last, have[name] = name, true
		text := e.String()
		if text != strings.Join(strings.Fields(text), " ") {
			t.Errorf("%s: blanks that do not belong: %q", name, text)
		}
		fmt.Fprintf(&out, "  - %s\n", text)
	}
	for _, m := range regexp.MustCompile(`\{\{define "([A-Z]\w*)"`).FindAllStringSubmatch(texts, -1) {
		if !have[m[1]] {
			t.Errorf("%s has no example", m[1])
		}
	}
	got := strings.TrimPrefix(out.String(), "\n")
	if *update {
		if err := os.WriteFile("testdata/examples.golden", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/examples.golden")
	if err != nil || got != string(want) {
		t.Errorf("testdata/examples.golden differs (go test ./reports/sentence -update): %v\n%s", err, got)
	}
}
