package reports

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"infbench/bench/results"
	"infbench/reports/published"
)

var hostileFolder = flag.String("hostile", "", "write a page and a site of hostile texts into this folder, for a browser to open")

// TestWriteHostile writes the page and the site that .ci/browser opens.
func TestWriteHostile(t *testing.T) {
	if *hostileFolder == "" {
		t.Skip("no -hostile")
	}
	files := append(hostileSite(t), File{"../report.html", []byte(written(t, build(t, hostileOptions(), hostileExperiment()), "html"))})
	for _, f := range files {
		name := filepath.Join(*hostileFolder, "site", f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// hostile are texts that a model name, query or error may hold.
var hostile = []string{
	`</script><script>alert(1)</script>`,
	`"><img src=x onerror=alert(1)>`,
	`{{.Policy}}`,
	`__f__alert(1)__f__`,
	"\x1b[31mred\x07",
	"\u202egnirts\u202c",
	`=HYPERLINK("http://evil.example","x")`,
	`javascript:alert(1)`,
	`var(--ink)`,
	`fn:interval`,
	`a|b<c>[d](http://evil.example)`,
}

// hostileTexts are those and some that only stand where any number of texts can.
var hostileTexts = append(slices.Clone(hostile),
	`<!--<script>alert(1)//`,
	`</title></style></textarea><svg/onload=alert(1)>`,
	`&lt;img src=x onerror=alert(1)&gt;`,
	"';alert(1)//\";alert(1)//`${alert(1)}`",
	"\u2067isolated\u2069",
	`<a href="javascript:alert(1)">x</a>`,
)

// hostileOptions add published results whose models, files and notes are such
// texts, enough of them for charts.
func hostileOptions() Options {
	c := &published.Collection{Source: hostile[0], Doubts: hostileTexts}
	for i, text := range hostileTexts {
		for _, task := range followIRTasks {
			cell := published.Cell{Source: hostile[0], Model: text, Revision: text, Config: text, Task: task.task, Measure: task.measure, Value: float64(i) / 20, Main: true,
				Conventions: published.Conventions{Qrels: "original", Ties: published.TiesByID, Version: text}, Footnotes: hostileTexts, File: text}
			c.Cells = append(c.Cells, cell)
			cell.Measure, cell.Main = pairMeasure, false
			c.Cells = append(c.Cells, cell)
		}
		c.Missing = append(c.Missing, published.Missing{Model: text, Task: text, File: text, Reason: text})
	}
	o := quick
	o.Published = []*published.Collection{c}
	return o
}

// hostileExperiment puts the texts wherever text from outside can stand.
func hostileExperiment() *results.Experiment {
	e := fixture(1)
	e.Name = hostile[0]
	for i, text := range hostile {
		t := &e.Trials[i]
		t.Config["loss"] = text
		t.Provenance.Command, t.Provenance.CPU = text, text
		for j := range t.Results {
			t.Results[j].Query += text
		}
	}
	for i := range e.Trials {
		for j := range e.Trials[i].Provenance.Benchmarks {
			b := &e.Trials[i].Provenance.Benchmarks[j]
			b.Source, b.Licence = hostile[1], hostile[2]
			if b.Name == "mini-followir" {
				b.Tasks = map[string]string{"headline": hostile[0], "negation": hostile[1]}
			}
		}
	}
	for i, text := range hostileTexts {
		e.Trials[1].Queries = append(e.Trials[1].Queries, results.QueryRecord{Benchmark: "mini-followir", Task: "headline", Query: "q" + text, Text: text,
			Instruction: text, Changed: text + " changed", Documents: []results.MovedDocument{{ID: text, Title: text, Text: text, Before: i + 1, After: 9, Share: float64(i) / 20}}})
	}
	e.Trials = append(e.Trials, results.Trial{ID: hostile[1], State: results.Failed, Error: strings.Join(hostileTexts, "\n"),
		Config: map[string]string{"model": hostile[1], "world": "1"}})
	return e
}

func parse(t *testing.T, page string) *html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// TestHTMLHostile parses the page as a browser does: nothing but the page's own
// elements may come out of any text, and nothing may ask the network.
func TestHTMLHostile(t *testing.T) {
	var b strings.Builder
	script := []byte("/* stands for echarts */")
	if err := writeHTML(&b, build(t, hostileOptions(), hostileExperiment()), script); err != nil {
		t.Fatal(err)
	}
	scripts := 0
	for n := range parse(t, b.String()).Descendants() {
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
			case a.Key == "href" && !strings.HasPrefix(a.Val, "#"):
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

// TestHTMLPolicy checks that the policy allows exactly what the page holds.
func TestHTMLPolicy(t *testing.T) {
	var b strings.Builder
	if err := writeHTML(&b, build(t, quick, fixture(1)), []byte("/* stands for echarts */")); err != nil {
		t.Fatal(err)
	}
	var policy string
	hashes := 0
	for n := range parse(t, b.String()).Descendants() {
		if n.Data == "meta" && attribute(n, "http-equiv") == "Content-Security-Policy" {
			policy = attribute(n, "content")
		}
		if n.Type != html.ElementNode || n.Data != "script" && n.Data != "style" || attribute(n, "type") == "application/json" {
			continue
		}
		sum := sha256.Sum256([]byte(n.FirstChild.Data))
		if !strings.Contains(policy, base64.StdEncoding.EncodeToString(sum[:])) {
			t.Errorf("the policy does not allow the page's own <%s>", n.Data)
		}
		hashes++
	}
	if !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "unsafe") || strings.Count(policy, "sha256-") != hashes {
		t.Errorf("policy = %q for %d inline texts", policy, hashes)
	}
}

// TestHTMLStructure checks what readers without a picture or a mouse rely on.
func TestHTMLStructure(t *testing.T) {
	page := written(t, build(t, quick, fixture(1)), "html")
	seen := map[string]bool{}
	for n := range parse(t, page).Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if id := attribute(n, "id"); id != "" {
			if seen[id] {
				t.Errorf("id %q occurs twice", id)
			}
			seen[id] = true
		}
		if n.Data == "th" && attribute(n, "scope") == "" {
			t.Error("a <th> has no scope")
		}
		if n.Data == "img" && attribute(n, "alt") == "" {
			t.Error("an <img> has no alt")
		}
	}
	for n := range parse(t, page).Descendants() {
		if n.Data == "a" && !seen[strings.TrimPrefix(attribute(n, "href"), "#")] {
			t.Errorf("link to nowhere: %s", attribute(n, "href"))
		}
	}
	if !seen["synthetic-1-leaderboard"] || !seen["synthetic-1-ablation-1"] || !seen["synthetic-1-tradeoff-1"] || !seen["synthetic-1-curves-loss"] {
		t.Errorf("the page lacks a part: %v", seen)
	}
}

// TestHTMLWithoutScript checks that a report without ECharts says so and still
// has its drawings.
func TestHTMLWithoutScript(t *testing.T) {
	var b strings.Builder
	if err := writeHTML(&b, build(t, quick, fixture(1)), nil); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "make assets") || !strings.Contains(b.String(), `class="static"`) {
		t.Error("no word of make assets, or no drawing")
	}
}

// TestOptionsEscape checks that chart options survive as JSON inside a script
// element whatever the labels are.
func TestOptionsEscape(t *testing.T) {
	data, err := json.Marshal(build(t, quick, hostileExperiment()).options())
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

// TestSameBytes checks that a report depends on the trials alone.
func TestSameBytes(t *testing.T) {
	want := map[string]string{}
	r := build(t, quick, fixture(1))
	for _, format := range Formats() {
		want[format] = written(t, r, format)
	}
	zone := time.Local
	defer func() { time.Local = zone }()
	time.Local = time.FixedZone("elsewhere", 5*3600)
	t.Setenv("LC_ALL", "tr_TR.UTF-8")
	t.Setenv("TZ", "Asia/Kathmandu")
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	e := fixture(1)
	for i := range e.Trials { // the order of a file of scores carries nothing
		head := e.Trials[i].Results[:80]
		slices.Reverse(head)
	}
	again := build(t, quick, e)
	for _, format := range Formats() {
		if got := written(t, again, format); got != want[format] {
			t.Errorf("%s differs between runs", format)
		}
	}
}
