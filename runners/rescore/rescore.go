// Package rescore scores saved rankings again and compares the values with the saved ones. It
// also writes the judgments as plain files (WriteJudgments), so that any evaluation program can
// do the same. It checks a run folder for consistency; package reports checks a page against
// its data.
package rescore

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"infbench/datasets"
	"infbench/datasets/hub"
	"infbench/runners/catalog"
	"infbench/runners/results"
)

// Rescorer scores saved rankings again, each benchmark loaded once.
type Rescorer struct {
	what       string             // begins messages about missing data: "values on"
	benchmarks map[string]*atHand // by the trial's description of it; nil: not available
	Values     int
	means      int // imported without values by query
	unranked   int // values by query that were imported without a ranking
	unchecked  []string
}

// New returns a Rescorer that has loaded nothing yet.
func New() *Rescorer { return &Rescorer{what: "values on", benchmarks: map[string]*atHand{}} }

// VerifyTrial returns the differences between a trial folder's records and its contents.
func (c *Rescorer) VerifyTrial(at results.Folder) (differ []string, err error) {
	if err := at.Marker().Verify(); errors.Is(err, results.ErrDamaged) {
		return []string{err.Error()}, nil // a damaged folder is not read any further
	} else if err != nil {
		return nil, err
	}
	var t results.Trial
	if err := at.Reader().Trial(&t); errors.Is(err, results.ErrDamaged) {
		return []string{err.Error()}, nil
	} else if err != nil {
		return nil, err
	}
	scored := slices.DeleteFunc(slices.Clone(t.Results), func(r results.Result) bool { return r.Aggregate })
	c.means += len(t.Results) - len(scored)
	if t.Provenance.Imported != "" && !at.Reader().HasRuns() {
		c.unranked += len(scored)
		return nil, nil
	}
	t.Results = scored
	texts, err := at.Reader().Queries()
	if err != nil {
		return nil, err
	}
	for _, b := range t.Provenance.Benchmarks {
		found, err := c.find(at, b, t.Config[results.World])
		if err != nil {
			return nil, err
		}
		if found == nil {
			continue
		}
		list, err := c.rescore(at, b.Name, found, t.Results, texts)
		if err != nil {
			return nil, err
		}
		again, err := c.reprobe(at, b.Name, found, t.Probe)
		if err != nil {
			return nil, err
		}
		if list = append(list, again...); len(list) > 0 && len(b.Content) == 0 {
			c.notChecked("whether %s has changed since %s was evaluated on it: the trial does not record the content, so changed data may explain the differences", b.Name, at.Dir)
		}
		differ = append(differ, list...)
	}
	return differ, nil
}

// find returns the benchmark that a trial was scored on, with the judgments that the trial
// saved if it did; nil if it is not available.
func (c *Rescorer) find(at results.Folder, b results.Benchmark, world string) (*datasets.Benchmark, error) {
	saved, err := savedJudgments(at, b)
	if err != nil || saved != nil {
		return saved, err
	}
	return c.load(b, world)
}

// savedJudgments returns the judgments that an imported trial was scored with; nil if its
// benchmark has them.
func savedJudgments(at results.Folder, b results.Benchmark) (*datasets.Benchmark, error) {
	var found *datasets.Benchmark
	for _, task := range slices.Sorted(maps.Keys(b.Tasks)) {
		qrels, err := at.Reader().Judgments(b.Name, task)
		if err != nil {
			return nil, err
		}
		if qrels == nil {
			continue
		}
		if found == nil {
			found = &datasets.Benchmark{Name: b.Name, Revision: b.Revision}
		}
		found.Tasks = append(found.Tasks, datasets.Judged(task, qrels))
	}
	return found, nil
}

// NotChecked lists, in sentences, the contents of trials that could not be scored again.
func (c *Rescorer) NotChecked() []string {
	out := c.unchecked
	if c.means > 0 {
		out = append(out, fmt.Sprintf("%d means that were imported without values by query", c.means))
	}
	if c.unranked > 0 {
		out = append(out, fmt.Sprintf("%d values by query that were imported without rankings", c.unranked))
	}
	return out
}

// atHand is a loaded benchmark with its content hashes.
type atHand struct {
	*datasets.Benchmark
	content map[string]datasets.ContentHashes
}

// load finds the benchmark that a trial was evaluated on, in its recorded place, with the same
// revision and content. It leaves out tasks that have changed. It returns nil if the benchmark
// is not available. If tasks are named, it loads only those.
func (c *Rescorer) load(b results.Benchmark, world string, tasks ...string) (*datasets.Benchmark, error) {
	where := cmp.Or(b.Path, b.Name)
	if b.Path == "" && len(b.Content) == 0 && !b.IsPinned() {
		c.notChecked(c.what+" %s: neither its content nor its place is recorded", b.Name)
		return nil, nil
	}
	key := strings.Join(append([]string{where, b.Revision, world, fmt.Sprint(b.DropSelf)}, tasks...), "\x00")
	found, known := c.benchmarks[key]
	if !known {
		found = c.open(b, where, world, tasks)
		c.benchmarks[key] = found
	}
	if found == nil || len(b.Content) == 0 {
		return found.benchmark(), nil
	}
	if found.content == nil {
		var err error
		if found.content, err = datasets.HashContents(found.Benchmark); err != nil {
			return nil, err
		}
	}
	return c.unchanged(b, found, where), nil
}

// open loads a benchmark, or notes why it cannot be loaded.
func (c *Rescorer) open(b results.Benchmark, where, world string, tasks []string) *atHand {
	number, err := strconv.ParseUint(world, 10, 64)
	if err != nil {
		number = 1
	}
	found, err := catalog.LoadBenchmark(where, number, tasks...)
	switch {
	case errors.Is(err, hub.ErrDamaged):
		c.notChecked(c.what+" %s: its data have changed since the evaluation: %v", b.Name, err)
		return nil
	case err != nil:
		c.notChecked(c.what+" %s: its data are not available: %v", b.Name, err)
		return nil
	case found.Revision != b.Revision:
		c.notChecked(c.what+" %s of revision %s: only revision %s is available", b.Name, b.Revision, found.Revision)
		return nil
	}
	if err := dropAsRecorded(found, b.DropSelf); err != nil {
		c.notChecked(c.what+" %s: %v", b.Name, err)
		return nil
	}
	if b.Private { // as recorded by the trial, whatever is known here
		found.Conceal()
	}
	return &atHand{Benchmark: found}
}

// dropAsRecorded sets whether queries rank the documents with their own IDs, as when the trial
// ran.
func dropAsRecorded(b *datasets.Benchmark, drop bool) error {
	if drop {
		return b.DropSelf()
	}
	for i := range b.Tasks {
		b.Tasks[i].KeepSelf()
	}
	return nil
}

// benchmark returns the loaded benchmark, or nil.
func (h *atHand) benchmark() *datasets.Benchmark {
	if h == nil {
		return nil
	}
	return h.Benchmark
}

// unchanged returns the tasks whose content is the same as when the trial was evaluated. It
// notes the others.
func (c *Rescorer) unchanged(b results.Benchmark, found *atHand, where string) *datasets.Benchmark {
	same := *found.Benchmark
	same.Tasks = slices.DeleteFunc(slices.Clone(found.Tasks), func(t datasets.Task) bool {
		return b.Content[t.Name] != found.content[t.Name]
	})
	for _, task := range slices.Sorted(maps.Keys(b.Content)) {
		was, is := results.Parts(b.Content[task]), results.Parts(found.content[task])
		var changed []string
		for i := range was {
			if was[i] != is[i] {
				changed = append(changed, was[i].Name)
			}
		}
		if len(changed) > 0 {
			c.notChecked(c.what+" %s/%s: the data have changed since the evaluation: %s in %s", b.Name, task, strings.Join(changed, ", "), where)
		}
	}
	return &same
}

// notChecked notes, in a sentence and once, something that could not be scored again.
func (c *Rescorer) notChecked(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(c.unchecked, text) {
		c.unchecked = append(c.unchecked, text)
	}
}

// rescore compares the values of a trial on a benchmark, and its records of the queries, with
// the saved rankings and the data.
func (c *Rescorer) rescore(at results.Folder, name string, b *datasets.Benchmark, have []results.Result, texts []results.QueryRecord) (differ []string, err error) {
	for i := range b.Tasks {
		task := b.Tasks[i] // its scorings are replaced
		task.Scorings = nil
		var saved []results.Result
		for _, r := range have {
			if r.Benchmark != name || r.Task != task.Name {
				continue
			}
			saved = append(saved, r)
			if s := (datasets.Scoring{Measure: r.Measure, Side: r.Side}); !slices.Contains(task.Scorings, s) {
				task.Scorings = append(task.Scorings, s)
			}
		}
		if len(saved) == 0 {
			continue
		}
		run, err := at.Reader().Run(name, task.Name)
		if errors.Is(err, fs.ErrNotExist) {
			c.notChecked(c.what+" %s/%s of %s: no ranking is saved", name, task.Name, at.Dir)
			continue
		}
		if err != nil {
			return nil, err
		}
		again, err := results.Score(name, &task, run)
		if err != nil {
			return nil, err
		}
		c.Values += len(again)
		for _, text := range results.Differ(saved, again) {
			differ = append(differ, at.Dir+": "+text)
		}
		told, err := c.retell(at, name, &task, run, texts)
		if err != nil {
			return nil, err
		}
		differ = append(differ, told...)
	}
	return differ, nil
}
