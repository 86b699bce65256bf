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
	for _, want := range []string{CommentMark, "**Gate not met**: 1 of 1 check failed", "0 higher, 1 lower", "### Lower", "| bm25", "-10.0", "<details><summary>Leaderboard"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, &b)
		}
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
		{"shown for these runs", .4, .1, []string{"**Gate not met**: 1 of 1 check failed", "Failed:", "undecided for other seeds", "0 higher, 0 lower**, 1 undecided (trained once)", "### Undecided: trained once"}},
		{"a collapse", .05, .1, []string{"**Gate not met**: 1 of 1 check failed", "Failed:", "large and real", "0 higher, 1 lower**", "### Lower"}},
		{"not shown to be beyond the rule", .475, .11, []string{"**Gate undecided**: 0 of 1 check failed, 1 undecided", "Undecided:", "0 higher, 0 lower**, 1 undecided (trained once)"}},
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
