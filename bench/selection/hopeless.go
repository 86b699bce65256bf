package selection

import (
	"fmt"

	"infbench/bench/results"
	"infbench/metrics"
)

// ByQuery names the values of held-out queries; a query can have several, of its
// sides.
func ByQuery(scores []results.Result) map[string]*float64 {
	values := map[string]*float64{}
	for _, r := range scores {
		values[fmt.Sprint(r.Task, "\x00", r.Side, "\x00", r.Query)] = r.Value
	}
	return values
}

// GainFrom is how much better the best weights of a finished cell became from a share
// of its training to the end; false where it was not judged by then.
func GainFrom(better metrics.Direction, evaluations []results.Evaluation, share float64) (float64, bool) {
	if len(evaluations) == 0 {
		return 0, false
	}
	last := float64(evaluations[len(evaluations)-1].Step)
	then, top, known := 0.0, evaluations[0].Value, false
	for _, e := range evaluations {
		if better.Better(e.Value, top) {
			top = e.Value
		}
		if float64(e.Step) <= share*last+1e-9 && (!known || better.Better(e.Value, then)) {
			then, known = e.Value, true
		}
	}
	return better.Oriented(top - then), known
}
