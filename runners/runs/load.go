package runs

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"infbench/internal/disk"
	"infbench/runners/results"
	"infbench/runners/spec"
	"infbench/training/encoder"
)

// LoadAll loads the named run folders, or all below runs/, with the parameters of
// their models. RUN:SYSTEM is one system of a folder.
func LoadAll(dirs []string) ([]*results.Experiment, error) {
	dirs, err := NamedOrAll(dirs)
	if err != nil {
		return nil, err
	}
	var exps []*results.Experiment
	for _, name := range dirs {
		dir, system := Split(name)
		exp, err := At(dir).Load()
		if err == nil && system != "" {
			err = At(dir).narrow(exp, system)
		}
		if err != nil {
			return nil, err
		}
		if err := addParameters(exp); err != nil {
			return nil, err
		}
		exps = append(exps, exp)
	}
	return exps, nil
}

// listed are the trials of a run with what a plan says of each; of one evaluation
// the list is empty, and whole is true: the folder is its trial.
func (f Folder) listed() (name string, plan *spec.Plan, trials []results.Trial, whole bool, err error) {
	if err := f.isFolder(); err != nil {
		return "", nil, nil, false, err
	}
	plan, err = spec.ReadPlan(f.PlanPath())
	switch {
	case err == nil:
		for i := range plan.Trials {
			trials = append(trials, results.Trial{ID: plan.Trials[i].ID, Config: Config(&plan.Trials[i])})
		}
		return plan.Name, plan, trials, false, nil
	case !errors.Is(err, fs.ErrNotExist):
		return "", nil, nil, false, err
	case !f.IsImport():
		return filepath.Base(filepath.Clean(f.Dir)), nil, nil, true, nil
	}
	x, err := f.readImport()
	if err != nil {
		return "", nil, nil, false, err
	}
	for _, id := range x.Trials {
		trials = append(trials, results.Trial{ID: id})
	}
	return x.Name, nil, trials, false, nil
}

// Load reads what a sweep, an evaluation or an import left, an evaluation as an
// experiment of one trial.
func (f Folder) Load() (*results.Experiment, error) {
	name, plan, trials, whole, err := f.listed()
	if err != nil {
		return nil, err
	}
	exp := &results.Experiment{Name: name, Dir: f.Dir, Trials: trials}
	if whole {
		at := results.At(f.Dir)
		if marked, err := at.IsMarked(); err != nil {
			return nil, err
		} else if !marked {
			return nil, fmt.Errorf("%s is no run folder: neither %s nor %s is there%s", f.Dir, PlanFile, results.DoneFile, cmp.Or(f.unjoined(), f.nearest()))
		}
		t := results.Trial{ID: name}
		if err := at.Read(&t); err != nil {
			return nil, err
		}
		t.ID = results.Identified(name, results.Identity(t.Config, t.Provenance.Benchmarks)) // of others that are called the same
		exp.Trials = []results.Trial{t}
		noteCoverage(exp)
		noteCards(exp)
		return exp, nil
	}
	if i, err := f.read(trials); err != nil {
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
		if err := f.noteActive(exp); err != nil {
			return nil, err
		}
		MarkSelected(plan, exp)
	}
	noteCoverage(exp)
	noteCards(exp)
	return exp, nil
}

// read fills in what the folders of trials hold, on all processors: of a large sweep
// holding files to their sums and decoding values take most of the time. The error is
// that of the first trial in their order.
func (f Folder) read(trials []results.Trial) (failed int, err error) {
	var (
		group errgroup.Group
		stop  atomic.Bool
		errs  = make([]error, len(trials))
	)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := 0; i < len(trials) && !stop.Load(); i++ { // those before a failed one have begun
		group.Go(func() error {
			if errs[i] = f.Trial(trials[i].ID).Read(&trials[i]); errs[i] != nil {
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

// noteCards says which models are read as their cards say, and that what is untrained
// is not: it stands beside cells that start from it.
func noteCards(exp *results.Experiment) {
	var said []string
	untrained := false
	for i := range exp.Trials {
		c := exp.Trials[i].Config
		untrained = untrained || c[results.Model] == spec.Untrained
		if card := c[results.Card]; card != "" {
			if note := fmt.Sprintf("%s is read as its card says (%s).", c[results.Model], card); !slices.Contains(said, note) {
				said = append(said, note)
			}
		}
	}
	if len(said) > 0 && untrained {
		said = append(said, spec.Untrained+" keeps the design of the trained cells, whatever a card says.")
	}
	exp.Notes = append(exp.Notes, said...)
}

// noteCoverage says which trials ranked tasks in part.
func noteCoverage(exp *results.Experiment) {
	for i := range exp.Trials {
		t := &exp.Trials[i]
		for _, c := range results.PartCovered(t.Results) {
			exp.Notes = append(exp.Notes, fmt.Sprintf("%s %s.", cmp.Or(t.Config[results.Model], t.ID), c))
		}
	}
}

// Finished lists the folders of the finished trials and counts the others.
func (f Folder) Finished() (done []results.Folder, waiting int, err error) {
	_, _, trials, whole, err := f.listed()
	if err != nil || whole {
		return []results.Folder{results.At(f.Dir)}, 0, err
	}
	for i := range trials {
		t := f.Trial(trials[i].ID)
		marked, err := t.IsMarked()
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

// Config is a trial as reports show it: the model of one that trains is its
// backbone, and a backbone that was not made here is named by its content, too.
func Config(t *spec.Trial) results.Config {
	c := results.Config(t.Cell.Settings())
	if label := t.DataLabel(); label != "" {
		c[results.Data] = label
	}
	if label := t.StepsOfLabel(); label != "" {
		c[results.StepsOf] = label
	}
	if t.Cell.Model == spec.Trained {
		c[results.Model] = t.Cell.Backbone
	}
	var read, cards []string
	for _, r := range t.Revisions {
		switch {
		case strings.HasPrefix(r.Name, spec.BackboneInput), strings.HasPrefix(r.Name, spec.ModelInput):
			read = append(read, strings.TrimPrefix(r.Revision, "sha256:"))
		case strings.HasPrefix(r.Name, spec.CardInput):
			cards = append(cards, r.Revision)
		}
	}
	if sum := results.WeightsOf(read); sum != "" {
		c[results.Weights] = sum
	}
	if len(cards) > 0 {
		c[results.Card] = strings.Join(cards, "+")
	}
	return c
}

// FolderOf is where a trial of an experiment lies: an evaluation is a trial by
// itself.
func FolderOf(exp *results.Experiment, t *results.Trial) (results.Folder, error) {
	at := At(exp.Dir).Trial(t.ID)
	there, err := disk.Exists(at.Dir)
	if !there {
		at = results.At(exp.Dir)
	}
	return at, err
}

// addParameters notes how many parameters the models of an experiment have in
// use, where their weights are still there: once a backbone, since all trials of
// one backbone have as many.
func addParameters(exp *results.Experiment) error {
	known := map[string]int64{}
	for i := range exp.Trials {
		t := &exp.Trials[i]
		if t.State != results.Done {
			continue
		}
		at, err := FolderOf(exp, t)
		if err != nil {
			return err
		}
		folder := at.Model()
		if t.Config[results.Loss] == "" {
			folder = t.Config[results.Model] // of an evaluation: a folder, or a name that is none
		}
		backbone := cmp.Or(t.Config[results.Backbone], folder)
		if _, seen := known[backbone]; !seen {
			if err := results.Hold(folder); err != nil {
				return err
			}
			found, err := encoder.Inspect(folder)
			if err != nil {
				continue // unknown, and the report says so
			}
			known[backbone] = found.Parameters
		}
		t.Parameters = known[backbone]
	}
	return nil
}

// AddTies reads what ties decide of each trial's p-MRR from its saved rankings.
func AddTies(exps []*results.Experiment) error {
	for _, exp := range exps {
		if exp.Dir == "" {
			continue // read from an HTML report
		}
		for i := range exp.Trials {
			t := &exp.Trials[i]
			if t.State != results.Done {
				continue
			}
			at, err := FolderOf(exp, t)
			if err != nil {
				return err
			}
			if t.Ties, err = at.Ties(t.Results); err != nil {
				return err
			}
		}
	}
	return nil
}

// askedAtMost is the number of trials of which a page shows single queries.
const askedAtMost = 60

// AddQueries reads what the trials say of single queries: one of those that
// differ in their seed only, and no more than a page can show.
func AddQueries(exps []*results.Experiment) error {
	seen := map[string]bool{}
	for _, exp := range exps {
		if exp.Dir == "" {
			continue // read from an HTML report
		}
		for i := range exp.Trials {
			t := &exp.Trials[i]
			if t.State != results.Done || len(seen) >= askedAtMost {
				continue
			}
			var system strings.Builder
			for _, key := range slices.Sorted(maps.Keys(t.Config)) {
				if key != results.Seed {
					system.WriteString(key + "\x00" + t.Config[key] + "\x00")
				}
			}
			if seen[system.String()] {
				continue
			}
			seen[system.String()] = true
			at, err := FolderOf(exp, t)
			if err != nil {
				return err
			}
			if t.Queries, err = at.Queries(); err != nil {
				return err
			}
		}
	}
	return nil
}
