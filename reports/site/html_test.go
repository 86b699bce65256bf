package site

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports"
	"infbench/reports/export"
	"infbench/reports/published"
)

var hostileFolder = flag.String("hostile", "", "write a page and a site of hostile texts into this folder, for a browser to open")

// TestWriteHostile writes the page and the site that .ci/browser opens.
func TestWriteHostile(t *testing.T) {
	if *hostileFolder == "" {
		t.Skip("no -hostile")
	}
	files := append(hostileSite(t), export.File{Name: "../report.html", Data: []byte(written(t, build(t, hostileOptions(), reportstest.HostileExperiment()), "html"))})
	for _, f := range files {
		name := filepath.Join(*hostileFolder, "site", f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

var longPage = flag.String("long", "", "write a page of systems with long names to this file, for a browser to open")

// TestWriteLong writes the page that .ci/browser opens.
func TestWriteLong(t *testing.T) {
	if *longPage == "" {
		t.Skip("no -long")
	}
	if err := os.WriteFile(*longPage, []byte(written(t, build(t, reports.Options{}, reportstest.Long()), "html")), 0o644); err != nil {
		t.Fatal(err)
	}
}

// hostileOptions adds published results with such texts in models, files and notes, enough of them
// for charts.
func hostileOptions() reports.Options {
	c := &published.Collection{Source: reportstest.Hostile[0], Doubts: reportstest.HostileTexts}
	for i, text := range reportstest.HostileTexts {
		for _, task := range published.Combinations("followir")[0].Parts {
			cell := published.Cell{Source: reportstest.Hostile[0], Model: text, Revision: text, Config: text, Task: published.Names("followir", task.Task)[0].Task, Measure: task.Measure, Value: float64(i) / 20, Main: true,
				Conventions: published.Conventions{Qrels: "original", Ties: published.TiesByID, Version: text}, Footnotes: reportstest.HostileTexts, File: text}
			c.Cells = append(c.Cells, cell)
			cell.Measure, cell.Main = "p-MRR", false
			c.Cells = append(c.Cells, cell)
		}
		c.Missing = append(c.Missing, published.Missing{Model: text, Task: text, File: text, Reason: text})
	}
	o := reports.Options{}
	o.Published = []*published.Collection{c}
	return o
}
