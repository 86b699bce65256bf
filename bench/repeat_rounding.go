package main

import (
	"cmp"
	"fmt"
	"io"
	"math"

	"infbench/bench/device"
	"infbench/bench/results"
	"infbench/bench/spec"
	"infbench/reports/words"
)

// kernelTolerance is how far the mean of a measure may be from that of other kernels:
// they round differently, training makes more of it, and a ranking turns it into places.
const kernelTolerance = 0.02

// meanKey is a measure of a side on a task.
type meanKey struct{ benchmark, task, measure, side string }

// compareMeans holds two trials that other kernels computed against each other.
func compareMeans(w io.Writer, t *spec.Trial, kept, again *results.Trial) error {
	name := func(p *results.Provenance) string { return cmp.Or(device.KernelsOf(p.Backend), p.Backend) }
	fmt.Fprintf(w, "saved with kernels %s, repeated with %s: means are compared, which may differ by %g\n",
		words.Clean(name(&kept.Provenance)), words.Clean(name(&again.Provenance)), kernelTolerance)
	was, is := meansOf(kept.Results), meansOf(again.Results)
	far, most := 0, 0.0
	for key, mean := range was {
		other, ok := is[key]
		if d := math.Abs(mean - other); !ok || d > kernelTolerance {
			far++
			fmt.Fprintf(w, "%s %s on %s/%s: saved %g, repeated %g\n", key.measure, key.side, key.benchmark, key.task, mean, other)
		} else {
			most = max(most, d)
		}
	}
	if far > 0 || len(is) != len(was) {
		return fmt.Errorf("trial %s (%s): %d of %d means differ by more than %g", t.ID, t.Label, far, len(was), kernelTolerance)
	}
	fmt.Fprintf(w, "%s  %s: all %d means are the same within %g (largest difference %.2g)\n", t.ID, t.Label, len(was), kernelTolerance, most)
	return nil
}

// meansOf are those of the defined values of each measure.
func meansOf(list []results.Result) map[meanKey]float64 {
	sums, counts := map[meanKey]float64{}, map[meanKey]float64{}
	for _, r := range list {
		if r.Value != nil {
			key := meanKey{r.Benchmark, r.Task, r.Measure, string(r.Side)}
			sums[key] += *r.Value
			counts[key]++
		}
	}
	for key := range sums {
		sums[key] /= counts[key]
	}
	return sums
}
