// Package rescore scores saved rankings again and compares the values with the saved ones,
// and writes the judgments as plain files (WriteJudgments), so that any evaluation program
// can do the same. It checks a run folder against itself; package reports checks a page
// against its data.
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
	what       string             // is told of what is not at hand: "values on"
	benchmarks map[string]*atHand // by what a trial says of it; nil: not at hand
	Values     int
	means      int // taken over without values by query
	unranked   int // values by query that were taken over without a ranking
	unchecked  []string
}

// New is a Rescorer that has loaded nothing yet.
func New() *Rescorer { return &Rescorer{what: "values on", benchmarks: map[string]*atHand{}} }

// VerifyTrial returns what of a trial folder is not what it should be.
func (c *Rescorer) VerifyTrial(at results.Folder) (differ []string, err error) {
	if err := at.Marker().Verify(); errors.Is(err, results.ErrDamaged) {
		return []string{err.Error()}, nil // what is damaged is not read any further
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
			c.notChecked("whether the data of %s are those that %s was evaluated on, which it does not record: the differences may be theirs", b.Name, at.Dir)
		}
		differ = append(differ, list...)
	}
	return differ, nil
}

// find is the benchmark that a trial was scored on, by the judgments that it kept where
// it did; nil where it is not at hand.
func (c *Rescorer) find(at results.Folder, b results.Benchmark, world string) (*datasets.Benchmark, error) {
	saved, err := savedJudgments(at, b)
	if err != nil || saved != nil {
		return saved, err
	}
	return c.load(b, world)
}

// savedJudgments are those that an imported trial was scored with; nil where its
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

// NotChecked says in sentences what the trials hold and cannot be scored again.
func (c *Rescorer) NotChecked() []string {
	out := c.unchecked
	if c.means > 0 {
		out = append(out, fmt.Sprintf("%d means that were taken over without values by query", c.means))
	}
	if c.unranked > 0 {
		out = append(out, fmt.Sprintf("%d values by query that were taken over without rankings", c.unranked))
	}
	return out
}

// atHand is a benchmark that was loaded, with what it is.
type atHand struct {
	*datasets.Benchmark
	content map[string]datasets.ContentHashes
}

// load finds the benchmark that a trial was evaluated on, where it lay and of that very
// revision and content; of its tasks those that changed are left out. nil where it is
// not at hand. Of some tasks only those are loaded.
func (c *Rescorer) load(b results.Benchmark, world string, tasks ...string) (*datasets.Benchmark, error) {
	where := cmp.Or(b.Path, b.Name)
	if b.Path == "" && len(b.Content) == 0 && !b.IsPinned() {
		c.notChecked(c.what+" %s: neither its content nor where it lay is recorded", b.Name)
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

// open loads a benchmark and says why it cannot be.
func (c *Rescorer) open(b results.Benchmark, where, world string, tasks []string) *atHand {
	number, err := strconv.ParseUint(world, 10, 64)
	if err != nil {
		number = 1
	}
	found, err := catalog.LoadBenchmark(where, number, tasks...)
	switch {
	case errors.Is(err, hub.ErrDamaged):
		c.notChecked(c.what+" %s: its data are no longer those that they were made with: %v", b.Name, err)
		return nil
	case err != nil:
		c.notChecked(c.what+" %s, whose data are not at hand: %v", b.Name, err)
		return nil
	case found.Revision != b.Revision:
		c.notChecked(c.what+" %s of revision %s: at hand is %s", b.Name, b.Revision, found.Revision)
		return nil
	}
	if err := dropAsRecorded(found, b.DropSelf); err != nil {
		c.notChecked(c.what+" %s: %v", b.Name, err)
		return nil
	}
	if b.Private { // as it was where the trial ran, whatever is known here
		found.Conceal()
	}
	return &atHand{Benchmark: found}
}

// dropAsRecorded makes queries rank the documents with their own IDs, or not, as they did
// when the trial ran.
func dropAsRecorded(b *datasets.Benchmark, drop bool) error {
	if drop {
		return b.DropSelf()
	}
	for i := range b.Tasks {
		b.Tasks[i].KeepSelf()
	}
	return nil
}

// benchmark is what was loaded, nil where nothing was.
func (h *atHand) benchmark() *datasets.Benchmark {
	if h == nil {
		return nil
	}
	return h.Benchmark
}

// unchanged are the tasks that are what a trial was evaluated on; the others are named.
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
			c.notChecked(c.what+" %s/%s: the data at hand are no longer those that they were made with: %s in %s changed since", b.Name, task, strings.Join(changed, ", "), where)
		}
	}
	return &same
}

// notChecked notes in a sentence what could not be scored again, once.
func (c *Rescorer) notChecked(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(c.unchecked, text) {
		c.unchecked = append(c.unchecked, text)
	}
}

// rescore compares the values of a trial on a benchmark, and what it records of the
// queries, with the saved rankings and the data.
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
