package site

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"infbench/internal/testkit/reportstest"
	"infbench/reports"
	"infbench/reports/export"
	"infbench/reports/gate"
	"infbench/reports/page"
	"infbench/reports/verify"
	"infbench/runners/results"
)

func recorded(t *testing.T, history []Commit, commit string, exps ...*results.Experiment) []Commit {
	t.Helper()
	history, err := Record(history, Push{Commit: commit, Date: "2026-11-20", Results: exps})
	if err != nil {
		t.Fatal(err)
	}
	return history
}

// TestSite checks that all links lead somewhere, that nothing is loaded, that only the index runs a
// script, its own, and that hostile texts stay texts.
func TestSite(t *testing.T) {
	all := hostileSite(t)
	files := map[string]string{}
	for _, f := range all {
		files[f.Name] = string(f.Data)
	}
	if len(files) != len(all) {
		t.Error("two files have one name")
	}
	own, err := page.PageFiles.ReadFile("page_tables.js")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if !strings.HasSuffix(name, ".html") || name == "report.html" {
			continue
		}
		policy := "script-src &#39;none&#39;"
		if name == "index.html" {
			sum := sha256.Sum256(own)
			policy = html.EscapeString("script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "';")
			if n := strings.Count(text, "<script>"+string(own)+"</script>"); n != 1 {
				t.Errorf("the index has its script %d times", n)
			}
			text = strings.Replace(text, "<script>"+string(own)+"</script>", "", 1)
		}
		for n := range reportstest.Parse(t, text).Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			switch n.Data {
			case "script", "img", "iframe", "link", "base", "form", "object", "embed", "b":
				t.Errorf("%s has a <%s>", name, n.Data)
			}
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "src" {
					t.Errorf("%s: %s=%q", name, a.Key, a.Val)
				}
				if a.Key == "href" && !strings.HasPrefix(a.Val, "#") {
					if _, ok := files[path.Join(path.Dir(name), a.Val)]; !ok {
						t.Errorf("%s: link to %q, which is not there", name, a.Val)
					}
				}
			}
		}
		if strings.ContainsAny(text, "\x1b\x07\u202e") || !strings.Contains(strings.ReplaceAll(text, "&#43;", "+"), policy) {
			t.Errorf("%s: control bytes, or a policy that lets scripts run", name)
		}
	}
	if v, err := verify.Page([]byte(files["report.html"]), verify.Options{}); err != nil || len(v.Differ) > 0 || v.Cells == 0 {
		t.Errorf("the full report does not hold: %v, %+v", err, v)
	}
	if _, ok := files[modelPage("gone <b>")]; !ok {
		t.Error("a system that is no longer measured lost its page")
	}
	if !strings.Contains(files["index.html"], "c0ffee3 2026-11-20</code>") {
		t.Error("the index names no step")
	}
	for _, want := range []string{"<p class=\"facts\">Commit <code>", `<path class="failed"`, "gone &lt;b&gt;</a>: no longer asked for since c0ffee3 2026-11-20", "Changes for the worse", "and 12 more", "<strong>undecided</strong> ", "<td>step</td>"} {
		if !strings.Contains(files["index.html"], want) {
			t.Errorf("the index has no %q", want)
		}
	}
	for _, d := range gate.Definitions() {
		if !strings.Contains(files[wordsFile], "<dt>"+d.Word+"</dt>") {
			t.Errorf("%s is not defined", d.Word)
		}
	}
	for _, f := range hostileSite(t) {
		if files[f.Name] != string(f.Data) {
			t.Errorf("%s is not the same twice", f.Name)
		}
	}
}

// hostileSite is a site of hostile texts over four commits, with a step between
// the second and the third, and a system that is no longer measured.
func hostileSite(t *testing.T) []export.File {
	t.Helper()
	e := reportstest.HostileExperiment()
	e.Trials = slices.Concat(e.Trials[:12], e.Trials[len(e.Trials)-2:])
	var history []Commit
	for i, commit := range []string{"c0ffee1", "c0ffee2", "c0ffee3", "c0ffee4"} {
		history = recorded(t, history, commit, e)
		if i < 2 {
			for j := range history[i].Values {
				history[i].Values[j].Value /= 2
			}
			history[i].Values = append(history[i].Values, CommitValue{System: "gone <b>", Test: "mair/one", Scoring: "nDCG@10", Value: 0.5, Queries: 3})
		}
	}
	history[2].Causes, history[2].Dropped = reportstest.HostileTexts, []string{"gone <b>"}
	for i, text := range reportstest.HostileTexts {
		history[2].Marks = append(history[2].Marks, Mark{Number: text, Reason: text, Accepted: i%3 == 0, Undecided: i%3 == 1})
	}
	files, err := Site([]*results.Experiment{e}, history, nil, reports.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// The index has the last commit with its date and the result of its gate, the change of each number
// since the previous commit that has it, and a chart of the leader's history in which failed commits are marked.
func TestIndex(t *testing.T) {
	before, after := reportstest.OneSystem(0.25, 0.75)[0], reportstest.OneSystem(0.05, 0.75)[0]
	history := recorded(t, recorded(t, nil, "c0ffee1", before), "c0ffee2", after)
	const number = "bm25, nDCG@10 on mair/one"
	history[1].Marks = []Mark{{Number: number, Reason: "a drop"}}
	files, err := Site([]*results.Experiment{after}, history, nil, reports.Options{})
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{}
	for _, f := range files {
		pages[f.Name] = string(f.Data)
	}
	for _, want := range []string{"Commit <code>c0ffee2</code>", "<strong>gate: failed, 1 number</strong>", "−10.0</span>", "the change since the previous commit that has the number", "bm25: nDCG@10 on mair/one</h3>",
		`<td class="n" data-sort="-10.0">−10.0</td><td>step</td><td>failed</td>`, "Crosses: commits that failed", `data-column="1"`} {
		if !strings.Contains(pages["index.html"], want) {
			t.Errorf("the index has no %q", want)
		}
	}
	if model := pages[modelPage("bm25")]; strings.Count(model, `<path class="failed"`) != 1 {
		t.Error("the page of the model does not mark the commit")
	}
	for marks, want := range map[string]string{"": "", "a": gateAccepted, "au": gateUndecided, "ua": gateUndecided, "uaf": gateFailed} {
		var all []Mark
		for _, m := range marks {
			all = append(all, Mark{Accepted: m == 'a', Undecided: m == 'u'})
		}
		if got := gateOf(all); got != want {
			t.Errorf("%q: %q, want %q", marks, got, want)
		}
	}
	for marks, want := range map[string]string{"": "", "a": "gate: accepted, 1 number", "aua": "gate: undecided, 1 number", "afuaf": "gate: failed, 2 numbers"} {
		var all []Mark
		for _, m := range marks {
			all = append(all, Mark{Accepted: m == 'a', Undecided: m == 'u'})
		}
		w := siteWriter{history: []Commit{{Commit: "c0ffee1", Marks: all}}}
		if got := w.latest().Gate; got != want {
			t.Errorf("%q: %q, want %q", marks, got, want)
		}
	}
}

// TestHistory adds commits, one of them twice, and reads the written history.
func TestHistory(t *testing.T) {
	e := reportstest.OneSystem(0.25, 0.75)[0]
	history := recorded(t, recorded(t, nil, "a", e), "b", e)
	twice := recorded(t, history, "a", e)
	data, err := WriteHistory(history)
	if err != nil {
		t.Fatal(err)
	}
	again, err := WriteHistory(twice)
	if err != nil || !bytes.Equal(data, again) {
		t.Errorf("%v\n%s\n%s", err, data, again)
	}
	h, err := ReadHistory("h", data)
	read := h.Commits
	if err != nil || len(read) != 2 || read[1].Commit != "b" || read[1].Values[0] != (CommitValue{System: "bm25", Test: "mair/one", Scoring: "nDCG@10", Value: 0.5, Queries: 2, Runs: 1, Error: 0.25}) {
		t.Errorf("%v %+v", err, read)
	}
	same, err := WriteHistory([]Commit{{Commit: "a"}, {Commit: "a"}})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		string(same):                         "h:2: commit a is there twice",
		"\n{":                                "h:2: ",
		`{"commit":"<b>","values":[]}`:       "h:1: \"<b>\" names no commit",
		`{"commit":"a","values":[],"x":1}`:   "h:1: ",
		`{"commit":"../../etc","values":[]}`: "names no commit",
	} {
		if _, err := ReadHistory("h", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	between, err := Record(read, Push{Commit: "c", Next: "b", Results: []*results.Experiment{e}})
	if err != nil || len(between) != 3 || between[1].Commit != "c" {
		t.Errorf("%v %+v", err, between)
	}
	if again, err := Record(between, Push{Commit: "c", Next: "b", Results: []*results.Experiment{e}}); err != nil || len(again) != 3 || again[1].Commit != "c" {
		t.Errorf("once more: %v %+v", err, again)
	}
	if _, err := Record(read, Push{Commit: "c", Next: "d", Results: []*results.Experiment{e}}); err == nil || !strings.Contains(err.Error(), "the history has no commit d") {
		t.Errorf("before a commit that is not there: %v", err)
	}
	if _, err := Record(nil, Push{Commit: "a b", Results: []*results.Experiment{e}}); err == nil {
		t.Error("a commit of two words was taken")
	}
}

// TestBadge parses badges of hostile texts as XML: they must stay texts.
func TestBadge(t *testing.T) {
	for _, text := range append(slices.Clone(reportstest.Hostile), "nDCG@10 mini-mair", "", strings.Repeat("W", 500)) {
		data, err := Badge(text, "+12.3", badgeGood)
		if err != nil {
			t.Fatal(err)
		}
		dec, elements := xml.NewDecoder(bytes.NewReader(data)), map[string]int{}
		for {
			token, err := dec.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%q: %v\n%s", text, err, data)
			}
			if start, ok := token.(xml.StartElement); ok {
				elements[start.Name.Local]++
			}
		}
		if want := "map[g:1 rect:2 svg:1 text:2 title:1]"; fmt.Sprint(elements) != want {
			t.Errorf("%q: elements %v", text, elements)
		}
	}
}
