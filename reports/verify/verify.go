// Package verify checks a page against the values in it and against the run folders behind it. It
// rebuilds the sections and lists the differences, and the parts that it could not check.
package verify

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"infbench/internal/words"
	"infbench/reports"
	"infbench/reports/page"
	"infbench/reports/published"
	"infbench/reports/section"
	"infbench/runners/results"
)

// Verification is the result of checking a page.
type Verification struct {
	Cells     int       // number of compared table cells
	Differ    []Finding // in the order of the page
	Unchecked []string  // by heading, parts that could not be computed again, with the reason
	Given     []string  // choices of the page's author
	Digest    string    // of all values (reports.Data.Digest)
	Numbers   bool      // Unchecked includes a number of a board, a test or a claim
}

// Finding is one difference from the expected page.
type Finding struct {
	Where, Shown, Want string

	placeless bool // it names no place
}

// String implements fmt.Stringer.
func (f Finding) String() string {
	if f.Shown == "" && f.Want == "" {
		return f.Where
	}
	return fmt.Sprintf("%s: shown %q, should be %q", f.Where, f.Shown, f.Want)
}

// Options are data for checking a page in addition to the values in it.
type Options struct {
	Runs      []*results.Experiment   // read from run folders; nil: not at hand
	Overlaps  []results.Overlap       // counts from the run folders
	Studies   []*results.Study        // studies at hand
	Published []*published.Collection // numbers of others; the paper's are known
	Heap      func() (undo func())    // as in reports.Options

	// Repositories are those of the run folders' models, as in reports.Options.
	Repositories map[string]string
}

// Page checks a page against the values in it. It makes the page again from them and compares every
// section, cell, text and chart. Means, differences and counts are also computed by plain
// arithmetic along the links of the cells. With the experiments from the run folders, it compares
// all data in the page with theirs, and the page with one made from them. Parts that cannot be made
// again from the data at hand are listed as unchecked; such a section may contain only elements of
// reports.
func Page(html []byte, o Options) (*Verification, error) {
	d, err := reports.DataOf(html)
	if err != nil {
		return nil, err
	}
	v := &Verification{Digest: d.Digest()}
	if err := reports.CheckSeal(html); err != nil {
		v.Differ = append(v.Differ, Finding{Where: err.Error(), placeless: true})
	}
	if err := v.arithmetic(html, d); err != nil {
		return nil, err
	}
	exps := d.Experiments()
	if o.Runs != nil {
		exps = inOrder(d, o.Runs)
	}
	options, err := withCollections(d, o.Published)
	if err != nil {
		return nil, err
	}
	options.Room, options.Heap = page.RowsAtMost, o.Heap
	v.given(d)
	v.truth(d)
	runs := o.Runs != nil || len(d.Trials) == 0
	if runs {
		v.derive(&options, d, o)
	} else {
		v.Numbers = len(d.Options.Studies) > 0 || len(d.Options.Overlaps) > 0 && judgesData(options)
	}
	r, err := reports.Build(exps, options)
	if err != nil {
		return nil, fmt.Errorf("make the report again: %w", err)
	}
	if o.Runs != nil {
		v.chain(d, r.Data)
	}
	if err := v.rebuild(html, d, r, runs); err != nil {
		return nil, err
	}
	if !runs {
		v.taken(d)
	}
	return v, nil
}

func (v *Verification) find(where, shown, want string) {
	v.Differ = append(v.Differ, Finding{Where: where, Shown: shown, Want: want})
}

// withCollections returns the options of a page with those of its collections that are at hand.
func withCollections(d *reports.Data, known []*published.Collection) (reports.Options, error) {
	paper, err := published.Paper()
	if err != nil {
		return reports.Options{}, err
	}
	o := d.BuildOptions()
	for i, c := range o.Published {
		for _, k := range append(slices.Clone(known), paper) {
			if k.Hash() == c.Hash() {
				o.Published[i] = k
			}
		}
	}
	return o, nil
}

// inOrder sorts experiments in the order of the page, since names of systems depend on it.
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

// rebuild makes the page again and compares: first by name, to tell readers the place of a
// difference, then byte by byte, since two texts may look the same.
func (v *Verification) rebuild(html []byte, d *reports.Data, r *reports.Report, runs bool) error {
	shown, err := parsed(html)
	if err != nil {
		return err
	}
	v.repeated(shown)
	left := len(d.Left) > 0 && !runs
	own := idsOf(r)
	unchecked := v.blank(r, shown, func(s section.Source) string { return lacks(s, runs, left) })
	if left {
		r.Data, r.Warnings, r.Lead, r.Facts = d, items(shown, "warnings"), items(shown, "found"), factsOn(shown)
		v.Unchecked = append(v.Unchecked, "the beginning of the page: "+lacks(section.Source{}, runs, left))
		v.Numbers = true
	}
	if unchecked["queries"] {
		r.Queries = queriesOf(shown)
	}
	charts, err := v.uncheckedCharts(shown, unchecked)
	if err != nil {
		return err
	}
	var again bytes.Buffer
	if err := page.WriteLike(&again, r, html, charts); err != nil {
		return err
	}
	parts := strings.Split(again.String(), page.Hole)
	made, err := parsed([]byte(strings.Join(parts, "")))
	if err != nil {
		return err
	}
	places := placesOf(r)
	have, want := flatten(shown, places, unchecked), flatten(made, places, unchecked)
	v.Cells = have.cells
	v.compare(have, want)
	foreign, first := unlike(string(html), parts, own)
	v.Differ = append(v.Differ, foreign...)
	if first != nil && !slices.ContainsFunc(v.Differ, func(f Finding) bool { return !f.placeless }) {
		v.Differ = append(v.Differ, *first)
	}
	return nil
}

// lacks names the missing data that a section needs; "" if there are none.
func lacks(s section.Source, runs, left bool) string {
	switch {
	case s.From == section.FromElsewhere && s.Absent:
		return "numbers of others: give the same collection with --published"
	case s.From == section.FromElsewhere:
		return ""
	case runs:
		return ""
	case s.From == section.FromRuns:
		return needsRuns
	case left:
		return "the page has no room for all of its values: " + needsRuns
	}
	return ""
}

// blank empties the sections that cannot be made again, keeps the headings of those on the page,
// and lists the reasons.
func (v *Verification) blank(r *reports.Report, shown *html.Node, why func(section.Source) string) map[string]bool {
	unchecked := map[string]bool{}
	var absent []string
	section.Each(r.Sections, func(s *section.Section, _ int) {
		reason := why(s.Source)
		if reason == "" {
			return
		}
		if at := byID(shown, s.ID); at != nil && s.Title != "" && s.Source == (section.Source{}) {
			s.Title = headingOf(at, s.ID+"-title") // headings may contain values
		}
		*s = section.Section{ID: s.ID, Title: s.Title, Nav: s.Nav, Badge: s.Badge, Folded: s.Folded, Unprinted: s.Unprinted, Told: s.Told, Source: s.Source, Parts: s.Parts}
		unchecked[s.ID] = true
		name := strings.TrimSpace(cmp.Or(s.Title, s.ID) + " " + s.Source.Name)
		if s.Blank = byID(shown, s.ID) != nil; s.Blank {
			v.Unchecked = append(v.Unchecked, name+": "+reason)
			v.Numbers = v.Numbers || s.Source.Tests || s.Source.Absent
		} else if !s.Source.Absent {
			absent = words.AddNew(absent, name)
		}
	})
	if len(absent) > 0 {
		v.Unchecked = append(v.Unchecked, "whether the page should have these missing sections: "+words.Listed(absent))
	}
	return unchecked
}

// placesOf lists the sections of a report.
func placesOf(r *reports.Report) map[string]bool {
	places := map[string]bool{"warnings": true, "found": true}
	section.Each(r.Sections, func(s *section.Section, _ int) { places[s.ID] = true })
	return places
}

// compare compares the leaves of each section with the expected ones: first by name, to tell
// readers which cell differs, then in their order.
func (v *Verification) compare(have, want *leaves) {
	for _, region := range slices.Sorted(maps.Keys(joined(have.of, want.of))) {
		shown, made := have.of[region], want.of[region]
		before := len(v.Differ)
		v.compareNames(region, shown, made)
		if len(v.Differ) == before && !slices.Equal(shown, made) {
			v.find(fmt.Sprintf("the order or the nesting in %s differs", regionName(region)), "", "")
		}
	}
}

func joined(a, b map[string][]leaf) map[string]bool {
	all := map[string]bool{}
	for name := range a {
		all[name] = true
	}
	for name := range b {
		all[name] = true
	}
	return all
}

// compareNames compares each leaf with the expected ones of its name: one for a table cell,
// possibly many for the texts of a section.
func (v *Verification) compareNames(region string, shown, made []leaf) {
	find := func(where, shown, want string) {
		if !strings.Contains(where, region) {
			where = region + ": " + where
		}
		v.find(where, shown, want)
	}
	expected := map[string][]leaf{}
	var names []string
	for _, l := range made {
		if expected[l.where] == nil {
			names = append(names, l.where)
		}
		expected[l.where] = append(expected[l.where], l)
	}
	var other []leaf
	for _, l := range shown {
		queue := expected[l.where]
		if i := slices.IndexFunc(queue, func(w leaf) bool { return w.text == l.text }); i >= 0 {
			expected[l.where] = slices.Delete(slices.Clone(queue), i, i+1)
		} else {
			other = append(other, l)
		}
	}
	for _, l := range other {
		if queue := expected[l.where]; len(queue) > 0 {
			find(l.where, l.text, queue[0].text)
			expected[l.where] = queue[1:]
			continue
		}
		find(l.where+" does not follow from the values", l.text, "")
	}
	for _, name := range names {
		for _, l := range expected[name] {
			find(l.where+" is not on the page", "", l.text)
		}
	}
}
