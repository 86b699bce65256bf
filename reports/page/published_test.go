package page

import (
	"bytes"
	"testing"

	"infbench/internal/testkit"
	"infbench/reports"
	"infbench/reports/published"
)

// BenchmarkPublishedPage measures all steps from 600 result files to the page.
func BenchmarkPublishedPage(b *testing.B) {
	file := testkit.SharedPath(b, "data", "mteb-results", "followir-200models.tar.gz")
	for b.Loop() {
		c, err := published.ReadMTEB(file)
		if err != nil {
			b.Fatal(err)
		}
		r, err := reports.Build(nil, reports.Options{Published: []*published.Collection{c}})
		if err != nil {
			b.Fatal(err)
		}
		var page bytes.Buffer
		if err := Write(&page, r); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(page.Len())/1e6, "MB")
	}
}
