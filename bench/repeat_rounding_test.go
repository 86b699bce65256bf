package main

import (
	"bytes"
	"strings"
	"testing"

	"infbench/bench/results"
	"infbench/bench/spec"
)

// Trials of other kernels are compared by means, with a tolerance that is said.
func TestCompareMeans(t *testing.T) {
	of := func(backend string, values ...float64) *results.Trial {
		tr := &results.Trial{Provenance: results.Provenance{Backend: backend}}
		for _, v := range values {
			tr.Results = append(tr.Results, results.Result{Benchmark: "b", Task: "t", Measure: "AP", Value: &v})
		}
		return tr
	}
	trial := &spec.Trial{ID: "68"}
	kept := of("go+avx512:parallelism=-1", 0.5, 0.7)
	var out bytes.Buffer
	if err := compareMeans(&out, trial, kept, of("go+avx2:parallelism=-1", 0.52, 0.7)); err != nil || !strings.Contains(out.String(), "saved with kernels avx512, repeated with avx2") || !strings.Contains(out.String(), "0.02") {
		t.Errorf("%v: %s", err, &out)
	}
	if err := compareMeans(&out, trial, kept, of("go:parallelism=-1", 0.6, 0.7)); err == nil || !strings.Contains(err.Error(), "1 of 1 means") {
		t.Errorf("means 0.05 apart: %v", err)
	}
	if err := compareMeans(&out, trial, kept, of("go:parallelism=-1")); err == nil {
		t.Error("nothing is the same as something")
	}
}
