package contrast

import (
	"testing"

	"infbench/bench/results"
	"infbench/reports/scores"
)

func viewOf(t *testing.T, trials ...results.Trial) *scores.Set {
	t.Helper()
	v, err := scores.New([]*results.Experiment{{Name: "e", Trials: trials}})
	if err != nil {
		t.Fatal(err)
	}
	return v
}
