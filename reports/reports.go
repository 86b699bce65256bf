// Package reports turns the flat results of trials into the sections of a report: tables
// and charts that document what each number is a mean of. A page also carries its values
// (Data) and a seal.
//
// All numbers are computed here from per-query values when a report is built, so a new
// table is a projection, not code. The package runs nothing and opens no run folder. Equal
// trials give equal bytes on any machine. Packages export and page print reports.
package reports

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/reports/beside"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/runners/results"
)

// Report is everything that a format may print.
type Report struct {
	Title    string
	Facts    []string // coverage of the report, a few words each
	Warnings []string // warnings to read before anything else
	Lead     []string // findings, as sentences computed from the tests
	Sections []section.Section
	Asked    bool // the first section is the requested one; text formats print nothing else

	// Sources of the sections, for formats of values and for other programs.
	Boards       []*Board
	Published    []*beside.Board
	Counterparts []beside.Counterpart // measured numbers paired with published ones
	Data         *Data                // data carried by a page
	Queries      *QueryPages          // nil if no trial has records of single queries

	options    Options
	set        *scores.Set
	grids      []*scores.Grid // result of Grids, once called
	forgetting []forgettingPlan
	questions  []Question
	recipes    []*results.Experiment // experiments whose files are shown
	values     int                   // number of values in all trials
	said       []string              // results of claims and forgetting trials
	beside     []section.Section     // requested claims and published numbers
}

// reportSections are the sections of a report, in order. To add one, write a file with
// such a function and add a line here.
var reportSections = []func(*Report) ([]section.Section, error){
	askedSections, answerSections, claimSections, forgettingSections, boardsSections, besideSections, publishedSections, querySections, recipeSections, coverageSections, originSections, glossarySections,
}

// briefSections are the sections that Brief shows, if there are trials.
var briefSections = []func(*Report) ([]section.Section, error){
	askedSections, claimSections, forgettingSections, besideSections, publishedSections,
}

// ErrNoTrials is returned if there is nothing to report on.
var ErrNoTrials = errors.New("no trials to report on")

// Build computes a report from experiments, whose trials may be unfinished. It returns an
// error if there are neither trials nor published numbers, if records contradict each
// other, and for a projection that would average numbers that must not be averaged.
func Build(exps []*results.Experiment, opts Options) (*Report, error) {
	values := countValues(exps)
	o := opts.WithDefaults()
	defer o.small(values)()
	v, err := o.gather(exps)
	if err != nil {
		return nil, err
	}
	exps = slices.DeleteFunc(slices.Clone(exps), func(e *results.Experiment) bool { return slices.Contains(v.Repeated, e) })
	r := &Report{Title: words.Clean(titleOf(exps)), options: o, set: v, forgetting: forgettingPlans(exps), questions: questionsOf(exps), recipes: withoutValues(exps), values: values}
	for i, c := range o.Published {
		r.Published = append(r.Published, beside.NewBoard(i+1, c))
	}
	if len(v.Trials) == 0 {
		err = r.openWithoutTrials()
	} else {
		err = r.open()
	}
	if err != nil {
		return nil, err
	}
	shown, brief := reportSections, o.Brief && len(v.Trials) > 0
	if brief {
		shown = briefSections
	}
	for _, sections := range shown {
		made, err := sections(r)
		if err != nil {
			return nil, err
		}
		cut(made, o.Room)
		r.Sections = append(r.Sections, made...)
	}
	r.nameInFull()
	if !brief {
		r.Data = embed(r)
	}
	return r, nil
}

// nameInFull adds the complete names of systems to the entries of tables that show short ones. A
// label means one system on all boards.
func (r *Report) nameInFull() {
	long := map[string]string{}
	add := func(v *scores.Set) {
		for _, s := range v.Systems {
			if s.Long != "" {
				long[s.Label] = s.Long
			}
		}
	}
	add(r.set)
	for _, b := range r.Boards {
		add(b.Set)
	}
	if len(long) == 0 {
		return
	}
	for i := range r.Sections {
		for _, t := range r.Sections[i].AllTables() {
			for _, row := range t.Rows {
				for j := range row.Entries {
					row.Entries[j].Full = long[row.Entries[j].Text]
				}
			}
		}
	}
}

// cut limits the rows of all tables except leaderboards.
func cut(sections []section.Section, room int) {
	section.Each(sections, func(s *section.Section, _ int) {
		for _, t := range s.Tables {
			if !t.Board {
				t.Cut(room)
			}
		}
	})
}

// withoutValues copies experiments without the values of their trials.
func withoutValues(exps []*results.Experiment) []*results.Experiment {
	out := make([]*results.Experiment, len(exps))
	for i, e := range exps {
		bare := *e
		bare.Trials = slices.Clone(e.Trials)
		for j := range bare.Trials {
			bare.Trials[j].Results = nil
		}
		out[i] = &bare
	}
	return out
}

// open computes the data shared by the sections on trials, and the first texts of the
// report.
func (r *Report) open() error {
	v, o := r.set, r.options
	if err := o.check(v); err != nil {
		return err
	}
	for _, p := range v.Split() {
		b, err := newBoard(v, p, len(r.Boards)+1, o)
		if err != nil {
			return err
		}
		if len(b.Numbers) > 0 || len(o.Measures) == 0 {
			r.Boards = append(r.Boards, b)
		}
	}
	if len(r.Boards) == 0 && len(o.Measures) > 0 && o.Projection == nil {
		return fmt.Errorf("no leaderboard shows %s; use infbench report --row system --col task,side,measure", strings.Join(o.Measures, ", "))
	}
	r.Warnings = overlapWarnings(v, o.Overlaps)
	for _, b := range r.Boards {
		r.Warnings = append(r.Warnings, b.warnings...)
	}
	r.Lead, r.Facts = findings(v, r.Boards, o), append(facts(v), r.origin()...)
	r.Counterparts = beside.Counterparts(v, o.Published, o.Repositories)
	if !o.Brief {
		r.Queries = newQueryPages(v)
	}
	return nil
}

// openWithoutTrials opens a report on published numbers alone, or on studies of data.
func (r *Report) openWithoutTrials() error {
	o := r.options
	if len(r.Published) == 0 && !slices.Contains(StudyViews(), o.View) {
		return ErrNoTrials
	}
	if o.Projection != nil {
		return errors.New("a projection needs measured numbers, but there are only published ones")
	}
	r.Title, r.Facts = "Published results", []string{"published numbers only", "nothing here was measured by this program"}
	if len(r.Published) == 0 {
		r.Title, r.Facts = "Studies of data", []string{"no system was run"}
	}
	return nil
}

// boardsSections returns the leaderboards of measured numbers.
func boardsSections(r *Report) ([]section.Section, error) {
	var out []section.Section
	for _, b := range r.Boards {
		s, err := b.section(r.options)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// besideSections compares measured with published numbers.
func besideSections(r *Report) ([]section.Section, error) {
	if len(r.Published) == 0 || len(r.set.Trials) == 0 {
		return nil, nil
	}
	out := []section.Section{beside.Section(r.Counterparts, r.Published)}
	r.beside = append(r.beside, out...)
	return out, nil
}

// publishedSections returns the leaderboards of published numbers.
func publishedSections(r *Report) ([]section.Section, error) {
	var out []section.Section
	for _, b := range r.Published {
		s, err := b.Section()
		if err != nil {
			return nil, err
		}
		if len(r.set.Trials) == 0 { // else the answer is about the measured numbers
			s.Told, s.Notes = true, b.Answer
		}
		out = append(out, s)
	}
	r.beside = append(r.beside, out...)
	return out, nil
}

// shownSlots lists the slots behind the leaderboards.
func shownSlots(boards []*Board) []scores.Slot {
	var out []scores.Slot
	for _, b := range boards {
		for _, r := range b.Rankings {
			if r != nil {
				out = append(out, r.Column.Slots()...)
			}
		}
	}
	return out
}

// titleOf joins the names of experiments, of the first ones if there are many.
func titleOf(exps []*results.Experiment) string {
	var names []string
	for _, e := range exps {
		if e.Name != "" && !slices.Contains(names, e.Name) {
			names = append(names, e.Name)
		}
	}
	return cmp.Or(words.First(3, names), "unnamed experiment")
}

// Said returns all sentences at the start of a report.
func (r *Report) Said() []string { return slices.Concat(r.Warnings, r.Lead) }

// Printed lists the sections that text formats print: all, or the requested one and the
// claims.
func (r *Report) Printed() []section.Section {
	if r.Asked {
		return r.Sections[:1+len(r.options.Claims)]
	}
	return r.Sections
}

// Tables lists the tables of the sections that text formats print.
func (r *Report) Tables() []*table.Table {
	var out []*table.Table
	for _, s := range r.Printed() {
		out = append(out, s.AllTables()...)
	}
	return out
}

// Section returns the section or part with an ID; nil if there is none.
func (r *Report) Section(id string) *section.Section {
	var found *section.Section
	section.Each(r.Sections, func(s *section.Section, _ int) {
		if s.ID == id {
			found = s
		}
	})
	return found
}
