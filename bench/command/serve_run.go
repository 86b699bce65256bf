package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"infbench/bench/heap"
	"infbench/internal/disk"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/reports"
	"infbench/reports/queries"
	"infbench/reports/section"
	pages "infbench/reports/serve"
	"infbench/runners/contamination"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// servedRun is a run folder that pages show.
type servedRun struct {
	folder runs.Folder
	watch  *runs.Watch

	mu     sync.Mutex
	view   *runs.WatchView        // the last look; nil if the folder is not a sweep
	curves map[string]finishedRun // of finished cells, by ID
}

var _ pages.Run = (*servedRun)(nil)

func newServedRun(dir string) *servedRun {
	folder := runs.At(dir)
	return &servedRun{folder: folder, watch: runs.NewWatch(folder), curves: map[string]finishedRun{}}
}

// finishedRun is the curve of a finished training, with the time and size of its file.
type finishedRun struct {
	at     time.Time
	size   int64
	curves []pages.Curve
}

// curvesKept is the number of finished cells' curves kept in memory.
const curvesKept = 64

// Look implements pages.Run.
func (r *servedRun) Look(ctx context.Context) (*pages.State, error) {
	if _, err := disk.Stat(r.folder.Dir); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is not there", r.folder.Dir)
	}
	if _, err := disk.Stat(r.folder.PlanPath()); errors.Is(err, fs.ErrNotExist) {
		if state, err := r.unplanned(); err == nil {
			return state, nil
		}
	}
	view, err := r.watch.Look(ctx)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	r.view = view
	r.mu.Unlock()
	s := &pages.State{Title: view.Plan.Name, Summary: view.Summary(), Remarks: append(view.Plan.Remarks(), view.Changed...), Live: view.Count[results.Running] > 0}
	for i, t := range view.Trials {
		s.Cells = append(s.Cells, pages.Cell{ID: t.ID, Label: view.Plan.Trials[i].Label, State: string(t.State), Note: words.Clean(view.Say(i))})
	}
	return s, nil
}

// unplanned is an evaluation or an import: it is complete or absent.
func (r *servedRun) unplanned() (*pages.State, error) {
	done, waiting, err := r.folder.Reader().Finished()
	if err != nil {
		return nil, err
	}
	s := &pages.State{Title: nameOf(r.folder.Dir)}
	for _, at := range done {
		if marked, err := at.Marker().Exists(); err != nil || !marked {
			return nil, fmt.Errorf("%s is not done", at.Dir)
		}
		id := filepath.Base(at.Dir)
		s.Cells = append(s.Cells, pages.Cell{ID: id, Label: id, State: string(results.Done)})
	}
	s.Summary = fmt.Sprintf("%s: %d done, %d not; none is from a sweep", words.Clean(s.Title), len(done), waiting)
	return s, nil
}

// at returns the index of a cell in the last look, or -1.
func (r *servedRun) at(id string) (*runs.WatchView, int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.view == nil {
		return nil, -1
	}
	return r.view, slices.IndexFunc(r.view.Trials, func(t results.Trial) bool { return t.ID == id })
}

// Curves implements pages.Run.
func (r *servedRun) Curves(id string) ([]pages.Curve, error) {
	view, i := r.at(id)
	if i < 0 {
		return nil, nil
	}
	if view.Trials[i].State != results.Done {
		if c := r.watch.Curve(id); c != nil {
			return shownCurves(c), nil
		}
	}
	return r.finished(id)
}

// finished reads the curve of a finished training, unless it was already read.
func (r *servedRun) finished(id string) ([]pages.Curve, error) {
	at := r.folder.Trial(id)
	info, err := disk.Stat(filepath.Join(at.Dir, results.CurveFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	known, ok := r.curves[id]
	r.mu.Unlock()
	if ok && known.at.Equal(info.ModTime()) && known.size == info.Size() {
		return known.curves, nil
	}
	c, err := runs.ReadCurve(at)
	if err != nil {
		return nil, err
	}
	known = finishedRun{info.ModTime(), info.Size(), shownCurves(c)}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.curves) >= curvesKept {
		clear(r.curves)
	}
	r.curves[id] = known
	return known.curves, nil
}

// shownCurves are the series of a curve as pages have them.
func shownCurves(c *runs.Curve) (out []pages.Curve) {
	for _, name := range c.Names() {
		series := pages.Curve{Name: name, Every: c.Every}
		for _, p := range c.Series(name) {
			series.Points = append(series.Points, pages.Point{Step: p.Step, Value: p.Value})
		}
		out = append(out, series)
	}
	return out
}

// Detail implements pages.Run.
func (r *servedRun) Detail(id string) (*pages.Detail, error) {
	view, i := r.at(id)
	if i < 0 {
		return nil, nil
	}
	t := &view.Plan.Trials[i]
	config := runs.Config(t)
	d := &pages.Detail{Repeat: usage.Line([]string{"repeat", r.folder.Dir, id})}
	for _, key := range words.SortedKeys(config) {
		d.Settings = append(d.Settings, [2]string{key, config[key]})
	}
	past, err := r.folder.Trial(id).Failures().Read()
	if err != nil {
		return d, err
	}
	d.Error = past.Error
	for _, a := range past.Attempts {
		d.Attempts = append(d.Attempts, string(a.Class)+": "+a.Error)
	}
	return d, nil
}

// Log implements pages.Run. It does not read files outside the run folder, nor anything that
// is not a file.
func (r *servedRun) Log(id string, most int64) (end []byte, size int64, err error) {
	name, err := filepath.Rel(r.folder.Dir, r.folder.Log(id))
	if err != nil {
		return nil, 0, err
	}
	file, err := disk.OpenInside(r.folder.Dir, name, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, 0, err
	}
	size = info.Size()
	end, err = io.ReadAll(io.NewSectionReader(file, max(0, size-most), min(size, most)))
	return end, size, err
}

// Load implements pages.Run.
func (r *servedRun) Load(_ context.Context, queries bool) ([]*results.Experiment, reports.Options, error) {
	o := reports.Options{Heap: heap.Small}
	exps, err := runs.LoadAll([]string{r.folder.Dir})
	if err == nil && queries {
		err = runs.AddQueries(exps)
	}
	if err == nil {
		o.Overlaps, err = contamination.Shown(exps)
	}
	return exps, o, err
}

// Query implements pages.Run.
func (r *servedRun) Query(_ context.Context, asked pages.Question) (*pages.Answer, error) {
	found, err := askQuery(r.folder.Dir, queryAsked{ID: asked.ID, Search: asked.Search, Task: asked.Task, Sort: asked.Order, A: asked.A, B: asked.B, Reverse: asked.Reverse})
	if found == nil {
		return nil, err
	}
	a := &pages.Answer{A: found.A, B: found.B, Systems: found.Systems, Tasks: found.Tasks, Orders: queries.Orders(), Said: found.Said, Lines: found.Lines,
		Section: section.Section{ID: "one", Tables: found.Tables, Notes: found.Lacking}}
	for _, q := range found.Rows {
		a.Rows = append(a.Rows, pages.Queried(q))
	}
	return a, err
}
