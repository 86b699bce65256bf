package catalog

import (
	"fmt"
	"slices"

	"infbench/datasets"
	"infbench/internal/nearest"
	"infbench/runners/spec"
)

// checkForgetting returns an error if a collection is not scored by the measure of forgetting.
// Absent data are not read.
func checkForgetting(plan *spec.Plan) error {
	i := slices.IndexFunc(plan.Trials, func(t spec.Trial) bool { return t.Cell.Model == spec.Trained })
	if i < 0 || !plan.Trials[i].IsResolved() {
		return nil
	}
	for _, entry := range plan.Forgetting.Collections {
		name, tasks := spec.TasksOf(entry)
		b, err := LoadBenchmark(name, plan.Trials[i].Cell.World, tasks...)
		if err != nil {
			return fmt.Errorf("load benchmark %s: %w", name, err)
		}
		if known := scoredBy(b); !slices.Contains(known, plan.Forgetting.Measure) {
			return fmt.Errorf("forgetting: %s is scored by other measures: %w", entry, nearest.Unknown("measure", plan.Forgetting.Measure, known))
		}
	}
	return nil
}

// scoredBy lists the measures of all queries of a benchmark, or of the original side of its
// pairs.
func scoredBy(b *datasets.Benchmark) []string {
	var out []string
	for _, t := range b.Tasks {
		for _, s := range t.Scorings {
			if (s.Side == datasets.None || s.Side == datasets.Original) && !slices.Contains(out, s.Measure) {
				out = append(out, s.Measure)
			}
		}
	}
	return out
}
