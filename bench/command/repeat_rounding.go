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

// roundingTolerance is how far the mean of a measure may be from that of other kernels, or
// of a card: they round differently, training makes more of it, and a ranking turns it
// into places.
const roundingTolerance = 0.02

// meanKey is a measure of a side on a task.
type meanKey struct{ benchmark, task, measure, side string }

// roundsOtherwise says why two runs of a trial cannot be the same bit for bit; "" if they
// are to be: on processors with the same kernels, and on one kind of card with one plugin
// where both were asked for it.
func roundsOtherwise(was, is *results.Provenance) string {
	name := func(p *results.Provenance) string {
		if p.Accelerator != nil {
			return p.Backend
		}
		return cmp.Or(device.KernelsOf(p.Backend), p.Backend)
	}
	a, b := was.Accelerator, is.Accelerator
	switch {
	case a == nil && b == nil:
		if device.KernelsOf(was.Backend) == device.KernelsOf(is.Backend) {
			return ""
		}
		return fmt.Sprintf("saved with kernels %s, repeated with %s", name(was), name(is))
	case a == nil || b == nil || !a.Deterministic || !b.Deterministic:
		return fmt.Sprintf("saved on %s, repeated on %s, and not both deterministic", name(was), name(is))
	case a.PluginSum != b.PluginSum:
		return fmt.Sprintf("saved with the plugin of SHA-256 %.12s, repeated with %.12s", a.PluginSum, b.PluginSum)
	case !slices.Equal(was.Devices, is.Devices):
		return fmt.Sprintf("saved on %s, repeated on %s", strings.Join(was.Devices, ", "), strings.Join(is.Devices, ", "))
	}
	return ""
}

// compareMeans holds two trials that round otherwise against each other.
func compareMeans(w io.Writer, t *spec.Trial, kept, again *results.Trial) error {
	fmt.Fprintf(w, "%s: means are compared, which may differ by %g\n", words.Clean(roundsOtherwise(&kept.Provenance, &again.Provenance)), roundingTolerance)
	was, is := meansOf(kept.Results), meansOf(again.Results)
	far, most := 0, 0.0
	for key, mean := range was {
		other, ok := is[key]
		if d := math.Abs(mean - other); !ok || !(d <= roundingTolerance) { // NaN is far from everything
			far++
			fmt.Fprintf(w, "%s %s on %s/%s: saved %g, repeated %g\n", key.measure, key.side, key.benchmark, key.task, mean, other)
		} else {
			most = max(most, d)
		}
	}
	if far > 0 || len(is) != len(was) {
		return fmt.Errorf("trial %s (%s): %d of %d means differ by more than %g", t.ID, t.Label, far, len(was), roundingTolerance)
	}
	fmt.Fprintf(w, "%s  %s: all %d means are the same within %g (largest difference %.2g)\n", t.ID, t.Label, len(was), roundingTolerance, most)
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
