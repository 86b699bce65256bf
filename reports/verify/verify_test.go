package verify

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports"
	"infbench/reports/page"
	"infbench/runners/results"
)

// pageOf writes a page with its seal and without a script for charts.
func pageOf(t *testing.T, exps []*results.Experiment) string {
	t.Helper()
	var b strings.Builder
	r := build(t, reports.Options{}, exps...)
	if err := page.WriteWith(&b, r, nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// resealed returns a page with a new seal, as a forger would make it.
func resealed(html string) string {
	at := strings.LastIndex(html, reports.SealStart)
	var b strings.Builder
	if err := reports.WriteSealed(&b, writeAll(html[:at])); err != nil {
		panic(err)
	}
	return b.String()
}

func verified(t *testing.T, page string, runs []*results.Experiment) *Verification {
	t.Helper()
	v, err := Page([]byte(page), Options{Runs: runs})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestVerifyWhole(t *testing.T) {
	exps := []*results.Experiment{reportstest.HostileExperiment()}
	page := pageOf(t, exps)
	if v := verified(t, page, nil); len(v.Differ) > 0 || v.Cells < 100 {
		t.Errorf("from the values alone, %d cells: %v", v.Cells, v.Differ)
	}
	if v := verified(t, page, exps); len(v.Differ) > 0 || len(v.Unchecked) > 0 {
		t.Errorf("with the run folders: %v, unchecked %v", v.Differ, v.Unchecked)
	}
}

// shownNumber matches a cell with a number: its attributes, and the number.
var shownNumber = regexp.MustCompile(`(<td[^>]* data-sort="[^"]*"[^>]*>(?:<strong>)?)([^<]+)`)

// TestVerifyCells changes one digit of every number in a table, and of its sort value, under a new
// seal.
func TestVerifyCells(t *testing.T) {
	html := pageOf(t, reportstest.TwoSystems())
	found := shownNumber.FindAllStringSubmatchIndex(html, -1)
	if len(found) < 12 {
		t.Fatalf("%d numbers on the page", len(found))
	}
	for _, at := range found {
		for _, span := range [][2]int{{at[4], at[5]}, {at[2], at[3]}} {
			digit := span[0] + strings.IndexAny(html[span[0]:span[1]], "0123456789")
			if span[0] == at[2] {
				digit = at[2] + strings.Index(html[at[2]:at[3]], `data-sort="`) + len(`data-sort="`)
				digit += strings.IndexAny(html[digit:at[3]], "0123456789")
			}
			if html[digit] < '0' || html[digit] > '9' {
				continue // such as the "<" of a p-value
			}
			changed := html[:digit] + string('0'+(html[digit]-'0'+1)%10) + html[digit+1:]
			if changed == html {
				t.Fatal("nothing changed")
			}
			if reports.CheckSeal([]byte(changed)) == nil {
				t.Errorf("the seal holds after a change at %d", digit)
			}
			if v := verified(t, resealed(changed), nil); len(v.Differ) == 0 {
				t.Errorf("not found: %.200s", changed[at[0]:at[1]])
			}
		}
	}
}

// dataOf finds the data of a page; put replaces them.
func dataOf(t *testing.T, page string) (d *reports.Data, put func(*reports.Data) string) {
	t.Helper()
	before, rest, _ := strings.Cut(page, reports.DataStart)
	text, after, _ := strings.Cut(rest, "</script>")
	d = &reports.Data{}
	if err := json.Unmarshal([]byte(text), d); err != nil {
		t.Fatal(err)
	}
	return d, func(d *reports.Data) string {
		changed, err := reports.ScriptJSON(d)
		if err != nil {
			t.Fatal(err)
		}
		return resealed(before + reports.DataStart + string(changed) + "</script>" + after)
	}
}

// TestVerifyValues changes every per-query value: by a millionth, which the page alone must show,
// and by the last bit, which the run folder shows.
func TestVerifyValues(t *testing.T) {
	exps := reportstest.TwoSystems()
	page := pageOf(t, exps)
	d, put := dataOf(t, page)
	if v := verified(t, put(d), exps); len(v.Differ) > 0 {
		t.Fatalf("unchanged: %v", v.Differ)
	}
	for i := range d.Trials {
		for j := range d.Trials[i].Values {
			values := d.Trials[i].Values[j].Values
			for k, was := range values {
				values[k] = was + 1e-6
				if v := verified(t, put(d), nil); len(v.Differ) == 0 {
					t.Errorf("value %d of trial %d: a change by a millionth was not found", k, i)
				}
				if k == 0 {
					values[k] = math.Nextafter(was, 1)
					if v := verified(t, put(d), exps); len(v.Differ) == 0 || !strings.Contains(v.Differ[0].Where, "value of trial") {
						t.Errorf("value %d of trial %d: a change of the last bit was not found", k, i)
					}
				}
				values[k] = was
			}
		}
	}
}

func TestVerifyHashes(t *testing.T) {
	exps := reportstest.TwoSystems()
	html := pageOf(t, exps)
	d, put := dataOf(t, html)
	for i := range d.Trials {
		was := d.Trials[i].Marker
		d.Trials[i].Marker = "1" + was[1:]
		v := verified(t, put(d), exps)
		if len(v.Differ) != 1 || !strings.Contains(v.Differ[0].Where, "done.json of trial "+d.Trials[i].ID) {
			t.Errorf("hash of trial %d: %v", i, v.Differ)
		}
		d.Trials[i].Marker = was
	}
	d.Trials = d.Trials[:2]
	if v := verified(t, put(d), exps); len(v.Differ) == 0 {
		t.Error("a trial that is gone was not found")
	}
	// The seal itself.
	at := strings.LastIndex(html, reports.SealStart) + len(reports.SealStart)
	flipped := html[:at] + string("0123456789abcdef"[(strings.IndexByte("0123456789abcdef", html[at])+1)%16]) + html[at+1:]
	for _, text := range []string{flipped, strings.Replace(html, "Every number", "Every nunber", 1), html[:strings.LastIndex(html, reports.SealStart)]} {
		if v := verified(t, text, nil); len(v.Differ) == 0 || !strings.Contains(v.Differ[0].Where, "page") {
			t.Errorf("seal: %v", v.Differ)
		}
	}
}

// TestVerifyBuilds checks the builds of cells on a page against the run folders.
func TestVerifyBuilds(t *testing.T) {
	exps := reportstest.TwoSystems()
	made := &exps[0].Trials[0].Provenance
	made.Infbench, made.Source = "v1", "sha256:01"
	exps[0].Trials[1].Provenance.Infbench = "v2"
	html := pageOf(t, exps)
	if v := verified(t, html, exps); len(v.Differ) > 0 || !strings.Contains(html, "Made by different builds of infbench: ") {
		t.Errorf("%v", v.Differ)
	}
	d, put := dataOf(t, html)
	d.Builds[0].Infbench = "v3"
	v := verified(t, put(d), exps)
	if !slices.ContainsFunc(v.Differ, func(f Finding) bool { return strings.HasPrefix(f.Where, "program of trial ") }) {
		t.Errorf("another build: %v", v.Differ)
	}
}

// TestVerifyNames checks that a finding names the cell, its value and the expected value.
func TestVerifyNames(t *testing.T) {
	page := pageOf(t, reportstest.TwoSystems())
	before, board, _ := strings.Cut(page, `-leaderboard" class="sortable"`)
	changed := resealed(before + `-leaderboard" class="sortable"` + strings.Replace(board, ">50.0<", ">51.0<", 1))
	v := verified(t, changed, nil)
	i := slices.IndexFunc(v.Differ, func(f Finding) bool {
		return strings.Contains(f.Where, "leaderboard: bm25 baseline, nDCG@10") && strings.HasPrefix(f.Shown, "51.0") && strings.HasPrefix(f.Want, "50.0")
	})
	if i < 0 {
		t.Errorf("%v", v.Differ)
	}
}

// TestVerifyScript finds a script that would show other numbers.
func TestVerifyScript(t *testing.T) {
	page := pageOf(t, reportstest.TwoSystems())
	at := strings.LastIndex(page, "</script>")
	v := verified(t, resealed(page[:at]+";document.title=1"+page[at:]), nil)
	if len(v.Differ) == 0 || !strings.Contains(v.Differ[0].Where, "script") {
		t.Errorf("%v", v.Differ)
	}
	image := regexp.MustCompile(`base64,[A-Za-z0-9+/=]+`)
	evil := base64.StdEncoding.EncodeToString([]byte("<svg/>"))
	if changed := image.ReplaceAllString(page, "base64,"+evil); changed != page {
		if v := verified(t, resealed(changed), nil); len(v.Differ) == 0 {
			t.Error("an exchanged chart was not found")
		}
	}
}

// writeAll writes a text.
func writeAll(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// TestVerifyAblation verifies a page that was made with options.
func TestVerifyAblation(t *testing.T) {
	exps := []*results.Experiment{reportstest.Fixture(1)}
	o := reports.Options{}
	o.Ablation = true
	r := build(t, o, exps...)
	var b strings.Builder
	if err := page.WriteWith(&b, r, nil); err != nil {
		t.Fatal(err)
	}
	if v := verified(t, b.String(), nil); len(v.Differ) > 0 {
		t.Error(v.Differ)
	}
}
