package page

import (
	"io"
	"testing"

	"infbench/bench/results"
	"infbench/reports"
	"infbench/reports/reportstest"
)

// BenchmarkPage makes the page of 1,000 trials with 200 values each, a tenth of what make
// large does.
func BenchmarkPage(b *testing.B) {
	e := reportstest.Large(1000, 200)
	b.ReportAllocs()
	for b.Loop() {
		r, err := reports.Build([]*results.Experiment{e}, reports.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := Write(io.Discard, r); err != nil {
			b.Fatal(err)
		}
	}
}
