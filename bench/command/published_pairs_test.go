package command

import (
	"os"
	"strings"
	"testing"
)

// A model of the paper next to its published numbers, from evaluations under both
// conventions: each number under the paper's convention has a pair, with ties looked up in
// the saved rankings. The page, and that of a view, verify with and without the run folders.
func TestPairsThroughTheCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("HF_HUB_CACHE", "hub")
	writeFollowIRMini(t)
	for out, data := range map[string]string{"a": "followir", "b": "followir-mteb1"} {
		verbOutput(t, "evaluate", "--model", "bm25-okapi-candidates", "--data", data, "--out", out)
	}
	text := verbOutput(t, "report", "a", "b", "--published", "paper")
	wantIn(t, text, " 0 not compared. 8 pairs compared, 0 not comparable for settings.")
	if strings.Contains(text, "not by insertion") || !strings.Contains(text, "ties have no effect") && !strings.Contains(text, "by their order") {
		t.Errorf("ties were not looked up:\n%s", text)
	}
	for page, args := range map[string][]string{"beside.html": nil, "view.html": {"--view", "baselines"}} {
		html := verbOutput(t, append([]string{"report", "a", "b", "--published", "paper", "--format", "html"}, args...)...)
		if err := os.WriteFile(page, []byte(html), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, with := range [][]string{nil, {"--runs", "a", "--runs", "b"}} {
			if said := verbOutput(t, append([]string{"verify", page}, with...)...); !strings.Contains(said, " 0 differ") {
				t.Errorf("%s %v: %s", page, with, said)
			}
		}
	}
	view := verbOutput(t, "report", "a", "b", "--published", "paper", "--view", "baselines")
	wantIn(t, strings.Join(strings.Fields(view), " "), "baselines: measured, as the paper's Table 5", "Sparse Retrieval", "Comparison with InF-IR, table 5", "BM25 (2009) paper 12.1 -3.1", "BM25 (2009) here")
}
