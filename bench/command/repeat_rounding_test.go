package command

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"infbench/runners/results"
	"infbench/runners/spec"
)

// Trials with different kernels are compared by means, and the tolerance is printed.
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
	card := of("xla:cuda,tf32=false", 0.6, 0.7) // as in make gpu-kit, which compares the card with processors
	card.Provenance.Accelerator = &results.Accelerator{}
	if err := compareMeans(&out, trial, kept, card); err == nil || !strings.Contains(out.String(), "repeated on xla:cuda,tf32=false") {
		t.Errorf("means 0.05 apart on a card: %v", err)
	}
	if err := compareMeans(&out, trial, kept, of("go:parallelism=-1", math.NaN(), 0.7)); err == nil {
		t.Error("no number is near a number")
	}
	if err := compareMeans(&out, trial, kept, of("go:parallelism=-1")); err == nil {
		t.Error("nothing is the same as something")
	}
}

// Processors repeat bit for bit with the same kernels, cards with the same plugin if both
// runs were deterministic.
func TestRoundsOtherwise(t *testing.T) {
	card := func(deterministic bool, plugin string, cards ...string) *results.Provenance {
		return &results.Provenance{Backend: "xla:cuda,tf32=false", Devices: cards,
			Accelerator: &results.Accelerator{Deterministic: deterministic, PluginSum: plugin}}
	}
	host := &results.Provenance{Backend: "go+avx2:parallelism=-1", Devices: []string{"a card that stood idle"}}
	for _, c := range []struct {
		was, now *results.Provenance
		want     string
	}{
		{host, &results.Provenance{Backend: "go+avx2:parallelism=-1"}, ""},
		{host, &results.Provenance{Backend: "go:parallelism=-1"}, "kernels avx2"},
		{host, card(true, "a"), "repeated on xla:cuda"},
		{card(false, "a"), card(false, "a"), "not both deterministic"},
		{card(true, "a"), card(false, "a"), "not both deterministic"},
		{card(true, "a", "H200"), card(true, "a", "H200"), ""},
		{card(true, "a", "H200"), card(true, "b", "H200"), "plugin"},
		{card(true, "a", "H200"), card(true, "a", "A100"), "saved on H200, repeated on A100"},
	} {
		if got := roundsOtherwise(c.was, c.now); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%+v and %+v: %q, want %q", c.was, c.now, got, c.want)
		}
	}
}
