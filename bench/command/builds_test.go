package command

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"infbench/runners/results"
)

// builtBy puts another build of infbench into the provenance of an evaluation.
func builtBy(t *testing.T, dir, version string) {
	t.Helper()
	made, err := results.At(dir).Reader().Provenance()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, results.ProvenanceFile)
	text := mustRead(t, path)
	for was, now := range map[string]string{made.Source: "sha256:" + strings.Repeat("0", 64), `"infbench": "` + made.Infbench + `"`: `"infbench": "` + version + `"`} {
		if !bytes.Contains(text, []byte(was)) {
			t.Fatalf("%s holds no %s", path, was)
		}
		text = bytes.ReplaceAll(text, []byte(was), []byte(now))
	}
	rewrite(t, path, text)
	rehash(t, dir, results.ProvenanceFile)
}

// TestBuildsAreSaid puts cells of two builds on one board: report, page, site and diff name
// the build of each, and the page verifies.
func TestBuildsAreSaid(t *testing.T) {
	bm25, random := runOn(t, "bm25"), runOn(t, "random")
	const said = "Made by different builds of infbench: "
	if out := verbOutput(t, "report", bm25, random); strings.Contains(out, said) {
		t.Errorf("one build is said to be two:\n%s", out)
	}
	builtBy(t, random, "v9")
	want := []string{said, "v9 (sha256:000000000000): random"}
	wantIn(t, verbOutput(t, "report", bm25, random), want...)
	wantIn(t, verbOutput(t, "report", bm25, random, "--format", "markdown"), want[0])
	page := filepath.Join(t.TempDir(), "page.html")
	verbOutput(t, "report", bm25, random, "--format", "html", "--out", page)
	wantIn(t, fileText(t, page), want...)
	wantIn(t, verbOutput(t, "verify", page), " 0 differences")
	wantIn(t, verbOutput(t, "verify", page, "--runs", bm25, "--runs", random), " 0 differences")
	for _, from := range [][]string{{bm25, random}, {page}} {
		site := filepath.Join(t.TempDir(), "site")
		verbOutput(t, append([]string{"publish", site}, from...)...)
		wantIn(t, fileText(t, filepath.Join(site, "index.html")), want...)
	}
	wantIn(t, verbOutput(t, "diff", page, page), "Before: "+said, "After: "+said)
}
