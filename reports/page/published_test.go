package page

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"infbench/reports"
	"infbench/reports/published"
)

// BenchmarkPublishedPage is the whole way from 600 result files to the page.
func BenchmarkPublishedPage(b *testing.B) {
	dir := os.Getenv("INFBENCH_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared")
	}
	file := filepath.Join(dir, "data", "mteb-results", "followir-200models.tar.gz")
	if _, err := os.Stat(file); err != nil {
		b.Skipf("SKIP: shared data absent at %s", file)
	}
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
