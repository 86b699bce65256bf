package command

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/usage"
	"infbench/reports/export"
)

// judgedLines are questions of n records with the answers of two judges; one of them is wrong
// on every third.
func judgedLines(n int) string {
	var b strings.Builder
	for i := range n {
		erring := 2
		if i%3 == 0 {
			erring = (i / 3) % 2
		}
		fmt.Fprintf(&b, `{"id":"q-%d","record":"r-%d","scenario":"I+Q+","instruction":"what is said <b>of %d</b>","query":"%d",`+
			`"candidates":[{"role":"distractor","text":"a%d"},{"role":"P1-","text":"b%d"},{"role":"P+","text":"c%d"}],`+
			`"picks":[{"judge":"exact","candidate":2},{"judge":"erring","candidate":%d}],"poison":"time"}`+"\n", i, i, i, i, i, i, i, erring)
	}
	return b.String()
}

// From a judged corpus to annotation sheets, and from picks to the page of figure 4 with the
// texts on which raters disagree; verify makes the page again.
func TestAnnotateToPage(t *testing.T) {
	file := inFile(t, "judged.jsonl", judgedLines(12))
	t.Chdir(t.TempDir())
	out := verbOutput(t, "data", "annotate", "sheet", file, "--sample", "9", "--annotators", "ann", "--out", "study")
	if !strings.Contains(out, "9 of 12 records of judged.jsonl") || !strings.Contains(out, "infbench data annotate read study/key.json") {
		t.Error(out)
	}
	sheets, err := filepath.Glob("study/*")
	if err != nil || len(sheets) != 3 {
		t.Errorf("%v, %v", sheets, err)
	}
	verbOutput(t, "data", "annotate", "read", file, "--keep", "judges")
	for _, format := range export.Formats() {
		out := verbOutput(t, "report", "--view", "agreement", "--format", format)
		for _, want := range []string{"q-9", "r-9", "judges: items on which raters disagree"} {
			if !strings.Contains(out, want) {
				t.Errorf("%s lacks %q", format, want)
			}
		}
	}
	verbOutput(t, "report", "--view", "agreement", "--format", "html", "--out", "page.html")
	verbFails(t, usage.ExitUnchecked, "no difference, but some numbers", "verify", "page.html")
	if out := verbOutput(t, "verify", "page.html", "--runs", "runs"); !strings.Contains(out, "0 differences") {
		t.Error(out)
	}
}
