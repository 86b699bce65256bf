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

// Reader reads what a sweep, an evaluation or an import left in a run folder.
type Reader struct{ at Folder }

// Reader reads the folder.
func (f Folder) Reader() Reader { return Reader{f} }

// Load reads what a sweep, an evaluation or an import left, an evaluation as an
// experiment of one trial.
func (r Reader) Load() (*results.Experiment, error) {
	name, plan, trials, whole, err := r.listed()
	if err != nil {
		return nil, err
	}
	exp := &results.Experiment{Name: name, Dir: r.at.Dir, Trials: trials}
	if whole {
		at := results.At(r.at.Dir)
		if marked, err := at.Marker().Exists(); err != nil {
			return nil, err
		} else if !marked {
			return nil, fmt.Errorf("%s is no run folder: neither %s nor %s is there%s", r.at.Dir, PlanFile, results.DoneFile, cmp.Or(r.at.unjoined(), r.at.nearest()))
		}
		t := results.Trial{ID: name}
		if err := at.Reader().Trial(&t); err != nil {
			return nil, err
		}
		t.ID = results.Identified(name, results.Identity(t.Config, t.Provenance.Benchmarks)) // of others that are called the same
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
		if err := r.noteActive(exp); err != nil {
			return nil, err
		}
		MarkSelected(plan, exp)
	}
	noteCoverage(exp)
	noteCards(exp)
	return exp, nil
}

// Sketch is Load for who must be quick and can do with less, as a shell that completes a
// word: of a sweep all trials that are planned, but the values of one, the first that is
// finished and can be read. The others are as if nothing of them were done.
func (r Reader) Sketch() (*results.Experiment, error) {
	name, plan, trials, whole, err := r.listed()
	if err != nil {
		return nil, err
	}
	if whole {
		return r.Load()
	}
	exp := &results.Experiment{Name: name, Dir: r.at.Dir, Planned: plan != nil}
	read := false
	for _, t := range trials {
		if full := t; !read || plan == nil { // only the folders of imported trials say what they are
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
	_, _, trials, whole, err := r.listed()
	if err != nil || whole {
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

// NamesOf are the names of an experiment's trials: IDs and the labels of its plan, where
// there is none what was run.
func (r Reader) NamesOf(exp *results.Experiment) ([]results.Named, error) {
	labels := map[string]string{}
	if exists(r.at.PlanPath()) {
		plan, err := r.at.Plan()
		if err != nil {
			return nil, err
		}
		for i := range plan.Trials {
			labels[plan.Trials[i].ID] = plan.Trials[i].Label
		}
	}
	all := make([]results.Named, len(exp.Trials))
	for i := range exp.Trials {
		t := &exp.Trials[i]
		all[i].ID = t.ID
		if label := cmp.Or(labels[t.ID], t.Config[results.Loss], t.Config[results.Model]); label != "" {
			all[i].Labels = []string{label}
		}
	}
	return all, nil
}

// Pairs lists the training sets and benchmarks of a run; none of a folder that no
// sweep made.
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

// narrow leaves of an experiment the trials that a system's name means. A name that means
// several systems with values is refused.
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

// listed are the trials of a run with what a plan says of each; of one evaluation
// the list is empty, and whole is true: the folder is its trial.
func (r Reader) listed() (name string, plan *spec.Plan, trials []results.Trial, whole bool, err error) {
	if err := r.at.isFolder(); err != nil {
		return "", nil, nil, false, err
	}
	plan, err = spec.ReadPlan(r.at.PlanPath())
	switch {
	case err == nil:
		for i := range plan.Trials {
			trials = append(trials, results.Trial{ID: plan.Trials[i].ID, Config: Config(&plan.Trials[i])})
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

// read fills in what the folders of trials hold, on all processors: of a large sweep
// holding files to their sums and decoding values take most of the time. The error is
// that of the first trial in their order.
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
	_ = group.Wait() // errs has what failed
	failed = slices.IndexFunc(errs, func(err error) bool { return err != nil })
	if failed < 0 {
		return 0, nil
	}
	return failed, errs[failed]
}

// noteActive says in an experiment what its active sweep says, and marks its trials while
// some of the plan are not done.
func (r Reader) noteActive(exp *results.Experiment) error {
	a, err := r.at.Rounds().Read()
	if a == nil || err != nil {
		return err
	}
	exp.Active, exp.Notes = a.Log(), append(exp.Notes, a.Words()...)
	if !slices.ContainsFunc(exp.Trials, func(t results.Trial) bool { return t.State != results.Done }) {
		return nil // all were run: nothing was chosen
	}
	for i := range exp.Trials {
		exp.Trials[i].Active = true
	}
	return nil
}
