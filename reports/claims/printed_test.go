package claims

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/reports/published"
)

// Verdicts of printed numbers agree with ../shared/published/paper/claims.csv, which was made by
// hand: the printed gains follow from its tables, +1.36 from a base whose parts give another value.
func TestPrinted(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "bench", "claims", "inf-ir.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := Parse("inf-ir.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	paper, err := published.Paper()
	if err != nil {
		t.Fatal(err)
	}
	all, err := OnPrinted(f, paper)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]*Arithmetic{}
	for _, a := range all {
		got[a.ID] = a
	}
	for id, want := range map[string]struct {
		verdict    Verdict
		difference float64 // by hand from tables 2, 3 and 4, in points
		size, note string
	}{
		"+9.0-embedding-models": {Holds, 5.1 + 3.9, "reproduces +9.0", ""},
		"+4.2-auto-regressive":  {Holds, 3.8 + .4, "reproduces +4.2", ""},
		"+8.2-e5":               {Holds, (9 + 7.3) / 2, "reproduces +8.2", ""},
		"+14.3-e5":              {Holds, ((47.5+35.5+32.9+49.8+78.9)/5 - (40.3+31.5+32.7+29.4+61.5)/5 + (54.0 - 35.2)) / 2, "reproduces +14.3", ""},
		"+1.36-modernbert":      {Holds, 1.1 + .3, "reproduces +1.36", "its parts give -2.433"},
		"best-loss":             {Holds, math.NaN(), "", "table 6, Llama-3.2-1B/multi:I+IQ, p-MRR"},
		"shared-encoder":        {Holds, 2.27 - .26, "", ""},
		"last-pooling":          {Holds, 2.27 + .39, "", ""},
		"two-epochs":            {Holds, 2.27 + .06, "", ""},
		// Sentences on every one of several: the least favourable decides.
		"training-helps":               {Holds, 16.5 - 16.1, "", "FollowIR score: backbone=e5-base-v2"},
		"auto-regressive-parity":       {Holds, 16.5 - (17.2+20.2+14.5+16.3+16.4+18.9)/6, "", "FollowIR score"},
		"larger-over-smaller":          {Reversed, 3.0 - 3.2, "", "2 of 3 comparisons agree with the claim, not those with backbone=Qwen/Qwen2.5-3B against backbone=Qwen/Qwen2.5-1.5B"},
		"concatenation-over-attention": {Holds, 2.8 - 2.13, "", ""},
		"attention-cost":               {Holds, ((3.66 + 5.53 + 6.68 + 4.07 + 4.30 + 3.89 + 3.98) - (4.8 + 11.8 + 9.5 + 6.0 + 7.0 + 6.3 + 7.1)) / 7, "", ""},
		"decoder-over-encoder":         {Holds, math.NaN(), "", "Qwen2.5-3B-Inst"},
		"decoder-retrieval":            {Holds, math.NaN(), "", ""},
		"instruction-tuned":            {Reversed, math.NaN(), "", "Qwen/Qwen2.5-3B-Instruct against"},
		"instruction-tuned-retrieval":  {Holds, math.NaN(), "", ""},
		"above-same-size":              {Reversed, 16.5 - 19.3, "", "9 of 12 comparisons agree with the claim, not those with FollowIR score: contriever"},
		"above-same-size-330M":         {Reversed, 20.0 - 21.5, "", "7 of 8 comparisons agree with the claim, not those with FollowIR score: monobert"},
		"above-same-size-1B":           {Reversed, 14.5 - 20.9, "", "6 of 12"},
		"above-same-size-7B":           {Reversed, 4.7 - 11.2, "", "21 of 28"},
		"above-larger":                 {Reversed, 6.2 - 11.2, "", "promptriever"},
		"dense-over-sparse":            {Holds, (19.3+17.1+18.3+16.1+19.6)/5 - 13.2, "", ""},

		// Claims on data: by other printed numbers.
		"positives":        {Holds, 38750, "", "by Table 1: half of #I"},
		"negatives":        {Holds, 77500, "", "by Table 1: as many as #I"},
		"instructions":     {Holds, 2 * 38759, "", "by section 1"},
		"passages":         {Holds, 3 * 38759, "", "by section 1"},
		"over-60000":       {Holds, 2 * 38759, "", ""},
		"words-of-queries": {Stated, math.NaN(), "", ""},
		"no-contamination": {NotPrinted, math.NaN(), "", "the paper prints no number for it"},
		"filtering":        {NotPrinted, math.NaN(), "", "not printed: data=inf-ir"},
		"o3-mini-kappa":    {NotPrinted, math.NaN(), "", ""},
	} {
		a := got[id]
		if a.Verdict != want.verdict || a.Size != want.size || !strings.Contains(strings.Join(append(a.Notes, a.Decided), "; "), want.note) {
			t.Errorf("%s: %s %q %q", id, a.Verdict, a.Size, a.Notes)
		}
		if !math.IsNaN(want.difference) && (a.Difference == nil || math.Abs(*a.Difference*a.Claim.scale()-want.difference) > .02) {
			t.Errorf("%s: %v, want %.2f", id, a.Difference, want.difference)
		}
	}
	for _, a := range all {
		if a.Verdict == NotPrinted && a.Claim.Study == "" && a.ID != "filtering" { // only Figure 6 draws it
			t.Errorf("%s is not printed: %q", a.ID, a.Notes)
		}
	}
}

// A difference that rounding of the printed digits may reverse is not shown.
func TestPrintedDigits(t *testing.T) {
	c := published.Collection{}
	for i, row := range []struct {
		model string
		raw   float64
	}{{"a", .101}, {"b", .102}, {"c", .1}} {
		c.Cells = append(c.Cells, published.Cell{Source: "MTEB", Model: row.model, Task: "Core17InstructionRetrieval", Measure: "p-MRR", Value: row.raw, Tolerance: []float64{.0005, .0005, 0}[i]})
	}
	for _, test := range []struct {
		rest    string
		verdict Verdict
	}{
		{"test: better, system: {model: b}, against: {model: a}", NotShown},   // .1015 and .1015 print so, too
		{"test: better, system: {model: b}, against: {model: c}", Holds},      // at least .1015 against .1
		{"test: worse, system: {model: b}, against: {model: c}", Reversed},    //
		{"test: better, system: {model: c}, against: {model: c}", NotPrinted}, // nothing to compare it with
		{"test: no worse, margin: 0.3, system: {model: c}, against: {model: b}", Holds},
		{"test: no worse, margin: 0.2, system: {model: c}, against: {model: b}", NotShown},
		{"test: no worse, margin: 0.1, system: {model: c}, against: {model: b}", Reversed},
		{"test: equal, margin: 0.3, system: {model: c}, against: {model: b}", Holds},
		{"test: equal, margin: 0.2, system: {model: c}, against: {model: b}", NotShown},
		{"test: equal, margin: 0.1, system: {model: c}, against: {model: b}", Reversed},
		{"test: best, system: {model: b}", NotShown}, // the others are a and c
		{"test: best, system: {model: b}, against: {model: c}", Holds},
	} {
		f, err := Parse("c.yaml", []byte("claims:\n- {id: a, says: s, measure: p-MRR, on: followir/core17, command: c, pair: [], "+test.rest+"}\n"))
		if err != nil {
			t.Fatal(err)
		}
		all, err := OnPrinted(f, &c)
		if err != nil {
			t.Fatal(err)
		}
		if all[0].Verdict != test.verdict {
			t.Errorf("%s: %s %q, want %s", test.rest, all[0].Verdict, all[0].Notes, test.verdict)
		}
	}
}

// Numbers of two revisions of a model are not mixed, and a note names the one that was used.
func TestPrintedRevisions(t *testing.T) {
	c := published.Collection{}
	for _, row := range []struct {
		model, revision, task string
		value                 float64
	}{{"org/a", "1111111111", "Core17", .1}, {"org/a", "2222222222", "Core17", .9}, {"org/a", "2222222222", "News21", .9}, {"org/b", "1", "Core17", .2}, {"org/b", "1", "News21", .2}} {
		c.Cells = append(c.Cells, published.Cell{Source: "MTEB", Model: row.model, Revision: row.revision, Task: row.task + "InstructionRetrieval", Measure: "p-MRR", Value: row.value})
	}
	for on, want := range map[string]float64{"core17": .1, "news21": .2} {
		f, err := Parse("c.yaml", []byte("claims:\n- {id: a, says: s, measure: p-MRR, on: followir/"+on+", command: c, pair: [], test: better, system: {model: b}, against: {model: a}}\n"))
		if err != nil {
			t.Fatal(err)
		}
		all, err := OnPrinted(f, &c)
		if err != nil {
			t.Fatal(err)
		}
		noted := strings.Contains(strings.Join(all[0].Notes, "; "), "org/a is published at several revisions; 1111111111 is used")
		if a := all[0]; on == "core17" && (!noted || math.Abs(*a.Difference-want) > 1e-9) || on == "news21" && (noted || math.Abs(*a.Difference-(.2-.9)) > 1e-9) {
			t.Errorf("%s: %v %q", on, *a.Difference, a.Notes)
		}
	}
}
