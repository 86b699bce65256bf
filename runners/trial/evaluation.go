package trial

import (
	"context"
	"fmt"

	"infbench/datasets"
	"infbench/metrics/trec"
	"infbench/runners"
	"infbench/runners/catalog"
	"infbench/runners/device"
	"infbench/runners/probe"
	"infbench/runners/provenance"
	"infbench/runners/results"
)

// Evaluation evaluates an opened model on benchmarks into a complete folder: that of a sweep's
// trial or one that a user named.
type Evaluation struct {
	Trial   *results.Trial // the configuration and the known provenance; Into adds the rest and the values
	Model   runners.Retriever
	Opener  *catalog.Opener // opened the model
	Shards  *ShardSet       // already ranked; nil: none
	Machine *device.Options
	Data    []*datasets.Benchmark
	Total   provenance.Clock // time of everything that led to the numbers
	Done    func()           // called after each task
	Use     string           // use of saved vectors, a line for the user, set by Into

	earlier []earlier // trials of the same weights
}

// Into ranks and scores the benchmarks, saves everything in a folder and marks it as complete.
func (e *Evaluation) Into(ctx context.Context, at results.Folder) error {
	p := &e.Trial.Provenance
	clock := provenance.StartClock()
	asked, probes := e.Model.(*probe.Probe)
	if probes {
		asked.Keep = func(task string, run trec.Run) error {
			return at.Writer().Asked(e.Data[0].Name, task, run, e.Model.Name())
		}
	}
	err := e.measure(ctx, at)
	if err == nil && probes {
		err = at.Writer().Probe(asked.Lines)
	}
	if err == nil {
		err = e.Shards.Describe(p)
	}
	if err != nil {
		return err
	}
	p.Deviations, p.Approximations = e.Opener.Deviations, e.Opener.Approximations
	p.Readings, p.Chat = e.Opener.Readings, e.Opener.Chat
	clock.Stop(p, "evaluate")
	e.Total.Stop(p, "total")
	p.PeakRSS = device.PeakRSS()
	if err := e.Machine.Account(p); err != nil {
		return err
	}
	e.Use = e.Opener.Use()
	if err := e.Opener.Close(); err != nil {
		return err
	}
	if err := at.Scratch().DropVectors(); err != nil {
		return fmt.Errorf("remove vectors: %w", err)
	}
	return at.Writer().Complete(e.Trial.Config, e.Trial.Results, *p)
}

// measure ranks and scores each task, except for benchmarks that an earlier trial has ranked.
// Tasks with the same queries and different judgments, such as FollowIR in mteb 1 and mteb 2,
// are ranked once.
func (e *Evaluation) measure(ctx context.Context, at results.Folder) error {
	asked, err := newAsked(e.Data)
	if err != nil {
		return err
	}
	e.Trial.Results = nil
	for _, b := range e.Data {
		values, err := e.takeValues(at, b)
		if err != nil {
			return err
		}
		if values != nil {
			e.Trial.Results = append(e.Trial.Results, values...)
			for range b.Tasks {
				e.Done()
			}
			continue
		}
		for i := range b.Tasks {
			if values, err = e.task(ctx, at, asked, b, &b.Tasks[i]); err != nil {
				return err
			}
			e.Trial.Results = append(e.Trial.Results, values...)
			e.Done()
		}
	}
	return nil
}

// task ranks and scores a task, and saves its ranking and its queries' texts.
func (e *Evaluation) task(ctx context.Context, at results.Folder, asked *asked, b *datasets.Benchmark, task *datasets.Task) ([]results.Result, error) {
	run, err := asked.run(b, task, func() (trec.Run, error) {
		return e.Model.Retrieve(ctx, task, max(task.Depth, catalog.RetrieveDepth))
	})
	if err != nil {
		return nil, fmt.Errorf("run %s on %s/%s: %w", e.Model.Name(), b.Name, task.Name, err)
	}
	run = task.Ranked(run) // the saved ranking is the one that is scored
	if err := at.Writer().Run(b.Name, task.Name, run, e.Model.Name()); err != nil {
		return nil, err
	}
	if e.Opener != nil && len(e.Opener.Thoughts) > 0 {
		if err := at.Writer().Thoughts(b.Name, task.Name, e.Opener.Thoughts); err != nil {
			return nil, err
		}
		e.Opener.Thoughts = nil
	}
	records, err := results.DescribeQueries(b.Name, task, run)
	if err != nil {
		return nil, fmt.Errorf("%s/%s: %w", b.Name, task.Name, err)
	}
	if err := at.Writer().Queries(b.Name, task.Name, records); err != nil {
		return nil, err
	}
	return results.Score(b.Name, task, run)
}

// countTasks returns the number of tasks in all benchmarks.
func countTasks(benchmarks []*datasets.Benchmark) int {
	n := 0
	for _, b := range benchmarks {
		n += len(b.Tasks)
	}
	return n
}
