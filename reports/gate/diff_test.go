package gate

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"infbench/internal/testkit/reportstest"
	"infbench/reports"
	"infbench/runners/results"
)

// TestComment checks the length of comments, also if names alone would fill them, and that names
// cannot break their Markdown.
func TestComment(t *testing.T) {
	many := func(lift float64) []*results.Experiment {
		e := &results.Experiment{Name: "many </details> | " + strings.Repeat("x", 70000)}
		for i := range 200 {
			name := fmt.Sprintf("model-%03d <img src=x> |%s\U0001F600", i, strings.Repeat("_", 300))
			e.Trials = append(e.Trials, reportstest.SmallTrial(name, reportstest.Spread(0.3+lift*float64(i%3-1), 0.05, 12)...))
		}
		return []*results.Experiment{e}
	}
	var b strings.Builder
	if err := WriteComment(&b, many(0.1), many(0), CommentContext{}, reports.Options{}); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if n := len(utf16.Encode([]rune(text))); n > commentAtMost {
		t.Errorf("%d characters", n)
	}
	if strings.Contains(text, "<img") || strings.Count(text, "<details>") != strings.Count(text, "</details>") {
		t.Errorf("a name broke the comment: %.3000s", text)
	}
	b.Reset()
	rules := mustParse(t, "rules:\n  - {measure: nDCG@10, maximum_drop: 2, significance: 0.05}")
	before, after := reportstest.OneSystem(reportstest.Spread(0.5, 0.1, 12)...), reportstest.OneSystem(reportstest.Spread(0.4, 0.1, 12)...)
	g, err := Judge(rules, before, after)
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteComment(&b, after, before, CommentContext{Gate: g}, reports.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{CommentMark, "**Gate not met**: 1 of 1 check failed", "1 number of the gate: **0 higher, 1 lower**", "**Failed** (gate.yaml:2): a drop of more than 2.00, and significant: large and real.\n", "| bm25", "-10.0", "<details><summary>Leaderboard"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, &b)
		}
	}
}

// One screen: with a gate on six tasks, a comment has every reason once, the mean over tasks in
// its table, counts of the gate's numbers, and no drop that the rule allows.
func TestCommentIsShort(t *testing.T) {
	board := func(lift float64) []*results.Experiment {
		e := &results.Experiment{Name: "board"}
		for i := range 8 {
			var all []results.Result
			for task := range 6 {
				for _, one := range reportstest.SmallTrial("", reportstest.Spread(0.5+lift*float64(1+task)/6, 0.05, 12)...).Results {
					one.Task = fmt.Sprintf("task-%d", task)
					all = append(all, one)
				}
			}
			trial := reportstest.SmallTrial(fmt.Sprintf("model-%d", i))
			trial.Results = all
			e.Trials = append(e.Trials, trial)
		}
		return []*results.Experiment{e}
	}
	before, after := board(0), board(-.2)
	g, err := Judge(mustParse(t, "rules:\n  - {measure: nDCG@10, maximum_drop: 4, significance: 0.05}"), before, after)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := WriteComment(&b, after, before, CommentContext{Gate: g, Report: "https://example.org/run", Site: "https://example.org/site/"}, reports.Options{}); err != nil {
		t.Fatal(err)
	}
	open, _, _ := strings.Cut(b.String(), "<details>")
	for _, want := range []string{"(mean of 6 tasks)", "https://example.org/site/definitions.html", fmt.Sprintf("%d numbers of the gate", g.Columns+8)} {
		if !strings.Contains(open, want) {
			t.Errorf("no %q in\n%s", want, open)
		}
	}
	if n := strings.Count(open, "\n"); n > 40 {
		t.Errorf("%d lines before the first fold", n)
	}
	if n := strings.Count(b.String(), "large and real"); n != 1 {
		t.Errorf("the reason is there %d times:\n%s", n, &b)
	}
	var text strings.Builder
	if err := WriteGate(&text, g); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text.String(), "at most 4.00") {
		t.Errorf("a note on a drop that the rule allows:\n%s", &text)
	}
}

// A system that was trained once is called lower if the drop is beyond the variation of seeds, and
// otherwise counted as undecided, whether it fails or passes.
func TestCommentOnOneSeed(t *testing.T) {
	trained := func(mean, step float64) []*results.Experiment {
		e := reportstest.OneSystem(reportstest.Spread(mean, step, 12)...)
		e[0].Trials[0].Config = results.Config{results.Model: "tiny-bert", results.Loss: "uni(P)", results.Seed: "1"}
		return e
	}
	for _, c := range []struct {
		name       string
		mean, step float64
		want       []string
	}{
		{"shown for these runs", .4, .1, []string{"**Gate not met**: 1 of 1 check failed", "**Failed**", "undecided for other seeds", "0 higher, 0 lower**, 1 undecided (trained once)"}},
		{"a collapse", .05, .1, []string{"**Gate not met**: 1 of 1 check failed", "**Failed**", "large and real", "0 higher, 1 lower**"}},
		{"not shown to be beyond the rule", .475, .11, []string{"**Gate undecided**: 0 of 1 check failed, 1 undecided", "**Undecided**", "0 higher, 0 lower**, 1 undecided (trained once)"}},
	} {
		before, after := trained(0.5, .1), trained(c.mean, c.step)
		g, err := Judge(mustParse(t, "rules:\n  - {measure: nDCG@10, maximum_drop: 2, significance: 0.05}"), before, after)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := WriteComment(&b, after, before, CommentContext{Gate: g}, reports.Options{}); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: no %q in\n%.2500s", c.name, want, &b)
			}
		}
	}
}
