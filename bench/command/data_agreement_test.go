package command

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"infbench/internal/usage"
	"infbench/reports/export"
	"infbench/runners/runs"
)

// ratedPicks are ten items with three humans and two models; h3 skipped one item.
const ratedPicks = `item,h1,h2,h3,good,poor
1,a,a,a,a,b
2,b,b,b,b,a
3,c,c,b,c,b
4,a,a,a,a,a
5,b,b,b,b,c
6,c,c,c,c,a
7,a,b,a,a,c
8,b,b,,b,b
9,c,c,c,a,c
10,a,a,a,a,b
`

func TestAgreementGolden(t *testing.T) {
	file := inFile(t, "picks.csv", ratedPicks)
	matchesGolden(t, "agreement.golden", verbOutput(t, "data", "agreement", file, "--raters", "h1,h2,h3,good,poor", "--models", "good,poor"))
	matchesGolden(t, "agreement-csv.golden", verbOutput(t, "data", "agreement", file, "--raters", "h1,h2", "--format", "csv"))
}

// The textbook table 20/5/10/15 has kappa .40, observed .7, expected .5.
func TestAgreementTextbook(t *testing.T) {
	text := "a,b\n"
	for cell, count := range map[string]int{"yes,yes\n": 20, "yes,no\n": 5, "no,yes\n": 10, "no,no\n": 15} {
		for range count {
			text += cell
		}
	}
	var report struct {
		Items    int
		Pairwise []struct{ N, Observed, Expected, Value float64 }
	}
	if err := json.Unmarshal([]byte(verbOutput(t, "data", "agreement", inFile(t, "f.csv", text), "--format", "json")), &report); err != nil {
		t.Fatal(err)
	}
	p := report.Pairwise[0]
	if report.Items != 50 || p.N != 50 || math.Abs(p.Value-0.4) > 1e-12 || math.Abs(p.Observed-0.7) > 1e-12 || math.Abs(p.Expected-0.5) > 1e-12 {
		t.Errorf("%+v, want kappa .4", report)
	}
}

// Values that the ratings do not determine are null, never 0 or NaN.
func TestAgreementUndefined(t *testing.T) {
	file := inFile(t, "f.csv", "a,b\nx,x\nx,x\n")
	matchesGolden(t, "agreement-undefined.golden", verbOutput(t, "data", "agreement", file, "--format", "json"))
}

func TestAgreementErrors(t *testing.T) {
	good := inFile(t, "good.csv", "a,b\nx,y\n")
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{usage.ExitUsage, "accepts 1 arg(s)", []string{"data", "agreement"}},
		{usage.ExitUsage, "unknown weights", []string{"data", "agreement", good, "--weights", "cubic"}},
		{usage.ExitUsage, "unknown scale", []string{"data", "agreement", good, "--scale", "ratio"}},
		{usage.ExitUsage, `unknown rater "c"`, []string{"data", "agreement", good, "--models", "c"}},
		{usage.ExitUsage, "--confidence", []string{"data", "agreement", good, "--confidence", "95"}},
		{exitFailure, "labels are not all numbers", []string{"data", "agreement", good, "--scale", "interval"}},
		{exitFailure, "short.csv:3: 1 cells", []string{"data", "agreement", inFile(t, "short.csv", "a,b\nx,y\nx\n")}},
		{exitFailure, "agreement needs 2 raters", []string{"data", "agreement", inFile(t, "one.csv", "a\nx\n")}},
		{exitFailure, "absent.csv", []string{"data", "agreement", "absent.csv"}},
	} {
		verbFails(t, c.code, c.want, c.args...)
	}
}

// The views of the paper's figures show the results kept by agreement and diversity, in every
// format and without a run; without such results they name the command that makes them.
func TestStudies(t *testing.T) {
	file, texts := inFile(t, "picks.csv", ratedPicks), inFile(t, "texts.jsonl", "{\"text\":\"a b c\"}\n{\"text\":\"a b d\"}\n")
	t.Chdir(t.TempDir())
	if out := verbOutput(t, "report", "--view", "agreement"); !strings.Contains(out, "infbench data agreement PICKS.csv") {
		t.Error(out)
	}
	verbOutput(t, "data", "agreement", file, "--raters", "h1,h2,h3,good,poor", "--models", "good,poor", "--keep", "picks")
	verbOutput(t, "data", "diversity", texts, "--keep", "texts")
	var report struct {
		Pairwise []struct{ Value float64 }
	}
	if err := json.Unmarshal([]byte(verbOutput(t, "data", "agreement", file, "--raters", "h1,good", "--format", "json")), &report); err != nil {
		t.Fatal(err)
	}
	kappa := fmt.Sprintf("%.4f", report.Pairwise[0].Value)
	for view, wants := range map[string][]string{"agreement": {"h1 | good", kappa, "figure 4"}, "diversity": {"self-BLEU-4", "higher = more diverse", "figure 3"}} {
		for _, format := range export.Formats() {
			out := verbOutput(t, "report", "--view", view, "--format", format)
			if strings.Contains(out, "What was found") || strings.Contains(out, ">Projection<") {
				t.Errorf("%s as %s has a heading over nothing", view, format)
			}
			for _, want := range wants {
				if strings.Contains(want, "|") && (format == "latex" || format == "markdown") {
					continue // escaped in these formats
				}
				if !strings.Contains(out, want) {
					t.Errorf("%s as %s lacks %q:\n%.800s", view, format, want, out)
				}
			}
		}
	}
	rewrite(t, runs.StudyFile("agreement", "bad"), []byte(`{"format":"infbench-study/2"}`))
	verbFails(t, exitFailure, "bad.json: the file was changed", "report", "--view", "agreement")
	verbFails(t, usage.ExitUsage, "--keep", "data", "agreement", file, "--keep", "../x")
}
