package spec

import (
	"strings"
	"testing"
)

func TestQuestionIsNoPartOfIDs(t *testing.T) {
	const file = "name: small\nbase: {loss: uni(P)}\nevaluate: [mini-followir]\n"
	plan := func(text string) *Plan {
		e, err := parse("small.yaml", []byte(text), testKnown)
		if err != nil {
			t.Fatal(err)
		}
		p, err := e.Expand(testResolve)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	without, asked := plan(file), plan(file+"question: Which loss follows instructions?\n")
	if asked.Question != "Which loss follows instructions?" || asked.Trials[0].ID != without.Trials[0].ID {
		t.Errorf("question %q, trial %s, without %s", asked.Question, asked.Trials[0].ID, without.Trials[0].ID)
	}
	if d := Diff(without, asked); len(d.Settings) != 1 || d.Same != 1 {
		t.Errorf("differences %+v", d)
	}
	for _, wrong := range []string{`""`, `"  "`, `"two\nlines"`, `"` + strings.Repeat("x", 301) + `"`, "[a]"} {
		if _, err := parse("small.yaml", []byte(file+"question: "+wrong+"\n"), testKnown); err == nil || !strings.Contains(err.Error(), "small.yaml:4") {
			t.Errorf("question: %s: %v", wrong, err)
		}
	}
}
