package command

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/runners/device"
	"infbench/runners/results"
	"infbench/runners/spec"
)

// roundingTolerance is the largest difference allowed between means of a measure with other
// kernels, or on a card: they round differently, training amplifies that, and rankings turn
// it into changed ranks.
const roundingTolerance = 0.02

// meanKey is a measure of a side on a task.
type meanKey struct{ benchmark, task, measure, side string }

// roundsOtherwise returns the reason why two runs of a trial cannot be the same bit for bit.
// It returns "" if they must be the same: on processors with the same kernels, and on one
// kind of card with one plugin if both were deterministic.
func roundsOtherwise(saved, repeated *results.Provenance) string {
	name := func(p *results.Provenance) string {
		if p.Accelerator != nil {
			return p.Backend
		}
		return cmp.Or(device.KernelsOf(p.Backend), p.Backend)
	}
	a, b := saved.Accelerator, repeated.Accelerator
	switch {
	case a == nil && b == nil:
		if device.KernelsOf(saved.Backend) == device.KernelsOf(repeated.Backend) {
			return ""
		}
		return fmt.Sprintf("saved with kernels %s, repeated with %s", name(saved), name(repeated))
	case a == nil || b == nil || !a.Deterministic || !b.Deterministic:
		return fmt.Sprintf("saved on %s, repeated on %s, and not both deterministic", name(saved), name(repeated))
	case a.PluginSum != b.PluginSum:
		return fmt.Sprintf("saved with plugin SHA-256 %.12s, repeated with %.12s", a.PluginSum, b.PluginSum)
	case !slices.Equal(saved.Devices, repeated.Devices):
		return fmt.Sprintf("saved on %s, repeated on %s", strings.Join(saved.Devices, ", "), strings.Join(repeated.Devices, ", "))
	}
	return ""
}

// compareMeans compares two trials that round differently, by their means.
func compareMeans(w io.Writer, t *spec.Trial, kept, again *results.Trial) error {
	fmt.Fprintf(w, "%s: comparing means, which may differ by %g\n", words.Clean(roundsOtherwise(&kept.Provenance, &again.Provenance)), roundingTolerance)
	saved, repeated := meansOf(kept.Results), meansOf(again.Results)
	far, most := 0, 0.0
	for key, mean := range saved {
		other, ok := repeated[key]
		if d := math.Abs(mean - other); !ok || !(d <= roundingTolerance) { // NaN is far from everything
			far++
			fmt.Fprintf(w, "%s %s on %s/%s: saved %g, repeated %g\n", key.measure, key.side, key.benchmark, key.task, mean, other)
		} else {
			most = max(most, d)
		}
	}
	if far > 0 || len(repeated) != len(saved) {
		return fmt.Errorf("trial %s (%s): %d of %d means differ by more than %g", t.ID, t.Label, far, len(saved), roundingTolerance)
	}
	fmt.Fprintf(w, "%s  %s: all %d means are the same within %g (largest difference %.2g)\n", t.ID, t.Label, len(saved), roundingTolerance, most)
	return nil
}

// meansOf returns the mean of the defined values of each measure.
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
