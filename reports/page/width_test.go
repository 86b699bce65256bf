package page

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports"
	"infbench/runners/results"
)

// probedLines returns the lines of a probe with every kind and type. Its table is the
// widest that a page shows unfolded for one system.
func probedLines() []results.Probed {
	var out []results.Probed
	for q := range 40 {
		for k, kind := range []string{"own", "none", "shuffled", "changed", "contradiction", "paraphrase", "rewording"} {
			for way := range 2 {
				v := math.Abs(math.Sin(float64(1 + q*17 + k*5 + way)))
				id := fmt.Sprintf("q%02d", q)
				out = append(out, results.Probed{Benchmark: "bench", Task: "test", Item: id, Query: id, Kind: kind, Measure: "AP@1000", Types: []string{"exclusion"}, Value: &v, Overlap: v})
			}
		}
	}
	return out
}

// measuring replaces the policy of a page: it reports which tables are wider than their
// space.
const measuring = `<script>addEventListener("load",()=>{document.title="wide:"+[...document.querySelectorAll(".scroll")].filter(e=>e.scrollWidth>e.clientWidth+1).map(e=>e.querySelector("table").id).join(" ")})</script>`

// TestProbeHasRoom checks that a probe's table fits into a window of 1280 pixels. It needs
// Chromium.
func TestProbeHasRoom(t *testing.T) {
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("SKIP: no chromium")
	}
	trial := reportstest.SmallTrial("some/model", .5, .6, .7)
	trial.Probe = probedLines()
	trial.Provenance.Benchmarks = []results.Benchmark{{Name: "bench", Revision: "r1"}}
	for i := range trial.Results {
		trial.Results[i].Benchmark = "bench"
	}
	var page strings.Builder
	if err := WriteWith(&page, build(t, reports.Options{}, &results.Experiment{Name: "probed", Trials: []results.Trial{trial}}), nil); err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`).ReplaceAllString(page.String(), measuring)
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	dom, err := exec.CommandContext(t.Context(), chromium, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(), "--window-size=1280,900", "--dump-dom", "file://"+file).Output()
	if err != nil {
		t.Skipf("SKIP: chromium does not run here: %v", err)
	}
	title := regexp.MustCompile(`<title>([^<]*)</title>`).FindStringSubmatch(string(dom))
	if title == nil || !strings.HasPrefix(title[1], "wide:") || !strings.Contains(string(dom), "-probe-table") {
		t.Fatalf("nothing was measured, or there is no probe: title %q", title)
	}
	if strings.Contains(title[1], "probe-table") {
		t.Errorf("wider than their room: %s", title[1])
	}
}
