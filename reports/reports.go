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
	"io"
	"slices"
	"strings"

	"infbench/bench/results"
	"infbench/metrics/nearest"
	"infbench/reports/published"
)

// Options says how to report. The zero value gives the leaderboard with the
// defaults of every field.
type Options struct {
	Title        string      // default: the names of the experiments
	Projection   *Projection // shown instead of the leaderboard
	Reference    string      // model that all systems are compared with; default "untrained"
	Permutations int         // of each paired test; default 10,000, the least that reviewers ask for
	Resamples    int         // of each bootstrap interval; default 2,000, which settles its first decimal to about 0.1
	Seed         uint64      // of tests and intervals

	Published []*published.Collection // on boards of their own, and beside what was measured
	Overlaps  []Overlap               // of training data with benchmarks, as far as they were counted

	// Repositories names the repository of each model that configurations call by
	// another name, so that published numbers of it are found.
	Repositories map[string]string

	// Ablation shows what training gained for each loss and backbone instead of the
	// leaderboard, and which of the paper's findings the runs bear out.
	Ablation bool

	// Studies are shown by the views of their kinds.
	Studies []*Study

	// View is the name of a ready view (Views) that is shown instead of the
	// leaderboard.
	View string
}

// defaultReference is the model that training must beat: the same network
// before its first step.
const defaultReference = "untrained"

// withDefaults fills in what was left out.
func (o Options) withDefaults() Options {
	o.Reference = cmp.Or(o.Reference, defaultReference)
	o.Permutations = cmp.Or(o.Permutations, 10_000)
	o.Resamples = cmp.Or(o.Resamples, 2_000)
	return o
}

// Realm says what kind of data a board is about. Realms never share a board.
type Realm string

// The realms.
const (
	Real       Realm = "real"
	Synthetic  Realm = "synthetic"
	Unrecorded Realm = "unrecorded" // no finished trial recorded the benchmark's origin
)

// Report is everything that a format may print.
type Report struct {
	Title    string
	Facts    []string // what the report covers, a few words each
	Warnings []string // what a reader must know before anything else
	Lead     []string // what was found, in sentences computed from the tests
	Boards   []*Board
	Grids    []*Grid // the projection behind the tables, for CSV and JSON

	Projected []*Table // set where Options.Projection is
	Coverage  *Table   // nil, as Matrix, Overlap and Origin, where nothing was run
	Matrix    *Table
	Overlap   *Table
	Origin    *Origin

	Published []*PublishedBoard
	Beside    *Table      // measured numbers beside published ones; nil where none has a counterpart
	Data      *Data       // nil where nothing was run
	Queries   *QueryPages // nil where no trial says anything of single queries

	comparisons []comparison // behind Beside
}

// Board is a leaderboard of benchmarks of one realm with what belongs to it.
type Board struct {
	ID            string // fit for an HTML id
	Realm         Realm
	Setting       string // what tells it from other boards of its realm
	Leaderboard   *Table
	Rankings      []*Ranking // by column of the leaderboard; nil where nothing can be ranked
	Ranks         *Table     // nil where nothing was ranked
	Seeds         *Table     // nil where no system has two training runs
	Benchmarks    []results.Benchmark
	Families      []*Family // tests on the numbers of the leaderboard
	Slices        []*Slices
	Ablation      []*Figure
	AblationIntro string // what a field of them is
	Tradeoff      []*Figure
	Differences   []*Figure // one for each column of each family, with its table
	Everything    []*Table  // all scorings of each benchmark
	Curves        []*Figure
	Factors       *Table // main effects and interactions; nil where there are none
	Nulls         *Table // nil without null rows
	Cost          *Table // nil where none was recorded
	Tasks         []*Figure

	warnings []string
}

// ErrNoTrials says that there is nothing to report on.
var ErrNoTrials = errors.New("no trials to report on")

// Build computes a report from experiments, whose trials may be unfinished. It
// fails where there are neither trials nor published numbers, where records contradict each other, and on
// a projection that would average what must not be averaged.
func Build(exps []*results.Experiment, opts Options) (*Report, error) {
	o := opts.withDefaults()
	v, err := newView(exps)
	if err != nil {
		return nil, err
	}
	r := &Report{Title: clean(cmp.Or(o.Title, titleOf(exps)))}
	for i, c := range o.Published {
		b := publishedBoard(i+1, c)
		if b.Tradeoff, err = b.tradeoff(); err != nil {
			return nil, err
		}
		r.Published = append(r.Published, b)
	}
	if len(v.trials) == 0 {
		return r.publishedOnly(v, o)
	}
	if err := r.project(v, o); err != nil {
		return nil, err
	}
	for _, p := range v.split() {
		b, err := p.board(len(r.Boards)+1, o)
		if err != nil {
			return nil, err
		}
		r.Boards = append(r.Boards, b)
	}
	r.Coverage, r.Matrix, r.Overlap = v.coverage(), v.coverageMatrix(), v.overlapTable(o.Overlaps)
	r.Warnings = v.overlapWarnings(o.Overlaps)
	for _, b := range r.Boards {
		r.Warnings = append(r.Warnings, b.warnings...)
	}
	r.Origin = v.origin(o)
	r.Lead = v.findings(r.Boards, o)
	r.Facts = v.facts(r.Origin)
	if len(o.Published) > 0 {
		var counted string
		r.comparisons = v.comparisons(o)
		r.Beside, counted = besideTable(r.comparisons)
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
	r.Queries = v.queryPages()
	r.Data = v.embed(r.Title, o, shownSlots(r.Boards))
	return r, nil
}

// shownSlots lists the slots behind the leaderboards.
func shownSlots(boards []*Board) []slot {
	var out []slot
	for _, b := range boards {
		for _, r := range b.Rankings {
			if r != nil {
				out = append(out, r.column.slots()...)
			}
		}
	}
	return out
}

// publishedOnly finishes a report on numbers of others alone.
func (r *Report) publishedOnly(v *view, o Options) (*Report, error) {
	if len(r.Published) == 0 && !slices.Contains(StudyViews(), o.View) {
		return nil, ErrNoTrials
	}
	if o.Projection != nil {
		return nil, errors.New("a projection shows what was measured, and there are published numbers only")
	}
	r.Title = clean(cmp.Or(o.Title, "Published results"))
	r.Facts = []string{"published numbers only", "nothing here was measured by this program"}
	if len(r.Published) == 0 {
		r.Title, r.Facts = clean(cmp.Or(o.Title, "Studies of data")), []string{"no system was run"}
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
func (r *Report) project(v *view, o Options) error {
	p := Projection{Row: []string{keySystem}, Col: []string{keyBenchmark, keyTask, keySide, keyMeasure}}
	if o.Projection != nil {
		p = *o.Projection
	}
	grids, err := v.pivot(p)
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
		r.Projected = append(r.Projected, g.table(fmt.Sprintf("projection-%d", i+1)))
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

// inRealm lists the benchmarks of a realm in the order of their values.
func (v *view) inRealm(realm Realm) []string {
	var names []string
	for _, s := range v.slots {
		if v.benchmarks[s.Benchmark].realm() == realm && !slices.Contains(names, s.Benchmark) {
			names = append(names, s.Benchmark)
		}
	}
	return names
}

// said is everything that a report opens with.
func (r *Report) said() []string { return slices.Concat(r.Warnings, r.Lead) }

// Tables lists what the text formats print.
func (r *Report) Tables() []*Table {
	if r.Projected != nil {
		return r.Projected
	}
	var out []*Table
	for _, b := range r.Boards {
		out = append(out, b.Leaderboard)
		for _, t := range []*Table{b.Ranks, b.Seeds, b.Factors, b.Nulls} {
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

// writers by the name a user types; one place to add a format.
func writers() map[string]func(io.Writer, *Report) error {
	return map[string]func(io.Writer, *Report) error{
		"terminal": WriteTerminal,
		"markdown": WriteMarkdown,
		"latex":    WriteLaTeX,
		"csv":      WriteCSV,
		"json":     WriteJSON,
		"html":     WriteHTML,
	}
}

// Formats lists the names that Write knows.
func Formats() []string { return []string{"terminal", "markdown", "latex", "csv", "json", "html"} }

// Write prints a report in the format of that name.
func Write(w io.Writer, r *Report, format string) error {
	write, ok := writers()[format]
	if !ok {
		return nearest.Unknown("format", format, Formats())
	}
	return write(w, r)
}
