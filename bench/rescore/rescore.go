// Package rescore scores saved rankings again and compares. It holds a run folder to
// itself; a page is held to its data by package reports.
package rescore

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"

	"infbench/bench/catalog"
	"infbench/bench/results"
	"infbench/datasets"
)

// Rescorer scores saved rankings again, each benchmark loaded once.
type Rescorer struct {
	benchmarks map[string]*datasets.Benchmark // by name and revision; nil: not at hand
	Values     int
	means      int // taken over without values by query
	unranked   int // values by query that were taken over without a ranking
	unchecked  []string
}

// New is a Rescorer that has loaded nothing yet.
func New() *Rescorer { return &Rescorer{benchmarks: map[string]*datasets.Benchmark{}} }

// VerifyTrial returns what of a trial folder is not what it should be.
func (c *Rescorer) VerifyTrial(at results.Folder) (differ []string, err error) {
	if err := at.Verify(); errors.Is(err, results.ErrDamaged) {
		return []string{err.Error()}, nil // what is damaged is not read any further
	} else if err != nil {
		return nil, err
	}
	var t results.Trial
	if err := at.Read(&t); errors.Is(err, results.ErrDamaged) {
		return []string{err.Error()}, nil
	} else if err != nil {
		return nil, err
	}
	scored := slices.DeleteFunc(slices.Clone(t.Results), func(r results.Result) bool { return r.Aggregate })
	c.means += len(t.Results) - len(scored)
	if t.Provenance.Imported != "" && !at.HasRuns() {
		c.unranked += len(scored)
		return nil, nil
	}
	t.Results = scored
	for _, b := range t.Provenance.Benchmarks {
		found, err := savedJudgments(at, b)
		if err != nil {
			return nil, err
		}
		if found == nil {
			if found = c.load(b, t.Config[results.World]); found == nil {
				continue
			}
		}
		list, err := c.rescore(at, b.Name, found, t.Results)
		if err != nil {
			return nil, err
		}
		differ = append(differ, list...)
	}
	return differ, nil
}

// savedJudgments are those that an imported trial was scored with; nil where its
// benchmark has them.
func savedJudgments(at results.Folder, b results.Benchmark) (*datasets.Benchmark, error) {
	var found *datasets.Benchmark
	for _, task := range slices.Sorted(maps.Keys(b.Tasks)) {
		qrels, err := at.Judgments(b.Name, task)
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

// load finds the benchmark that a trial was evaluated on, of that very revision; nil
// where it is not at hand.
func (c *Rescorer) load(b results.Benchmark, world string) *datasets.Benchmark {
	key := b.Name + "\x00" + b.Revision
	if found, ok := c.benchmarks[key]; ok {
		return found
	}
	number, err := strconv.ParseUint(world, 10, 64)
	if err != nil {
		number = 1
	}
	found, err := catalog.LoadBenchmark(b.Name, number)
	switch {
	case err != nil:
		c.unchecked = append(c.unchecked, fmt.Sprintf("values on %s, whose data are not at hand: %v", b.Name, err))
		found = nil
	case found.Revision != b.Revision:
		c.unchecked = append(c.unchecked, fmt.Sprintf("values on %s of revision %s: at hand is %s", b.Name, b.Revision, found.Revision))
		found = nil
	}
	c.benchmarks[key] = found
	return found
}

// rescore compares the values of a trial on a benchmark with those of its saved
// rankings.
func (c *Rescorer) rescore(at results.Folder, name string, b *datasets.Benchmark, have []results.Result) (differ []string, err error) {
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
		run, err := at.Run(name, task.Name)
		if errors.Is(err, fs.ErrNotExist) {
			c.unchecked = append(c.unchecked, fmt.Sprintf("values on %s/%s of %s: no ranking is saved", name, task.Name, at.Dir))
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
	}
	return differ, nil
}
