package runs

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"infbench/runners/results"
	"infbench/runners/spec"
)

// Reader reads the run folder of a sweep, an evaluation or an import.
type Reader struct{ at Folder }

// Reader returns a reader of the folder.
func (f Folder) Reader() Reader { return Reader{f} }

// Load reads the run folder of a sweep, an import or an evaluation. An evaluation is an
// experiment of one trial.
func (r Reader) Load() (*results.Experiment, error) {
	name, plan, trials, single, err := r.listed()
	if err != nil {
		return nil, err
	}
	exp := &results.Experiment{Name: name, Dir: r.at.Dir, Trials: trials}
	if single {
		at := results.At(r.at.Dir)
		if marked, err := at.Marker().Exists(); err != nil {
			return nil, err
		} else if !marked {
			return nil, fmt.Errorf("%s is not a run folder: neither %s nor %s exists%s", r.at.Dir, PlanFile, results.DoneFile, cmp.Or(r.at.unjoined(), r.at.nearest()))
		}
		t := results.Trial{ID: name}
		if err := at.Reader().Trial(&t); err != nil {
			return nil, err
		}
		t.ID = results.Identified(name, results.Identity(t.Config, t.Provenance.Benchmarks)) // distinguishes evaluations with the same name
		exp.Trials = []results.Trial{t}
		noteCoverage(exp)
		noteCards(exp)
		return exp, nil
	}
	if i, err := r.read(trials); err != nil {
		what := trials[i].ID
		if plan != nil {
			what = plan.Trials[i].Label
		}
		return nil, fmt.Errorf("read trial %s: %w", what, err)
	}
	if plan != nil {
		exp.Planned = true
		exp.Notes, exp.Forgetting = plan.Remarks(), HeldTo(plan)
		exp.Question, exp.File, exp.Set = plan.Question, plan.Source, plan.Set
		noteMargin(exp)
		changed, err := r.at.Changes().Words()
		if err != nil {
			return nil, err
		}
		exp.Notes = append(exp.Notes, changed...)
		if err := r.noteActive(exp); err != nil {
			return nil, err
		}
		MarkSelected(plan, exp)
	}
	noteCoverage(exp)
	noteCards(exp)
	return exp, nil
}

// Sketch is a fast, partial Load, used for shell completion. It lists all planned trials of a
// sweep, but only reads the values of the first trial that is finished and readable. The others
// look unfinished.
func (r Reader) Sketch() (*results.Experiment, error) {
	name, plan, trials, single, err := r.listed()
	if err != nil {
		return nil, err
	}
	if single {
		return r.Load()
	}
	exp := &results.Experiment{Name: name, Dir: r.at.Dir, Planned: plan != nil}
	read := false
	for _, t := range trials {
		if full := t; !read || plan == nil { // imported trials are only described in their folders
			err := r.at.Trial(t.ID).Reader().Trial(&full)
			if err == nil && full.State == results.Done {
				t, read = full, true
			} else if plan == nil {
				continue
			}
		}
		exp.Trials = append(exp.Trials, t)
	}
	return exp, nil
}

// Finished lists the folders of the finished trials and counts the others.
func (r Reader) Finished() (done []results.Folder, waiting int, err error) {
	_, _, trials, single, err := r.listed()
	if err != nil || single {
		return []results.Folder{results.At(r.at.Dir)}, 0, err
	}
	for i := range trials {
		t := r.at.Trial(trials[i].ID)
		marked, err := t.Marker().Exists()
		if err != nil {
			return nil, 0, err
		}
		if marked {
			done = append(done, t)
		} else {
			waiting++
		}
	}
	return done, waiting, nil
}

// NamesOf returns the names of an experiment's trials: IDs and the labels of the plan, short and
// with complete values, or the model if there is no plan.
func (r Reader) NamesOf(exp *results.Experiment) ([]results.Named, error) {
	labels := map[string][]string{}
	if exists(r.at.PlanPath()) {
		plan, err := r.at.Plan()
		if err != nil {
			return nil, err
		}
		for i := range plan.Trials {
			named := nameOf(&plan.Trials[i])
			labels[named.ID] = named.Labels
		}
	}
	all := make([]results.Named, len(exp.Trials))
	for i := range exp.Trials {
		t := &exp.Trials[i]
		all[i] = results.Named{ID: t.ID, Labels: labels[t.ID]}
		if model := cmp.Or(t.Config[results.Loss], t.Config[results.Model]); len(all[i].Labels) == 0 && model != "" {
			all[i].Labels = []string{model}
		}
	}
	return all, nil
}

// Pairs lists the training sets and benchmarks of a run; none for a folder that is not a
// sweep's.
func (r Reader) Pairs() ([]Pair, error) {
	_, plan, _, _, err := r.listed()
	if err != nil || plan == nil {
		return nil, err
	}
	var out []Pair
	for i := range plan.Trials {
		t := &plan.Trials[i]
		c := Config(t)
		if c[results.Loss] == "" || t.Cell.Data == "" {
			continue
		}
		revision := map[string]string{}
		for _, r := range t.Revisions {
			revision[r.Name] = r.Revision
		}
		for _, test := range t.Evaluate {
			benchmark, _ := spec.TasksOf(test)
			p := Pair{Train: t.Cell.Data, Label: t.DataLabel(), TrainRevision: t.DataRevision(), Test: test, TestRevision: revision[benchmark], World: t.Cell.World}
			if !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	return out, nil
}

// narrow reduces an experiment to the trials of a named system. It returns an error if the name
// means several systems with values.
func (r Reader) narrow(exp *results.Experiment, system string) error {
	all, err := r.NamesOf(exp)
	if err != nil {
		return err
	}
	found := results.Find(all, system)
	if len(found) == 0 {
		return results.Unknown("trial", r.at.Dir, system, all)
	}
	var kept []results.Trial
	var means []results.Named
	for _, i := range found {
		kept, means = append(kept, exp.Trials[i]), append(means, all[i])
	}
	finished := slices.DeleteFunc(slices.Clone(kept), func(t results.Trial) bool { return t.State != results.Done })
	for _, t := range finished {
		if !t.Config.SameSystem(finished[0].Config) {
			return results.Ambiguous("system", system, means)
		}
	}
	exp.Trials = kept
	return nil
}

// listed returns the trials of a run with their configurations in the plan. For a single
// evaluation the list is empty and single is true: the folder is its trial.
func (r Reader) listed() (name string, plan *spec.Plan, trials []results.Trial, single bool, err error) {
	if err := r.at.isFolder(); err != nil {
		return "", nil, nil, false, err
	}
	plan, err = spec.ReadPlan(r.at.PlanPath())
	switch {
	case err == nil:
		for i := range plan.Trials {
			trials = append(trials, results.Trial{ID: plan.Trials[i].ID, Config: Config(&plan.Trials[i]), Labels: plan.Trials[i].Labels})
		}
		return plan.Name, plan, trials, false, nil
	case !errors.Is(err, fs.ErrNotExist):
		return "", nil, nil, false, err
	case !r.at.IsImport():
		return filepath.Base(filepath.Clean(r.at.Dir)), nil, nil, true, nil
	}
	x, err := r.at.Import().read()
	if err != nil {
		return "", nil, nil, false, err
	}
	for _, id := range x.Trials {
		trials = append(trials, results.Trial{ID: id})
	}
	return x.Name, nil, trials, false, nil
}

// read reads the folders of trials on all processors. On large sweeps most of the time goes
// into checking hashes and decoding values. The error is that of the first failing trial in
// their order.
func (r Reader) read(trials []results.Trial) (failed int, err error) {
	var (
		group errgroup.Group
		stop  atomic.Bool
		errs  = make([]error, len(trials))
	)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := 0; i < len(trials) && !stop.Load(); i++ { // those before a failed one have begun
		group.Go(func() error {
			if errs[i] = r.at.Trial(trials[i].ID).Reader().Trial(&trials[i]); errs[i] != nil {
				stop.Store(true)
			}
			return nil
		})
	}
	_ = group.Wait() // errs has the errors
	failed = slices.IndexFunc(errs, func(err error) bool { return err != nil })
	if failed < 0 {
		return 0, nil
	}
	return failed, errs[failed]
}

// noteActive adds the notes of an active sweep to an experiment, and marks its trials while
// some of the plan are not done.
func (r Reader) noteActive(exp *results.Experiment) error {
	a, err := r.at.Rounds().Read()
	if a == nil || err != nil {
		return err
	}
	exp.Active, exp.Notes = a.Log(), append(exp.Notes, a.Words()...)
	if !slices.ContainsFunc(exp.Trials, func(t results.Trial) bool { return t.State != results.Done }) {
		return nil // all were run: the choice has no effect
	}
	for i := range exp.Trials {
		exp.Trials[i].Active = true
	}
	return nil
}
