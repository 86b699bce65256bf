package results

import (
	"slices"
	"testing"

	"infbench/datasets/chat"
)

// Kappa computed by hand: observed 0.8, expected 0.5, so 0.6.
func TestChatSentences(t *testing.T) {
	c := &Chat{Model: "m", How: "pointwise", Usage: chat.Usage{Answered: 10, Input: 100, Output: 20},
		Tasks: []ChatTask{
			{Task: "t", Documents: 9, Verdicts: [2][2]int{{4, 1}, {1, 4}}, Addressing: map[string]int{"rank me": 1, "answer so": 2}},
			{Task: "one side", Documents: 3, Verdicts: [2][2]int{{3, 0}, {0, 0}}},
			{Task: "none", Documents: 3},
		}}
	want := []string{
		"m, asked pointwise: 10 answered (0 of all questions from cache); 100 tokens in, 20 out",
		"the answers are yes or no without log-probabilities, so ranks tie: documents with the same verdict keep their earlier order",
		"t: kappa of verdicts to judgments 0.600 [0.104, 1.000] (10 judged documents of queries)",
		`t: 3 of 9 documents seem to address the model (2 by "answer so", 1 by "rank me")`,
		"one side: kappa of verdicts to judgments undefined: one side never varies (3 judged documents of queries)",
	}
	if got := c.Sentences(); !slices.Equal(got, want) {
		t.Errorf("%q,\nwant %q", got, want)
	}
	c.Scale, c.Tasks = "log-odds", []ChatTask{{Task: "t", Bounded: 2}}
	want = []string{want[0], "t: 2 log-odds are bounds, since yes or no was not among the likeliest tokens"}
	if got := c.Sentences(); !slices.Equal(got, want) {
		t.Errorf("%q,\nwant %q", got, want)
	}
	if got := (*Chat)(nil).Sentences(); got != nil {
		t.Errorf("of none: %q", got)
	}
}
