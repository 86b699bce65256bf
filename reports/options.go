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

// Options says how to report. The zero value gives the leaderboard with the
// defaults of every field.
type Options struct {
	Projection *scores.Projection // shown instead of the leaderboard
	Reference  string             // name of the system that all are compared with; default contrast.DefaultReference
	Measures   []string           // that boards show; all where none is named

	Published []*published.Collection // on boards of their own, and beside what was measured
	Overlaps  []results.Overlap       // of training data with benchmarks, as far as they were counted

	// Repositories names the repository of each model that configurations call by
	// another name, so that published numbers of it are found.
	Repositories map[string]string

	// Ablation shows what training gained for each loss and backbone instead of the
	// leaderboard.
	Ablation bool

	// Studies are shown by the views of their kinds.
	Studies []*results.Study

	// Claims of papers are held to what was measured.
	Claims []*claims.File

	// View is the name of a ready view (Views) that is shown instead of the
	// leaderboard.
	View string

	// Taken says that nobody needs the values of the trials again, which then go as they
	// are filed.
	Taken bool

	// Room is how many rows a table gets that is no leaderboard, for a format that shows no
	// more; the others are counted. 0: all.
	Room int

	// Heap keeps the heap of the process small until undo. It is called while a report of
	// many values is made and while it is written; nil leaves the process as it is.
	Heap func() (undo func())

	// Brief makes no more than Report.Brief shows: no charts, and nothing for a page.
	Brief bool
}

// WithDefaults fills in what was left out.
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

// gather makes a set of experiments.
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

// filters keep what is of the measures that are shown.
func (o *Options) filters() []scores.Filter {
	if len(o.Measures) == 0 {
		return nil
	}
	return []scores.Filter{{Key: scores.KeyMeasure, Values: o.Measures}}
}

// numbers are those of a benchmark that tests run over: what a leaderboard shows, and the
// measures asked for.
func (o *Options) numbers(v *scores.Set, benchmark string) []scores.Number {
	return v.Columns(benchmark).With(o.Measures).Main()
}

// shown are those of them that boards show.
func (o *Options) shown(v *scores.Set, benchmark string) []scores.Number {
	return slices.DeleteFunc(o.numbers(v, benchmark), func(c scores.Number) bool { return !o.shows(c.Measure) })
}

// check refuses measures that nothing was measured by.
func (o *Options) check(v *scores.Set) error {
	known := v.Measures()
	for _, m := range o.Measures {
		if !slices.Contains(known, m) {
			return nearest.Unknown("measure", m, known)
		}
	}
	return nil
}

// referenceOn is what the systems of a part of a set are compared with, as contrast has it:
// the label of the one system that the name of the reference means in the set or, where it
// means several there, in the part, such as the one of a world. It is "" where there is
// none; several in the part are an error, which lists them.
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

// CheckReference says whether there is the system that all are compared with. A report
// without it compares nothing, and says so.
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
