// Package reports turns the flat results of trials into tables, charts and one
// self-contained HTML page, and says beside every number what it is a mean of.
//
// All numbers are computed here from per-query values when a report is built,
// so a new table is a projection, not code. The package runs nothing and reads
// no files; the same trials give the same bytes on any machine.
package reports

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"infbench/bench/results"
	"infbench/reports/chart"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/table"
	"infbench/reports/words"
)

// Report is everything that a format may print.
type Report struct {
	Title    string
	Facts    []string // what the report covers, a few words each
	Warnings []string // what a reader must know before anything else
	Lead     []string // what was found, in sentences computed from the tests
	Boards   []*Board
	Grids    []*scores.Grid // the projection behind the tables, for CSV and JSON

	Projected []*table.Table // set where Options.Projection is
	Coverage  *table.Table   // nil, as Matrix, Overlap and Origin, where nothing was run
	Matrix    *table.Table
	Overlap   *table.Table
	Origin    *Origin

	Published []*PublishedBoard
	Beside    *table.Table // measured numbers beside published ones; nil where none has a counterpart
	Data      *Data        // nil where nothing was run
	Queries   *QueryPages  // nil where no trial says anything of single queries

	Comparisons []comparison // behind Beside
}

// Board is a leaderboard of benchmarks of one realm with what belongs to it.
type Board struct {
	ID            string // fit for an HTML id
	Realm         scores.Realm
	Setting       string // what tells it from other boards of its realm
	Leaderboard   *table.Table
	Rankings      []*contrast.Ranking // by column of the leaderboard; nil where nothing can be ranked
	Ranks         *table.Table        // nil where nothing was ranked
	Seeds         *table.Table        // nil where no system has two training runs
	Benchmarks    []results.Benchmark
	Families      []*contrast.Family // tests on the numbers of the leaderboard
	Slices        []*Slices
	Ablation      []*chart.Figure
	AblationIntro string // what a field of them is
	Tradeoff      []*chart.Figure
	Differences   []*chart.Figure // one for each column of each family, with its table
	Everything    []*table.Table  // all scorings of each benchmark
	Curves        []*chart.Figure
	Factors       *table.Table // main effects and interactions; nil where there are none
	Nulls         *table.Table // nil without null rows
	Cost          *table.Table // nil where none was recorded
	Tasks         []*chart.Figure

	warnings []string
}

// ErrNoTrials says that there is nothing to report on.
var ErrNoTrials = errors.New("no trials to report on")

// Build computes a report from experiments, whose trials may be unfinished. It
// fails where there are neither trials nor published numbers, where records contradict each other, and on
// a projection that would average what must not be averaged.
func Build(exps []*results.Experiment, opts contrast.Options) (*Report, error) {
	o := opts.WithDefaults()
	v, err := scores.New(exps)
	if err != nil {
		return nil, err
	}
	r := &Report{Title: words.Clean(cmp.Or(o.Title, titleOf(exps)))}
	for i, c := range o.Published {
		b := publishedBoard(i+1, c)
		if b.Tradeoff, err = b.tradeoff(); err != nil {
			return nil, err
		}
		r.Published = append(r.Published, b)
	}
	if len(v.Trials) == 0 {
		return r.publishedOnly(v, o)
	}
	if err := r.project(v, o); err != nil {
		return nil, err
	}
	for _, p := range v.Split() {
		b, err := board(p, len(r.Boards)+1, o)
		if err != nil {
			return nil, err
		}
		r.Boards = append(r.Boards, b)
	}
	r.Coverage, r.Matrix, r.Overlap = coverage(v), coverageMatrix(v), overlapTable(v, o.Overlaps)
	r.Warnings = overlapWarnings(v, o.Overlaps)
	for _, b := range r.Boards {
		r.Warnings = append(r.Warnings, b.warnings...)
	}
	r.Origin = origin(v, o)
	r.Lead = findings(v, r.Boards, o)
	r.Facts = facts(v, r.Origin)
	if len(o.Published) > 0 {
		var counted string
		r.Comparisons = comparisons(v, o)
		r.Beside, counted = besideTable(r.Comparisons)
		r.Lead = append(r.Lead, counted)
	}
	if o.View != "" {
		if err := r.showView(v, o); err != nil {
			return nil, err
		}
	}
	if o.Ablation {
		if err := r.showAblation(v, o); err != nil {
			return nil, err
		}
	}
	r.Queries = queryPages(v)
	r.Data = embed(v, r.Title, o, shownSlots(r.Boards))
	return r, nil
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

// publishedOnly finishes a report on numbers of others alone.
func (r *Report) publishedOnly(v *scores.Set, o contrast.Options) (*Report, error) {
	if len(r.Published) == 0 && !slices.Contains(StudyViews(), o.View) {
		return nil, ErrNoTrials
	}
	if o.Projection != nil {
		return nil, errors.New("a projection shows what was measured, and there are published numbers only")
	}
	r.Title = words.Clean(cmp.Or(o.Title, "Published results"))
	r.Facts = []string{"published numbers only", "nothing here was measured by this program"}
	if len(r.Published) == 0 {
		r.Title, r.Facts = words.Clean(cmp.Or(o.Title, "Studies of data")), []string{"no system was run"}
	}
	for _, b := range r.Published {
		r.Lead = append(r.Lead, b.Name+": "+b.Intro)
	}
	if o.View != "" {
		if err := r.showView(v, o); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// project fills in the grids: those asked for, or everything by system.
func (r *Report) project(v *scores.Set, o contrast.Options) error {
	p := scores.Projection{Row: []string{scores.KeySystem}, Col: []string{scores.KeyBenchmark, scores.KeyTask, scores.KeySide, scores.KeyMeasure}}
	if o.Projection != nil {
		p = *o.Projection
	}
	grids, err := v.Pivot(p)
	if err != nil {
		return err
	}
	r.Grids = grids
	if o.Projection == nil {
		return nil
	}
	if len(grids) == 0 {
		return errors.New("the filters leave no value to report")
	}
	for i, g := range grids {
		r.Projected = append(r.Projected, g.AsTable(fmt.Sprintf("projection-%d", i+1)))
	}
	return nil
}

// titleOf joins the names of experiments.
func titleOf(exps []*results.Experiment) string {
	var names []string
	for _, e := range exps {
		if e.Name != "" && !slices.Contains(names, e.Name) {
			names = append(names, e.Name)
		}
	}
	return cmp.Or(strings.Join(names, ", "), "unnamed experiment")
}

// Said is everything that a report opens with.
func (r *Report) Said() []string { return slices.Concat(r.Warnings, r.Lead) }

// Tables lists what the text formats print.
func (r *Report) Tables() []*table.Table {
	if r.Projected != nil {
		return r.Projected
	}
	var out []*table.Table
	for _, b := range r.Boards {
		out = append(out, b.Leaderboard)
		for _, t := range []*table.Table{b.Ranks, b.Seeds, b.Factors, b.Nulls} {
			if t != nil {
				out = append(out, t)
			}
		}
		for _, f := range b.Differences {
			out = append(out, f.Table)
		}
		for _, s := range b.Slices {
			out = append(out, s.text())
		}
	}
	if r.Coverage != nil {
		out = append(out, r.Coverage)
	}
	if r.Beside != nil {
		out = append(out, r.Beside)
	}
	for _, b := range r.Published {
		out = append(out, b.Leaderboard)
		if b.Missing != nil {
			out = append(out, b.Missing)
		}
	}
	return out
}
