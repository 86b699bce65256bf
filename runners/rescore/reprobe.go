package rescore

import (
	"fmt"
	"reflect"

	"infbench/datasets"
	"infbench/metrics/trec"
	"infbench/runners/probe"
	"infbench/runners/results"
)

// reprobe compares a probe's values on a benchmark with those of its saved rankings.
func (c *Rescorer) reprobe(at results.Folder, name string, b *datasets.Benchmark, have []results.Probed) (differ []string, err error) {
	for i := range b.Tasks {
		task := &b.Tasks[i]
		var own, asked trec.Run
		for _, line := range have {
			if line.Benchmark != name || line.Task != task.Name {
				continue
			}
			if own == nil {
				if own, asked, err = probedRuns(at, name, task.Name); err != nil {
					return nil, err
				}
			}
			again, err := probe.Again(line, task, own, asked)
			if err != nil {
				return nil, err
			}
			c.Values++
			if !reflect.DeepEqual(again, line) {
				differ = append(differ, fmt.Sprintf("%s: %s/%s, query %s asked as %s: %s and overlap %v, but the saved rankings give %s and %v",
					at.Dir, name, task.Name, line.Query, line.Asked, valueWords(line.Value), line.Overlap, valueWords(again.Value), again.Overlap))
			}
		}
	}
	return differ, nil
}

// probedRuns returns the saved rankings of a probe.
func probedRuns(at results.Folder, benchmark, task string) (own, asked trec.Run, err error) {
	if own, err = at.Reader().Run(benchmark, task); err != nil {
		return nil, nil, fmt.Errorf("rankings of a probe: %w", err)
	}
	asked, err = at.Reader().Asked(benchmark, task)
	return own, asked, err
}

func valueWords(v *float64) string {
	if v == nil {
		return "undefined"
	}
	return fmt.Sprint(*v)
}
