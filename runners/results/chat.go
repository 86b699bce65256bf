package results

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"infbench/datasets/chat"
	"infbench/metrics/agreement"
)

// Chat records the questions to a language model that orders documents, and its answers.
type Chat struct {
	Model string     `json:"model"`
	How   string     `json:"how"`
	Scale string     `json:"scale,omitempty"` // of pointwise questions: log-odds, or verdicts, which is also the scale of records without it
	Usage chat.Usage `json:"usage"`
	Tasks []ChatTask `json:"tasks"`
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
func (c *Chat) Ties() bool { return c.How == "pointwise" && c.Scale != "log-odds" }

// Sentences describes the record in sentences.
func (c *Chat) Sentences() []string {
	if c == nil {
		return nil
	}
	out := []string{fmt.Sprintf("%s, asked %s: %s", c.Model, c.How, c.Usage.String())}
	if c.Ties() {
		out = append(out, "the answers are yes or no without log-probabilities, so ranks tie: documents with the same verdict keep their earlier order")
	}
	for _, t := range c.Tasks {
		out = append(out, t.sentences()...)
	}
	return out
}

// sentences describes a task in sentences.
func (t ChatTask) sentences() (out []string) {
	if k := t.Kappa(); k.N > 0 {
		kappa := "undefined: one side never varies"
		if value, ok := k.Value.Get(); ok {
			kappa = fmt.Sprintf("%.3f [%.3f, %.3f]", value, k.Interval.Low, k.Interval.High)
		}
		out = append(out, fmt.Sprintf("%s: kappa of verdicts to judgments %s (%d judged documents of queries)", t.Task, kappa, k.N))
	}
	if t.Bounded > 0 {
		out = append(out, fmt.Sprintf("%s: %d log-odds are bounds, since yes or no was not among the likeliest tokens", t.Task, t.Bounded))
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
