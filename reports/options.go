package reports

import (
	"cmp"
	"slices"

	"infbench/internal/nearest"
	"infbench/internal/words"
	"infbench/metrics"
	"infbench/reports/claims"
	"infbench/reports/contrast"
	"infbench/reports/published"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// Options configures a report. The zero value gives the leaderboard with all defaults.
type Options struct {
	Projection *scores.Projection // shown instead of the leaderboard
	Reference  string             // name of the system that all are compared with; default contrast.DefaultReference
	Measures   []string           // measures that boards show; all if empty

	Published []*published.Collection // shown on their own boards and compared with measured numbers
	Overlaps  []results.Overlap       // overlaps of training data with benchmarks, as far as they were counted

	// Repositories maps other names of models in configurations to their repositories, so
	// that published numbers are found.
	Repositories map[string]string

	// Ablation shows the gains of training by loss and backbone instead of the
	// leaderboard.
	Ablation bool

	// Measured are the days that a page carries, for trials without their times.
	Measured Days

	// Studies are shown by the views of their kinds.
	Studies []*results.Study

	// Claims of papers, to be compared with the measured numbers.
	Claims []*claims.File

	// View is the name of a ready view (Views) that is shown instead of the leaderboard.
	View string

	// Taken allows the report to release the values of the trials as it goes, because
	// nobody needs them again.
	Taken bool

	// Room limits the rows of every table except leaderboards, for formats that show no
	// more; the others are counted. 0 means no limit.
	Room int

	// Heap keeps the heap of the process small until undo. It is called while a report
	// with many values is made and while it is written; nil leaves the process unchanged.
	Heap func() (undo func())

	// Brief makes only what Report.Brief shows: no charts, and nothing for a page.
	Brief bool
}

// WithDefaults sets missing options to their defaults.
func (o Options) WithDefaults() Options {
	o.Reference = cmp.Or(o.Reference, contrast.DefaultReference)
	counts := o.Overlaps
	o.Overlaps = nil
	for _, c := range counts {
		o.Overlaps = words.AddNew(o.Overlaps, c)
	}
	o.Measures = slices.Clone(o.Measures)
	for i, name := range o.Measures {
		o.Measures[i] = metrics.Canonical(name)
	}
	return o
}

// gather makes a set from experiments.
func (o *Options) gather(exps []*results.Experiment) (*scores.Set, error) {
	if o.Taken {
		return scores.Take(exps, collectGone())
	}
	return scores.New(exps)
}

// shows reports whether boards show numbers of a measure.
func (o *Options) shows(measure string) bool {
	return len(o.Measures) == 0 || slices.Contains(o.Measures, measure)
}

// filters returns filters for the shown measures.
func (o *Options) filters() []scores.Filter {
	if len(o.Measures) == 0 {
		return nil
	}
	return []scores.Filter{{Key: scores.KeyMeasure, Values: o.Measures}}
}

// numbers returns the tested numbers of a benchmark: those of a leaderboard, and the
// measures asked for.
func (o *Options) numbers(v *scores.Set, benchmark string) []scores.Number {
	return v.Columns(benchmark).With(o.Measures).Main()
}

// shown returns the numbers that boards show.
func (o *Options) shown(v *scores.Set, benchmark string) []scores.Number {
	return slices.DeleteFunc(o.numbers(v, benchmark), func(c scores.Number) bool { return !o.shows(c.Measure) })
}

// check returns an error for measures without values.
func (o *Options) check(v *scores.Set) error {
	known := v.Measures()
	for _, m := range o.Measures {
		if !slices.Contains(known, m) {
			return nearest.Unknown("measure", m, known)
		}
	}
	return nil
}

// referenceOn returns the reference of the systems in a part of a set, as in contrast: the
// label of the one system that the reference's name means in the set or, if it means
// several there, in the part, for example the part of a world. It returns "" if there is
// none, and an error that lists them if there are several in the part.
func (o *Options) referenceOn(whole, part *scores.Set) (string, error) {
	if o.Reference == contrast.DefaultReference {
		return o.Reference, nil
	}
	s, err := whole.Named(o.Reference)
	if err != nil {
		if s, err = part.Named(o.Reference); err != nil {
			return "", err
		}
	}
	if s != nil {
		i := slices.IndexFunc(part.Systems, func(of *scores.System) bool { return scores.Identity(of.Trials[0]) == scores.Identity(s.Trials[0]) })
		if i >= 0 {
			return part.Systems[i].Label, nil
		}
	}
	return "", nil
}

// CheckReference returns an error if the reference does not exist. A report without it
// compares nothing, and states this.
func (r *Report) CheckReference() error {
	var known []string
	for _, s := range r.set.Systems {
		known = words.AddNew(known, results.AsTyped(s.Label))
	}
	if name := r.options.Reference; name != contrast.DefaultReference && len(results.Find(r.set.Names(), name)) == 0 {
		return nearest.Unknown("system", results.AsTyped(name), known)
	}
	return nil
}
