// Package verify holds a page to the values that it carries and to the run
// folders behind it.
package verify

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"

	"infbench/bench/results"
	"infbench/reports"
	"infbench/reports/page"
	"infbench/reports/scores"
	"infbench/reports/words"
)

// Verification is what came of checking a page.
type Verification struct {
	Cells     int       // of tables, held to what they should be
	Differ    []Finding // in the order of the page
	Unchecked []string  // what could not be checked, and why
}

// Finding is one thing that is not what it should be.
type Finding struct {
	Where, Shown, Want string
}

// String implements fmt.Stringer.
func (f Finding) String() string {
	if f.Shown == "" && f.Want == "" {
		return f.Where
	}
	return fmt.Sprintf("%s: shown %q, should be %q", f.Where, f.Shown, f.Want)
}

// VerifyPage holds a page to the values that it carries: it is made again from
// them, and every cell, text and chart compared; means, differences and counts
// are also worked out by plain arithmetic along the links of the cells. With the
// experiments behind it, read from their run folders, values and hashes are held
// to those too, and the page to one made from them, so that nothing is left
// unchecked but published numbers.
func VerifyPage(html []byte, runs []*results.Experiment) (*Verification, error) {
	d, err := reports.ReadData(bytes.NewReader(html))
	if err != nil {
		return nil, err
	}
	v := &Verification{}
	if err := page.CheckSeal(html); err != nil {
		v.find(err.Error(), "", "")
	}
	shown, err := flatten(html)
	if err != nil {
		return nil, err
	}
	for _, l := range shown {
		if strings.HasPrefix(l.where, l.region+": ") {
			v.Cells++
		}
	}
	if err := v.arithmetic(html, d); err != nil {
		return nil, err
	}
	if runs != nil {
		runs = inOrder(d, runs)
		if err := v.chain(d, runs); err != nil {
			return nil, err
		}
	}
	return v, v.rebuild(html, shown, d, runs)
}

func (v *Verification) find(where, shown, want string) {
	v.Differ = append(v.Differ, Finding{where, shown, want})
}

// inOrder sorts experiments as the page has them, since names of systems depend
// on it.
func inOrder(d *reports.Data, runs []*results.Experiment) []*results.Experiment {
	place := func(e *results.Experiment) int {
		i := slices.IndexFunc(d.Trials, func(t reports.DataTrial) bool { return t.Experiment == words.Clean(e.Name) })
		if i < 0 {
			return len(d.Trials)
		}
		return i
	}
	sorted := slices.Clone(runs)
	slices.SortStableFunc(sorted, func(a, b *results.Experiment) int { return place(a) - place(b) })
	return sorted
}

// rebuild makes the page again and compares.
func (v *Verification) rebuild(html []byte, shown []leaf, d *reports.Data, runs []*results.Experiment) error {
	exps := runs
	if exps == nil {
		exps = d.Experiments()
		if len(d.Left) > 0 {
			v.Unchecked = append(v.Unchecked, fmt.Sprintf("the page carries the values of %d of %d scorings only: numbers of the others, tests and ranks need the run folders (--runs)",
				len(d.Slots)-len(d.Left), len(d.Slots)))
			return nil
		}
	}
	r, err := reports.Build(exps, d.BuildOptions())
	if err != nil {
		return fmt.Errorf("make the report again: %w", err)
	}
	var again bytes.Buffer
	if err := page.WriteWith(&again, r, chartScript(html)); err != nil {
		return err
	}
	want, err := flatten(again.Bytes())
	if err != nil {
		return err
	}
	v.compare(shown, want, runs != nil)
	return nil
}

// chartScript is the script that draws the charts of a page, if it is the one
// that this program embeds.
func chartScript(html []byte) []byte {
	script, err := page.Assets.ReadFile("assets/echarts.min.js")
	if err != nil || !bytes.Contains(html, script) {
		return nil
	}
	return script
}

// compare holds each leaf to those of its name, which for a table cell is one and
// for the texts of a section may be many.
func (v *Verification) compare(shown, want []leaf, whole bool) {
	expected := map[string][]leaf{}
	for _, l := range want {
		expected[l.where] = append(expected[l.where], l)
	}
	var other []leaf
	for _, l := range shown {
		queue := expected[l.where]
		if i := slices.IndexFunc(queue, func(w leaf) bool { return w.text == l.text }); i >= 0 {
			expected[l.where] = slices.Delete(queue, i, i+1)
		} else {
			other = append(other, l)
		}
	}
	skipped := map[string]bool{}
	printed := slices.ContainsFunc(shown, func(l leaf) bool { return strings.HasPrefix(l.region, reports.PrintedTables) })
	for _, l := range other {
		why := unmade(l, whole)
		if printed && l.region == "projection" { // headings and notes between the tables
			why = publishedNumbers
		}
		if why != "" {
			skipped[why] = true
			continue
		}
		if queue := expected[l.where]; len(queue) > 0 {
			v.find(l.where, l.text, queue[0].text)
			expected[l.where] = queue[1:]
			continue
		}
		v.find(l.where+" does not follow from the values", l.text, "")
	}
	for _, name := range words.SortedKeys(expected) {
		for _, l := range expected[name] {
			if unmade(l, whole) == "" {
				v.find(l.where+" is not on the page", "", l.text)
			}
		}
	}
	v.Unchecked = append(v.Unchecked, words.SortedKeys(skipped)...)
}

// publishedNumbers are on pages and cannot be made again.
const publishedNumbers = "published numbers, which are not made from values"

// unmade says why a leaf cannot be made again from the values alone; "" where it
// can. whole says that the run folders are at hand.
func unmade(l leaf, whole bool) string {
	if strings.Contains(l.region, "published") || l.region == "found" && strings.Contains(l.text, "published") {
		return publishedNumbers
	}
	if whole {
		return ""
	}
	curves := strings.Contains(l.region, "-curve") || strings.HasSuffix(l.region, "-training")
	switch {
	case curves:
		return "training curves need the run folders (--runs)"
	case l.region == "cells" || l.region == "origin" || strings.HasSuffix(l.region, "-cost") || strings.HasSuffix(l.region, "-costs") || strings.HasPrefix(l.text, "measured "):
		return "times, machines and commands need the run folders (--runs)"
	case l.region == "queries" || l.region == "query-data" || l.region == "query-browser" || l.region == "movers":
		return "texts and ranks of single queries need the run folders (--runs)"
	}
	return ""
}

// chain holds the trials of a page to those of the run folders: hashes, then
// values.
func (v *Verification) chain(d *reports.Data, runs []*results.Experiment) error {
	r, err := reports.Build(runs, d.BuildOptions())
	if err != nil {
		return fmt.Errorf("report on the run folders: %w", err)
	}
	found := map[string]*reports.DataTrial{}
	for i := range r.Data.Trials {
		found[r.Data.Trials[i].ID] = &r.Data.Trials[i]
	}
	for i := range d.Trials {
		t := &d.Trials[i]
		is := found[t.ID]
		if is == nil {
			v.find("trial "+t.ID+" is in none of the run folders", "", "")
			continue
		}
		if t.Marker != is.Marker {
			v.find("SHA-256 of done.json of trial "+t.ID, t.Marker, is.Marker)
		}
		if t.State != is.State {
			v.find("state of trial "+t.ID, string(t.State), string(is.State))
		}
		v.chainValues(d, t, r.Data, is)
	}
	return nil
}

// valueKey is where a value belongs.
type valueKey struct {
	reports.DataSlot
	query string
}

// byKey lists the values of a trial.
func byKey(d *reports.Data, t *reports.DataTrial) map[valueKey]float64 {
	out := map[valueKey]float64{}
	for _, v := range t.Values {
		for i, q := range d.Queries[v.Queries] {
			out[valueKey{d.Slots[v.Slot], q}] = v.Values[i]
		}
	}
	return out
}

// chainValues compares the values of a trial bit for bit.
func (v *Verification) chainValues(d *reports.Data, t *reports.DataTrial, r *reports.Data, is *reports.DataTrial) {
	shown, want := byKey(d, t), byKey(r, is)
	var differ []string
	for key, value := range shown {
		if other, ok := want[key]; !ok || math.Float64bits(value) != math.Float64bits(other) {
			differ = append(differ, fmt.Sprintf("value of trial %s, %s on %s/%s, query %s, is not that of the run folder",
				t.ID, scores.Slot(key.DataSlot).Scoring(), key.Benchmark, key.Task, words.Clean(key.query)))
		}
	}
	for key := range want {
		if _, ok := shown[key]; !ok && len(d.Left) == 0 {
			differ = append(differ, fmt.Sprintf("value of trial %s, %s on %s/%s, query %s, is not on the page",
				t.ID, scores.Slot(key.DataSlot).Scoring(), key.Benchmark, key.Task, words.Clean(key.query)))
		}
	}
	slices.Sort(differ)
	for _, text := range differ {
		v.find(text, "", "")
	}
}
