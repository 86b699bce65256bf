package annotate

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"infbench/datasets/curate"
	"infbench/internal/testkit/reportstest"
)

var hostileFile = flag.String("hostile", "", "write questions of hostile and of long texts into this file, for a sheet that a browser opens")

// TestWriteHostile writes the questions that .ci/browser makes a sheet of: texts that try
// to break out, long ones, programs, and one with more candidates than there are digits.
func TestWriteHostile(t *testing.T) {
	if *hostileFile == "" {
		t.Skip("no -hostile")
	}
	rng := rand.New(rand.NewPCG(1, 1))
	w := &world{right: map[string]string{}}
	var lines bytes.Buffer
	for i := range len(reportstest.HostileTexts) + 2 {
		q := w.question(i, curate.Original, rng)
		q.Picks = []curate.Pick{{Judge: "judge-a", Candidate: q.Answer()}, {Judge: "judge-b", Candidate: 0}}
		for j := range q.Candidates {
			c := &q.Candidates[j]
			switch {
			case i < len(reportstest.HostileTexts):
				q.Instruction, q.Query = reportstest.HostileTexts[i], reportstest.HostileTexts[i]
				c.Text = fmt.Sprintf("%d %s", j, reportstest.HostileTexts[(i+j)%len(reportstest.HostileTexts)])
			case i == len(reportstest.HostileTexts):
				c.Text = strings.Repeat(c.Text+" ", 200) + "\n\nA second paragraph."
			default:
				c.Text = fmt.Sprintf("def answer_%d(a):\n    if not a:\n        return None\n    return a[%d]", j, j)
			}
		}
		for j := range 7 * (i / (len(reportstest.HostileTexts) + 1)) {
			q.Candidates = append(q.Candidates, curate.Candidate{Role: curate.Distractor, Text: fmt.Sprintf("distractor_%d;\n", j)})
		}
		if err := json.NewEncoder(&lines).Encode(q); err != nil {
			t.Fatal(err)
		}
	}
	write(t, *hostileFile, lines.String())
}
