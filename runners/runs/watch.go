package runs

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"infbench/internal/disk"
	"infbench/runners/engine"
	"infbench/runners/results"
	"infbench/runners/spec"
)

// Watch observes a run folder from outside: which trials are done, running, failed or waiting,
// and how their training goes. It does not need a running sweep, does not disturb one, and
// writes nothing. It remembers its readings to avoid repeated reads; the plan, not the number
// of looks, limits its memory. It is safe for concurrent use.
type Watch struct {
	folder Folder

	looking sync.Mutex // one look at a time
	leases  *engine.Watch
	plan    *spec.Plan
	planned os.FileInfo // of the file that plan was read from
	trials  []results.Trial
	leased  map[string]engine.Holding
	pace    Pace            // of finished trials
	trained map[string]bool // whether the weights of a trial exist, by ID
	looks   int
	opened  int // number of trial folders opened by all looks

	following sync.Mutex // guards the files that grow
	tails     map[string]*tail
}

// NewWatch returns a watch of a folder.
func NewWatch(folder Folder) *Watch {
	return &Watch{folder: folder, leases: folder.Leases().Watch(), tails: map[string]*tail{}}
}

// aRound is the number of looks in which every finished trial is looked at again, since a trial stays
// done unless somebody removes its files, and the weights of every trial without any are looked for.
const aRound = 20

// Look returns the state of every trial. A trial that a living process has claimed is running.
// If a lease is doubtful, the first look takes a few seconds.
func (w *Watch) Look(ctx context.Context) (*WatchView, error) {
	w.looking.Lock()
	defer w.looking.Unlock()
	if err := w.readPlan(); err != nil {
		return nil, err
	}
	leases, err := w.leases.Survey(ctx)
	if err != nil {
		return nil, err
	}
	aside, err := w.folder.Aside().Folders()
	if err != nil {
		return nil, err
	}
	fault, err := w.survey(leases)
	if err != nil {
		return nil, err
	}
	v := &WatchView{Fault: fault, Plan: w.plan, Trials: slices.Clone(w.trials), Count: map[results.State]int{}, Aside: len(aside), folder: w.folder, leases: leases}
	if v.Leftover, err = w.folder.Leftover(w.plan).Trials(); err != nil {
		return nil, err
	}
	if v.Changed, err = w.folder.Changes().Words(); err != nil {
		return nil, err
	}
	if v.Active, err = w.folder.Rounds().Read(); err != nil {
		return nil, err
	}
	if v.Active != nil {
		v.chosen = v.Active.Chosen()
	}
	for i := range v.Trials {
		if _, begun := leases[v.Trials[i].ID]; begun && v.Trials[i].State == results.Waiting {
			v.Trials[i].State = results.Abandoned
		}
		v.Count[v.Trials[i].State]++
	}
	w.follow(v)
	v.Left = w.timeLeft(v)
	return v, nil
}

// TrialStates returns the state of each trial of a plan, in plan order, as Look does, except
// that abandoned trials count as waiting.
func TrialStates(ctx context.Context, folder Folder, plan *spec.Plan) ([]results.Trial, error) {
	w := NewWatch(folder)
	w.plan = plan
	leases, err := w.leases.Survey(ctx)
	if err != nil {
		return nil, err
	}
	fault, err := w.survey(leases)
	return w.trials, cmp.Or(err, fault)
}

// readPlan reads the plan unless it is unchanged. A new plan resets all readings.
func (w *Watch) readPlan() error {
	info, err := disk.Stat(w.folder.PlanPath())
	if err == nil && w.planned != nil && os.SameFile(info, w.planned) && info.ModTime().Equal(w.planned.ModTime()) && info.Size() == w.planned.Size() {
		return nil
	}
	w.plan, w.planned, w.trials, w.leased, w.pace, w.trained = nil, nil, nil, nil, Pace{}, map[string]bool{}
	w.leases = w.folder.Leases().Watch()
	plan, err := w.folder.Plan()
	if err != nil {
		return err
	}
	w.plan, w.planned = plan, info
	return nil
}

// survey finds the state of each trial. It does not look into missing folders, nor into those
// of finished trials without a lease since the last look. An unreadable trial counts as
// waiting, with the error; fault is the first such error.
func (w *Watch) survey(leases map[string]engine.Holding) (fault, err error) {
	there, err := names(filepath.Join(w.folder.Dir, TrialsDir))
	if err != nil {
		return nil, err
	}
	if w.trials == nil {
		w.trials = make([]results.Trial, len(w.plan.Trials))
	}
	for i := range w.trials {
		t := &w.trials[i]
		id := w.plan.Trials[i].ID
		_, held := leases[id]
		_, was := w.leased[id]
		switch {
		case !there[id]:
			*t = results.Trial{ID: id, State: results.Waiting}
		case t.State == results.Done && !held && !was && (i+w.looks)%aRound != 0:
			continue
		default:
			w.opened++
			*t = results.Trial{ID: id}
			if err := w.folder.Trial(id).Reader().State(t); err != nil {
				*t = results.Trial{ID: id, State: results.Waiting, Error: err.Error()}
				fault = cmp.Or(fault, err)
			}
		}
		if t.State != results.Done && leases[id].Alive {
			t.State, t.Error = results.Running, ""
		}
	}
	w.leased = leases
	w.looks++
	return fault, nil
}

// follow reads the reports of unfinished trials since the last look.
func (w *Watch) follow(v *WatchView) {
	there, _ := names(filepath.Join(w.folder.Dir, ProgressDir)) // nothing depends on it
	w.following.Lock()
	defer w.following.Unlock()
	kept := map[string]*tail{}
	v.progress = map[string]progress{}
	for i := range v.Trials {
		id := v.Trials[i].ID
		if v.Trials[i].State == results.Done || !there[id+".jsonl"] {
			continue
		}
		t := w.tails[id]
		if t == nil {
			t = &tail{}
		}
		if t.follow(w.folder.Progress(id).Path()) == nil {
			kept[id] = t
			v.progress[id] = progress{t.last.Progress, t.known.Progress, t.curve.Series(Loss), t.loss}
		}
	}
	w.tails = kept
}

// Curve returns the training curve of an unfinished trial at the last look; nil if unknown.
func (w *Watch) Curve(id string) *Curve {
	w.following.Lock()
	defer w.following.Unlock()
	if t := w.tails[id]; t != nil {
		return t.curve.clone()
	}
	return nil
}

// names lists the content of a folder; nothing if it does not exist.
func names(dir string) (map[string]bool, error) {
	entries, err := disk.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	out := make(map[string]bool, len(entries))
	for _, e := range entries {
		out[e.Name()] = true
	}
	return out, nil
}
