package site

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports"
	"infbench/runners/results"
)

// siteOnDisk writes a site of two commits and returns its folder, and the data in its report.
func siteOnDisk(t *testing.T, exps ...*results.Experiment) (dir string, carried *reports.Data) {
	t.Helper()
	for _, e := range exps {
		for i := range e.Trials {
			e.Trials[i].Provenance.Command = "infbench repeat x '<b>'"
		}
	}
	history := recorded(t, nil, "c0ffee1", exps...)
	history = recorded(t, history, "c0ffee2", exps...)
	files, err := Site(exps, history, nil, reports.Options{})
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
		if f.Name == ReportFile {
			if carried, err = reports.ReadData(f.Data); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir, carried
}

func TestCheck(t *testing.T) {
	exps := reportstest.TwoSystems()
	dir, carried := siteOnDisk(t, exps...)
	check := func(fromRuns bool) *Checked {
		t.Helper()
		all := carried.Experiments()
		if fromRuns {
			all = exps
		}
		c, err := Check(dir, all, fromRuns, carried.BuildOptions())
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	if c := check(false); len(c.Differ) > 0 || len(c.Unchecked) != 1 || c.Files < 6 {
		t.Errorf("from the report alone: %+v", c)
	}
	if c := check(true); len(c.Differ) > 0 || len(c.Unchecked) > 0 {
		t.Errorf("with the run folders: %+v", c)
	}
	if Of(dir, true) != dir || Of(filepath.Join(dir, indexFile), false) != dir || Of(filepath.Join(dir, ReportFile), false) != "" || Of(filepath.Join(dir, modelsDir), true) != "" {
		t.Error("files of a site and other files are confused")
	}
	models, err := filepath.Glob(filepath.Join(dir, modelsDir, "*.html"))
	badges, err2 := filepath.Glob(filepath.Join(dir, badgesDir, "*.svg"))
	if err != nil || err2 != nil || len(models) == 0 || len(badges) == 0 {
		t.Fatal(models, badges)
	}
	for _, f := range []struct {
		name, path, old, by string
		with                bool // only the run folders show it
	}{
		{"a number of a board", filepath.Join(dir, indexFile), ">50.0<", ">99.9<", false},
		{"a title", filepath.Join(dir, indexFile), "<h1>", "<h1>audited ", false},
		{"a number of a model", models[0], `<td class="n">`, `<td class="n">9`, false},
		{"a badge", badges[0], "</title>", "9</title>", false},
		{"a definition", filepath.Join(dir, wordsFile), "<dt>", "<dt>best ", false},
		{"an element in a command", models[0], "infbench repeat x", "infbench <b>x", false},
		{"a command", models[0], "infbench repeat x", "infbench repeat y", true},
	} {
		was, err := os.ReadFile(f.path)
		if err != nil {
			t.Fatal(err)
		}
		forged := strings.Replace(string(was), f.old, f.by, 1)
		if forged == string(was) {
			t.Errorf("%s: nothing was forged", f.name)
		}
		if err := os.WriteFile(f.path, []byte(forged), 0o666); err != nil {
			t.Fatal(err)
		}
		if c := check(true); len(c.Differ) != 1 {
			t.Errorf("%s, with the run folders: %v", f.name, c.Differ)
		}
		if c := check(false); (len(c.Differ) == 1) == f.with {
			t.Errorf("%s, from the report alone: %v", f.name, c.Differ)
		}
		if err := os.WriteFile(f.path, was, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	stray := filepath.Join(dir, modelsDir, "best.html")
	if err := os.WriteFile(stray, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if c := check(true); len(c.Differ) != 1 || !strings.Contains(c.Differ[0], "best.html") {
		t.Errorf("a page more: %v", c.Differ)
	}
	if err := os.Remove(stray); err != nil {
		t.Fatal(err)
	}
	// A history that is chained again.
	h, err := HistoryOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	h.Commits[1].Values[0].Value += .1
	files, err := HistoryFiles(h.Commits)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if c := check(true); !bytes.Contains([]byte(strings.Join(c.Differ, "\n")), []byte("numbers of the last commit, c0ffee2")) {
		t.Errorf("a forged history: %v", c.Differ)
	}
}
