package trial

import (
	"fmt"

	"infbench/datasets"
	"infbench/metrics/trec"
)

// asked saves the rankings of tasks that several benchmarks share. The same documents, queries
// and candidates give the same ranking, whatever judgments score it.
type asked struct {
	contents map[*datasets.Benchmark]map[string]datasets.ContentHashes // only of benchmarks that share the name of a task
	rankings map[string]trec.Run
}

// newAsked hashes the benchmarks that have a task of the same name.
func newAsked(benchmarks []*datasets.Benchmark) (*asked, error) {
	count := map[string]int{}
	for _, b := range benchmarks {
		for _, t := range b.Tasks {
			count[t.Name]++
		}
	}
	a := &asked{map[*datasets.Benchmark]map[string]datasets.ContentHashes{}, map[string]trec.Run{}}
	for _, b := range benchmarks {
		for _, t := range b.Tasks {
			if count[t.Name] < 2 || a.contents[b] != nil {
				continue
			}
			var err error
			if a.contents[b], err = datasets.HashContents(b); err != nil {
				return nil, fmt.Errorf("look for tasks that benchmarks share: %w", err)
			}
		}
	}
	return a, nil
}

// run returns the ranking of a task, or the saved ranking of an equal task.
func (a *asked) run(b *datasets.Benchmark, task *datasets.Task, retrieve func() (trec.Run, error)) (trec.Run, error) {
	content, shared := a.contents[b][task.Name]
	if !shared {
		return retrieve()
	}
	key := task.Name + "\x00" + content.Documents + "\x00" + content.Queries + "\x00" + content.Candidates
	if run, known := a.rankings[key]; known {
		return run, nil
	}
	run, err := retrieve()
	if err == nil {
		a.rankings[key] = run
	}
	return run, err
}
