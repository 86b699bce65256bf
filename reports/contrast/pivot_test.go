package contrast

import (
	"testing"

	"infbench/reports/scores"
	"infbench/runners/results"
)

func viewOf(t *testing.T, trials ...results.Trial) *scores.Set {
	t.Helper()
	v, err := scores.New([]*results.Experiment{{Name: "e", Trials: trials}})
	if err != nil {
		t.Fatal(err)
	}
	return v
}
