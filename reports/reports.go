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
	Title  string
	Facts  []string // what the report covers, a few words each
	Lead   []string // what was found, in sentences computed from the tests
	Boards []*Board
	Grids  []*Grid // the projection behind the tables, for CSV and JSON

	Projected []*Table // set where Options.Projection is
	Coverage  *Table
	Origin    *Origin
}

// Board is a leaderboard of benchmarks of one realm with what belongs to it.
type Board struct {
	ID          string // fit for an HTML id
	Realm       Realm
	Setting     string // what tells it from other boards of its realm
	Leaderboard *Table
	Benchmarks  []results.Benchmark
	Families    []*Family // tests on the numbers of the leaderboard
	Slices      []*Slices
	Ablation    []*Figure
	Tradeoff    []*Figure
	Differences []*Figure // one for each column of each family, with its table
	Everything  []*Table  // all scorings of each benchmark
	Curves      []*Figure
}

// ErrNoTrials says that there is nothing to report on.
var ErrNoTrials = errors.New("no trials to report on")

// Build computes a report from experiments, whose trials may be unfinished. It
// fails where there are no trials, where records contradict each other, and on
// a projection that would average what must not be averaged.
func Build(exps []*results.Experiment, opts Options) (*Report, error) {
	o := opts.withDefaults()
	v, err := newView(exps)
	if err != nil {
		return nil, err
	}
	if len(v.trials) == 0 {
		return nil, ErrNoTrials
	}
	r := &Report{Title: clean(cmp.Or(o.Title, titleOf(exps)))}
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
	r.Coverage = v.coverage()
	r.Origin = v.origin(o)
	r.Lead = v.findings(r.Boards, o)
	r.Facts = v.facts(r.Origin)
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

// Tables lists what the text formats print.
func (r *Report) Tables() []*Table {
	if r.Projected != nil {
		return r.Projected
	}
	var out []*Table
	for _, b := range r.Boards {
		out = append(out, b.Leaderboard)
		for _, f := range b.Differences {
			out = append(out, f.Table)
		}
		for _, s := range b.Slices {
			out = append(out, s.text())
		}
	}
	return append(out, r.Coverage)
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
