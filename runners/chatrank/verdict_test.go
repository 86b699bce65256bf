package chatrank

import (
	"strings"
	"testing"

	"infbench/datasets/chat"
)

// TestNoVerdict: an answer that is not a verdict in the requested form is counted, and the
// documents keep their order. The models here enforce no form, like some servers and
// recordings.
func TestNoVerdict(t *testing.T) {
	for _, said := range []string{
		"", "Not relevant", "Yes and no", "yes", "grade 3 of 4", "I'd say 10/10", "Both A and B", "B", "Passage B is better.",
		`{"id": "ID", "relevant": "yes and no", "grade": 10, "better": "both"}`,
		`{"id": "ID", "relevant": "YES", "grade": "3", "better": "b"}`,
		`{"id": "ID", "relevant": true, "grade": 2.5, "better": ["B"]}`,
		`{"id": "ID"}`, `{"id": "ID", "relevant": null, "grade": null, "better": null}`,
		`{"relevant": "yes", "grade": 3, "better": "B"}`,
		`FORM and FORM2`,
		"```json\nFORM\n``` or rather ```json\nFORM2\n```",
		`<think>perhaps FORM`,
		`<think>perhaps FORM</think>`,
		`perhaps FORM</think>I cannot tell.`,
		`<think>perhaps FORM</think>I cannot tell.`,
	} {
		for how, form := range map[How][2]string{
			Pointwise: {`{"id": "ID", "relevant": "yes"}`, `{"id": "ID", "relevant": "no"}`},
			Graded:    {`{"id": "ID", "grade": 3}`, `{"id": "ID", "grade": 0}`},
			Pairwise:  {`{"id": "ID", "better": "A"}`, `{"id": "ID", "better": "B"}`},
		} {
			r := newRanker(t, &oracle{fault: func(r chat.Request, _ int) (string, error, bool) {
				id := idAsked.FindStringSubmatch(r.Messages[1].Text)[1]
				return strings.NewReplacer("FORM2", strings.ReplaceAll(form[1], "ID", id), "FORM", strings.ReplaceAll(form[0], "ID", id), "ID", id).Replace(said), nil, true
			}}, Options{How: how, Ordered: true, Words: true})
			if got := strings.Join(ranked(t, r, documents(10, 60)), " "); got != "10 60" {
				t.Errorf("%s, %q: %s", how, said, got)
			}
			if u := r.Usage(); u.Answered != 0 || u.Failed() != 2 {
				t.Errorf("%s, %q: %+v", how, said, u)
			}
			if seen := r.Take(); len(seen.Verdicts) != 0 {
				t.Errorf("%s, %q: verdicts %v", how, said, seen.Verdicts)
			}
		}
	}
}
