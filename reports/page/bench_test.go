package page

import (
	"fmt"
	"io"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports"
	"infbench/runners/results"
)

// BenchmarkPage makes the pages of 1,000 and of 10,000 trials with 200 values each: ten
// times the work should take no more than ten times as long. make large sets limits for
// the larger page, and make peers has a row for it.
func BenchmarkPage(b *testing.B) {
	for _, trials := range []int{1_000, 10_000} {
		b.Run(fmt.Sprint(trials), func(b *testing.B) {
			e := reportstest.Large(trials, 200)
			b.ReportAllocs()
			for b.Loop() {
				r, err := reports.Build([]*results.Experiment{e}, reports.Options{Room: RowsAtMost})
				if err != nil {
					b.Fatal(err)
				}
				if err := Write(io.Discard, r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
