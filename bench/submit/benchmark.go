package submit

import (
	"fmt"
	"slices"

	"infbench/datasets"
	"infbench/datasets/hub"
	"infbench/runners/catalog"
	"infbench/runners/results"
)

// benches are the benchmarks of a board. Each is loaded once for all submissions.
type benches struct {
	loaded map[string]*bench
	failed map[string]error // why a benchmark is not available
}

// bench is an available benchmark.
type bench struct {
	*datasets.Benchmark
	asked map[string]map[string]bool // queries and pairs by task
}

// knownBenchmarks are the names that a submission may use: neither paths nor addresses.
func knownBenchmarks() ([]string, error) {
	lock, err := hub.ReadLock(hub.LockFile)
	if err != nil {
		return nil, err
	}
	names := datasets.Names()
	for _, f := range lock.Folders {
		names = append(names, f.Name)
	}
	return names, nil
}

// world is the seed of the generated benchmarks of a board.
const world = 1

// find loads a benchmark by its name.
func (b *benches) find(name string) (*bench, error) {
	if found, err := b.loaded[name], b.failed[name]; found != nil || err != nil {
		return found, err
	}
	loaded, err := catalog.LoadBenchmark(name, world)
	if err != nil {
		b.failed[name] = fmt.Errorf("%s is not available here: %w", name, err)
		return nil, b.failed[name]
	}
	b.loaded[name] = &bench{Benchmark: loaded, asked: map[string]map[string]bool{}}
	return b.loaded[name], nil
}

// task finds a task by name; nil if there is none.
func (b *bench) task(name string) *datasets.Task {
	for i := range b.Tasks {
		if b.Tasks[i].Name == name {
			return &b.Tasks[i]
		}
	}
	return nil
}

// taskNames lists the tasks.
func (b *bench) taskNames() (out []string) {
	for i := range b.Tasks {
		out = append(out, b.Tasks[i].Name)
	}
	return out
}

// taskOf finds the task whose rankings have this file name.
func (b *bench) taskOf(file string) *datasets.Task {
	for i := range b.Tasks {
		if results.TaskFile(b.Name, b.Tasks[i].Name) == file {
			return &b.Tasks[i]
		}
	}
	return nil
}

// asks reports whether a task has a query or pair.
func (b *bench) asks(t *datasets.Task, query string) bool {
	if b.asked[t.Name] == nil {
		b.asked[t.Name] = map[string]bool{}
		for _, id := range units(t) {
			b.asked[t.Name][id] = true
		}
	}
	return b.asked[t.Name][query]
}

// units are the IDs that values of a task belong to: its pairs if it has any, else its queries.
func units(t *datasets.Task) (out []string) {
	for _, p := range t.Pairs {
		out = append(out, p.ID)
	}
	if len(t.Pairs) > 0 {
		return out
	}
	for _, q := range t.Queries {
		out = append(out, q.ID)
	}
	return out
}

// scores reports whether a measure is one of a task's.
func scores(t *datasets.Task, side datasets.Side, measure string) bool {
	return slices.ContainsFunc(t.Scorings, func(s datasets.Scoring) bool { return s.Side == side && s.Measure == measure })
}
