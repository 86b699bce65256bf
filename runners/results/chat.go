package results

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"infbench/datasets/chat"
	"infbench/internal/words"
	"infbench/metrics/agreement"
)

// Chat records the questions to a language model that orders documents, and its answers.
type Chat struct {
	Model  string     `json:"model"`
	How    string     `json:"how"`
	Recipe string     `json:"recipe,omitempty"` // the name of the recipe; "" for infbench's own
	Scale  string     `json:"scale,omitempty"`  // of pointwise questions: log-odds, or verdicts, which is also the scale of records without it
	Usage  chat.Usage `json:"usage"`
	Tasks  []ChatTask `json:"tasks"`
}

// ChatTask is the record of one task.
type ChatTask struct {
	Task      string `json:"task"`
	Documents int    `json:"documents"` // documents shown to the model
	// Addressing counts the documents that seem to give the model orders, by the pattern that
	// found them (chat.AddressesModel).
	Addressing map[string]int `json:"addressing,omitempty"`
	// Bounded counts the log-odds that are only a bound: yes or no was not among the likeliest tokens.
	Bounded int `json:"bounded,omitempty"`
	// Counts of verdicts, comparisons and windows: all, those without a usable answer by class, and
	// those with one that is doubtful.
	Asked      int                `json:"asked,omitempty"`
	Unusable   map[chat.Class]int `json:"unusable,omitempty"`
	Cut        int                `json:"cut,omitempty"`        // the thoughts reached their budget
	Unclosed   int                `json:"unclosed,omitempty"`   // the thoughts ended without their end
	Incomplete int                `json:"incomplete,omitempty"` // an order with missing or repeated numbers
	// Verdicts counts the judged documents by judgment (0: not relevant, 1: relevant) and by
	// the model's verdict. Only pointwise and graded answers have verdicts.
	Verdicts [2][2]int `json:"verdicts"`
}

// Kappa returns Cohen's kappa between the judgments and the model's verdicts, with a 95 %
// confidence interval.
func (t ChatTask) Kappa() agreement.Agreement {
	table := agreement.NewTable(2)
	for judged, row := range t.Verdicts {
		for said, n := range row {
			for range n {
				table.Add(judged, said)
			}
		}
	}
	return table.Kappa(agreement.Unweighted, 0.95)
}

// Ties reports whether the ranks of documents tie because a pointwise answer is yes or no.
func (c *Chat) Ties() bool {
	return (c.How == "pointwise" || c.How == "judge") && c.Scale != "log-odds"
}

// Failed returns the number of verdicts, comparisons and windows without a usable answer.
func (t *ChatTask) Failed() (n int) {
	for _, count := range t.Unusable {
		n += count
	}
	return n
}

// Doubts describes the answers that were used although something is missing in them; "" if there are
// none.
func (t *ChatTask) Doubts() string {
	var parts []string
	for _, d := range []struct {
		n    int
		what string
	}{{t.Cut, "cut"}, {t.Unclosed, "unclosed"}, {t.Bounded, "bounded"}, {t.Incomplete, "incomplete"}} {
		if d.n > 0 {
			parts = append(parts, words.Group(d.n)+" "+d.what)
		}
	}
	return strings.Join(parts, ", ")
}

// Sentences describes the record in sentences.
func (c *Chat) Sentences() []string {
	if c == nil {
		return nil
	}
	how, word := c.How, "yes or no"
	if c.Recipe != "" {
		word = "one of the two words"
		how = "by recipe " + c.Recipe + " (" + c.How + ")"
	}
	out := []string{fmt.Sprintf("%s, asked %s: %s", c.Model, how, c.Usage.String())}
	if c.Ties() {
		out = append(out, "the answers are yes or no without log-probabilities, so ranks tie: documents with the same verdict keep their earlier order")
	}
	for _, t := range c.Tasks {
		out = append(out, t.sentences(word)...)
	}
	return out
}

// sentences describes a task in sentences; word names a word that may be missing.
func (t ChatTask) sentences(word string) (out []string) {
	if k := t.Kappa(); k.N > 0 {
		kappa := "undefined: one side never varies"
		if value, ok := k.Value.Get(); ok {
			kappa = fmt.Sprintf("%.3f [%.3f, %.3f]", value, k.Interval.Low, k.Interval.High)
		}
		out = append(out, fmt.Sprintf("%s: kappa of verdicts to judgments %s (%d judged documents of queries)", t.Task, kappa, k.N))
	}
	if t.Bounded > 0 {
		out = append(out, fmt.Sprintf("%s: %d log-odds are bounds, since %s was not among the likeliest tokens", t.Task, t.Bounded, word))
	}
	for _, d := range []struct {
		n   int
		why string
	}{
		{t.Cut, "had thoughts that reached their budget, which were closed after a sentence"},
		{t.Unclosed, "had thoughts that ended without their end, which were closed after a sentence"},
		{t.Incomplete, "are orders with missing or repeated numbers"},
	} {
		if d.n > 0 {
			out = append(out, fmt.Sprintf("%s: %d of %d answers %s", t.Task, d.n, t.Asked, d.why))
		}
	}
	if len(t.Addressing) > 0 {
		n, parts := 0, []string(nil)
		for _, pattern := range slices.Sorted(maps.Keys(t.Addressing)) {
			n += t.Addressing[pattern]
			parts = append(parts, fmt.Sprintf("%d by %q", t.Addressing[pattern], pattern))
		}
		out = append(out, fmt.Sprintf("%s: %d of %d documents seem to address the model (%s)", t.Task, n, t.Documents, strings.Join(parts, ", ")))
	}
	return out
}
