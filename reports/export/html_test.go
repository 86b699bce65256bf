package export

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"infbench/internal/testkit/reportstest"
	"infbench/reports"
)

// TestHTMLStructure checks the elements that readers without pictures or a mouse need.
func TestHTMLStructure(t *testing.T) {
	page := written(t, build(t, reports.Options{}, reportstest.Fixture(1)), "html")
	seen := map[string]bool{}
	for n := range reportstest.Parse(t, page).Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if id := reportstest.Attribute(n, "id"); id != "" {
			if seen[id] {
				t.Errorf("id %q occurs twice", id)
			}
			seen[id] = true
		}
		if n.Data == "th" && reportstest.Attribute(n, "scope") == "" {
			t.Error("a <th> has no scope")
		}
		if n.Data == "img" && reportstest.Attribute(n, "alt") == "" {
			t.Error("an <img> has no alt")
		}
	}
	for n := range reportstest.Parse(t, page).Descendants() {
		if outside := strings.HasPrefix(reportstest.Attribute(n, "href"), "https://") && reportstest.Attribute(n, "rel") == "noreferrer"; n.Data == "a" && !outside && !seen[strings.TrimPrefix(reportstest.Attribute(n, "href"), "#")] {
			t.Errorf("link to nowhere: %s", reportstest.Attribute(n, "href"))
		}
	}
	if !seen["synthetic-1-leaderboard"] || !seen["synthetic-1-ablation-1"] || !seen["synthetic-1-tradeoff-1"] || !seen["synthetic-1-training-loss"] {
		t.Errorf("the page lacks a part: %v", seen)
	}
}

// TestSameBytes checks that a report depends only on the trials.
func TestSameBytes(t *testing.T) {
	want := map[string]string{}
	r := build(t, reports.Options{}, reportstest.Fixture(1))
	for _, format := range Formats() {
		want[format] = written(t, r, format)
	}
	zone := time.Local
	defer func() { time.Local = zone }()
	time.Local = time.FixedZone("elsewhere", 5*3600)
	t.Setenv("LC_ALL", "tr_TR.UTF-8")
	t.Setenv("TZ", "Asia/Kathmandu")
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	e := reportstest.Fixture(1)
	for i := range e.Trials { // the order of a file of scores has no meaning
		head := e.Trials[i].Results[:80]
		slices.Reverse(head)
	}
	again := build(t, reports.Options{}, e)
	for _, format := range Formats() {
		if got := written(t, again, format); got != want[format] {
			t.Errorf("%s differs between runs", format)
		}
	}
}
