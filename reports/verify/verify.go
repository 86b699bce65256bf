// Package verify checks a page against the values that it carries and against the run
// folders behind it. It rebuilds the sections and lists what differs, and what it could
// not check.
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

// Verification is what came of checking a page.
type Verification struct {
	Cells     int       // of tables, held to what they should be
	Differ    []Finding // in the order of the page
	Unchecked []string  // by heading, what could not be computed again, and why
	Given     []string  // what the author of the page gave it
	Digest    string    // of all values (reports.Data.Digest)
	Numbers   bool      // a number of a board, a test or a claim is among Unchecked
}

// Finding is one thing that is not what it should be.
type Finding struct {
	Where, Shown, Want string

	whole bool // it does not say where
}

// String implements fmt.Stringer.
func (f Finding) String() string {
	if f.Shown == "" && f.Want == "" {
		return f.Where
	}
	return fmt.Sprintf("%s: shown %q, should be %q", f.Where, f.Shown, f.Want)
}

// Options are what a page can be held to beside the values that it carries.
type Options struct {
	Runs      []*results.Experiment   // read from run folders; nil: not at hand
	Overlaps  []results.Overlap       // counts that the run folders have
	Studies   []*results.Study        // that are at hand
	Published []*published.Collection // numbers of others; the paper's are known
	Heap      func() (undo func())    // as reports.Options has it

	// Repositories are those of models of the run folders, as reports.Options has them.
	Repositories map[string]string
}

// Page holds a page to the values that it carries: it is made again from them, and
// every section, cell, text and chart compared; means, differences and counts are
// also worked out by plain arithmetic along the links of the cells. With the
// experiments behind it, read from their run folders, everything that it carries is
// compared with what they have, and the page with one made from them. What cannot be
// made again from what is at hand is listed as unchecked; a section of that kind may
// hold only what reports are written of.
func Page(html []byte, o Options) (*Verification, error) {
	d, err := reports.DataOf(html)
	if err != nil {
		return nil, err
	}
	v := &Verification{Digest: d.Digest()}
	if err := reports.CheckSeal(html); err != nil {
		v.Differ = append(v.Differ, Finding{Where: err.Error(), whole: true})
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

// withCollections are the options of a page with those of its collections that are
// at hand.
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

// rebuild makes the page again and compares: by name, so that a reader learns what
// differs, then byte by byte, since two texts may read as one.
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
		v.Unchecked = append(v.Unchecked, "what the page opens with: "+lacks(section.Source{}, runs, left))
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
	beside, first := unlike(string(html), parts, own)
	v.Differ = append(v.Differ, beside...)
	if first != nil && !slices.ContainsFunc(v.Differ, func(f Finding) bool { return !f.whole }) {
		v.Differ = append(v.Differ, *first)
	}
	return nil
}

// lacks says what is not at hand to make a section again; "" where nothing is.
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

// blank empties the sections that cannot be made again, leaving the headings of
// those that the page has, and says of each why it is not checked.
func (v *Verification) blank(r *reports.Report, shown *html.Node, why func(section.Source) string) map[string]bool {
	unchecked := map[string]bool{}
	var absent []string
	section.Each(r.Sections, func(s *section.Section, _ int) {
		reason := why(s.Source)
		if reason == "" {
			return
		}
		if at := byID(shown, s.ID); at != nil && s.Title != "" && s.Source == (section.Source{}) {
			s.Title = headingOf(at, s.ID+"-title") // it may say what values say
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
		v.Unchecked = append(v.Unchecked, "whether the page should have these sections, which it lacks: "+words.Listed(absent))
	}
	return unchecked
}

// placesOf lists the sections of a report.
func placesOf(r *reports.Report) map[string]bool {
	places := map[string]bool{"warnings": true, "found": true}
	section.Each(r.Sections, func(s *section.Section, _ int) { places[s.ID] = true })
	return places
}

// compare holds the leaves of each section to those that it should have: first by
// name, so that a reader learns which cell differs, then in their order.
func (v *Verification) compare(have, want *leaves) {
	for _, region := range slices.Sorted(maps.Keys(joined(have.of, want.of))) {
		shown, made := have.of[region], want.of[region]
		before := len(v.Differ)
		v.compareNames(region, shown, made)
		if len(v.Differ) == before && !slices.Equal(shown, made) {
			v.find(fmt.Sprintf("the order or the nesting of what stands in %s differs", regionName(region)), "", "")
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

// compareNames holds each leaf to those of its name, which for a table cell is one
// and for the texts of a section may be many.
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
