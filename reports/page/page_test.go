package page

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"infbench/datasets"
	"infbench/internal/testkit/reportstest"
	"infbench/metrics"
	"infbench/reports"
	"infbench/reports/published"
)

// hostileOptions adds published results whose models, files and notes are hostile texts,
// enough of them for charts.
func hostileOptions() reports.Options {
	c := &published.Collection{Source: reportstest.Hostile[0], Doubts: reportstest.HostileTexts}
	for i, text := range reportstest.HostileTexts {
		for _, task := range published.Combinations("followir")[0].Parts {
			cell := published.Cell{Source: reportstest.Hostile[0], Model: text, Revision: text, Config: text, Task: published.Names("followir", task.Task)[0].Task, Measure: task.Measure, Value: float64(i) / 20, Main: true,
				Conventions: published.Conventions{Qrels: "original", Ties: published.TiesByID, Version: text}, Footnotes: reportstest.HostileTexts, File: text}
			c.Cells = append(c.Cells, cell)
			cell.Measure, cell.Main = "p-MRR", false
			c.Cells = append(c.Cells, cell)
		}
		c.Missing = append(c.Missing, published.Missing{Model: text, Task: text, File: text, Reason: text})
	}
	o := reports.Options{}
	o.Published = []*published.Collection{c}
	return o
}

// ours reports whether a link leads to a paper or data that the registries know, and tells the site
// there nothing about the page.
func ours(a *html.Node, address string) bool {
	var known []string
	for _, f := range metrics.Families() {
		known = append(known, f.Address)
	}
	for _, s := range datasets.Sources() {
		o, _ := datasets.OriginOf(s.Name)
		known = append(known, o.Paper)
		for _, r := range o.Repos {
			known = append(known, r.Address(), r.AddressAt(r.Revision))
		}
	}
	return slices.Contains(known, address) && address != "" && reportstest.Attribute(a, "rel") == "noreferrer"
}

// TestHTMLHostile parses the page like a browser: texts must create no elements, and
// nothing may use the network.
func TestHTMLHostile(t *testing.T) {
	var b strings.Builder
	script := []byte("/* stands for echarts */")
	if err := render(&b, build(t, hostileOptions(), reportstest.HostileExperiment()), script, false, nil); err != nil {
		t.Fatal(err)
	}
	scripts := 0
	for n := range reportstest.Parse(t, b.String()).Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "script":
			scripts++
			if strings.Contains(n.FirstChild.Data, "alert(1)<") {
				t.Errorf("script holds unescaped text: %.200s", n.FirstChild.Data)
			}
		case "iframe", "object", "embed", "link", "base", "form":
			t.Errorf("the page has a <%s>", n.Data)
		}
		for _, a := range n.Attr {
			switch {
			case strings.HasPrefix(a.Key, "on"), a.Key == "style":
				t.Errorf("<%s> has %s=%q", n.Data, a.Key, a.Val)
			case a.Key == "src" && !strings.HasPrefix(a.Val, "data:image/svg+xml;base64,"):
				t.Errorf("<%s> loads %q", n.Data, a.Val)
			case a.Key == "href" && !strings.HasPrefix(a.Val, "#") && !ours(n, a.Val):
				t.Errorf("<%s> links to %q", n.Data, a.Val)
			}
		}
	}
	if scripts != 5 {
		t.Errorf("%d scripts, want the values, the queries, the options, ECharts and the page's own", scripts)
	}
	for _, bad := range []string{"\x1b", "\u202e", "\x07"} {
		if strings.Contains(b.String(), bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
}

// TestHTMLPolicy checks that the policy allows exactly the scripts and styles of the page.
func TestHTMLPolicy(t *testing.T) {
	var b strings.Builder
	if err := render(&b, build(t, reports.Options{}, reportstest.Fixture(1)), []byte("/* stands for echarts */"), false, nil); err != nil {
		t.Fatal(err)
	}
	reportstest.CheckPolicy(t, b.String())
}

// TestHTMLWithoutScript checks that a report without ECharts has a notice and its static
// drawings.
func TestHTMLWithoutScript(t *testing.T) {
	var b strings.Builder
	if err := render(&b, build(t, reports.Options{}, reportstest.Fixture(1)), nil, true, nil); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "make assets") || !strings.Contains(b.String(), `class="static"`) {
		t.Error("no word of make assets, or no drawing")
	}
}

// TestOptionsEscape checks that chart options remain valid JSON inside a script element
// for any labels.
func TestOptionsEscape(t *testing.T) {
	data, err := json.Marshal(options(build(t, reports.Options{}, reportstest.HostileExperiment()).Sections))
	if err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(string(data), "<>") {
		t.Error("options hold < or >")
	}
	if !strings.Contains(string(data), `\u003c/script\u003e`) {
		t.Error("the hostile label is not in the options: the test tests nothing")
	}
}

// TestBlankQueries leaves out a section with the name of script data: the two must have
// different marks.
func TestBlankQueries(t *testing.T) {
	const name = "queries"
	r := build(t, reports.Options{}, reportstest.Fixture(1))
	s := r.Section(name)
	if s == nil {
		t.Fatalf("no section %q", name)
	}
	s.Blank, r.Queries = true, &reports.QueryPages{}
	var b strings.Builder
	if err := WriteLike(&b, r, nil, nil); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), Hole); n != 2 || !strings.Contains(b.String(), Hole+name+Hole) {
		t.Errorf("%d marks of sections left open, want the two of %s", n, name)
	}
	const script = `<script type="application/json" id="query-data">{"systems":`
	if n := strings.Count(b.String(), script); n != 1 {
		t.Errorf("%d scripts with queries, want 1", n)
	}
}

// TestScriptIsEmbedded: the pinned ECharts script is part of the program if it was fetched before
// the build.
func TestScriptIsEmbedded(t *testing.T) {
	want, err := os.ReadFile(filepath.Join("assets", "echarts.min.js"))
	if err != nil {
		t.Skip("SKIP: assets/echarts.min.js is not here (make assets)")
	}
	if got, err := assets.ReadFile("assets/echarts.min.js"); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes of %d are embedded: %v", len(got), len(want), err)
	}
}
