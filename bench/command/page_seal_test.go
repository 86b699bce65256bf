package command

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/testkit"
)

// flippedPages calls call with pages that have one flipped bit, at random places and, for
// carried values, in their first bytes.
func flippedPages(page []byte, n int, call func(at int, flipped []byte)) {
	random := rand.New(rand.NewPCG(17, 2))
	values := bytes.Index(page, []byte(`"v":"`)) + len(`"v":"`)
	for i := range n {
		at := values + i
		if i >= 16 {
			at = random.IntN(len(page))
		}
		flipped := bytes.Clone(page)
		flipped[at] ^= 1 << random.IntN(8)
		call(at, flipped)
	}
}

// TestFlippedPagesAreRefused flips a bit of pages and reads them like the verbs that take
// numbers from pages.
func TestFlippedPagesAreRefused(t *testing.T) {
	testkit.Deep(t)
	smallRuns(t)
	read := 0
	for name, n := range map[string]int{"page.html": 1250, "runs/small/report.html": 250} {
		flippedPages(mustRead(t, name), n, func(at int, flipped []byte) {
			rewrite(t, "flipped.html", flipped)
			if _, err := loadSet("flipped.html"); err == nil {
				t.Fatalf("%s, byte %d flipped: read", name, at)
			} else if !strings.Contains(err.Error(), "flipped.html") {
				t.Fatalf("%s, byte %d flipped: %v names no file", name, at, err)
			}
			read++
		})
	}
	t.Logf("%d flipped pages refused", read)
}

// TestVerbsRefuseBrokenSeals runs every verb that takes numbers from pages.
func TestVerbsRefuseBrokenSeals(t *testing.T) {
	smallRuns(t)
	rule := inFile(t, "rule.yaml", "rules: [{measure: p-MRR, minimum: -100}]")
	n := 0
	flippedPages(mustRead(t, "page.html"), 3, func(at int, flipped []byte) {
		n++
		rewrite(t, "flipped.html", flipped)
		for _, args := range [][]string{
			{"gate", "--rule", rule, "flipped.html"},
			{"gate", "--rule", rule, "--baseline", "flipped.html", "page.html"},
			{"diff", "flipped.html", "page.html"},
			{"diff", "runs/okapi", "flipped.html"},
			{"export", "--format", "json", "flipped.html"},
			{"publish", fmt.Sprintf("site-%d", n), "page.html", "flipped.html"},
			{"report", "--pr", "--format", "markdown", "--baseline", "flipped.html", "runs/okapi"},
		} {
			verbFails(t, exitFailure, "flipped.html: read report: the page was changed after it was written", args...)
		}
		if left, err := filepath.Glob("site-*"); err != nil || len(left) > 0 {
			t.Errorf("publish of a broken page left %v, %v", left, err)
		}
	})
	page := mustRead(t, "page.html")
	rewrite(t, "cut.html", page[:bytes.LastIndex(page, []byte("<!--"))])
	verbFails(t, exitFailure, "cut.html: read report: the page has no seal", "diff", "cut.html", "page.html")
}
