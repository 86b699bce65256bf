package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/datasets/annotate"
	"infbench/datasets/curate"
	"infbench/internal/disk"
	"infbench/reports"
	"infbench/runners"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// smallRuns copies testdata/small, which has the run folders of a sweep, an evaluation and an
// import, and makes the copy the working folder.
func smallRuns(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "small"))); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	t.Setenv("HF_HUB_CACHE", "hub")
}

// wantIn fails the test for each text that the output does not contain.
func wantIn(t *testing.T, output string, want ...string) {
	t.Helper()
	for _, text := range want {
		if !strings.Contains(output, text) {
			t.Errorf("%q is not in:\n%s", text, output)
		}
	}
}

// reseal replaces a text in a sealed file and seals the file again.
func reseal(t *testing.T, path, from, to string) {
	t.Helper()
	text, holds := disk.SplitSealed(mustRead(t, path))
	if !holds || !bytes.Contains(text, []byte(from)) {
		t.Fatalf("%s lacks %q or a seal", path, from)
	}
	data, err := disk.EncodeSealed(json.RawMessage(bytes.Replace(text, []byte(from), []byte(to), 1)))
	if err != nil {
		t.Fatal(err)
	}
	rewrite(t, path, data)
}

// A file of another format is refused with its path, the two formats and a remedy.
func TestOtherFormatsAreRefused(t *testing.T) {
	verb := func(args ...string) error {
		var out, stderr bytes.Buffer
		if run(args, &out, &stderr) != exitFailure {
			return nil
		}
		return errors.New(stderr.String())
	}
	const settings = "# infbench-corpus/1\nname: mine\n"
	for _, c := range []struct {
		kind, path, found, reads string
		read                     func(t *testing.T, path string) error
	}{
		{"plan", "runs/small/plan.json", "2", "1", func(t *testing.T, path string) error {
			reseal(t, path, `"format": 1,`, `"format": 2,`)
			return verb("report", "runs/small")
		}},
		{"plan with an unknown key", "runs/small/plan.json", `1 of another build (trial 1: JSON: unknown key "laps" (known: id, label, long_label, cell, evaluate, revisions, labels, resources))`, "1", func(t *testing.T, path string) error {
			reseal(t, path, `"label"`, `"laps"`)
			return verb("report", "runs/small")
		}},
		{"plan with other trial IDs", "runs/small/plan.json", "1 of another build (trial ada4fe0ae044b12f hashes to 35a97a69dd345ea4)", "1", func(t *testing.T, path string) error {
			reseal(t, path, `"lr": 0.005`, `"lr": 0.006`)
			return verb("report", "runs/small")
		}},
		{"import", "runs/imported/import.json", "infbench-import/2", "infbench-import/1", func(t *testing.T, path string) error {
			reseal(t, path, "infbench-import/1", "infbench-import/2")
			return verb("report", "runs/imported")
		}},
		{"page", "page.html", "infbench-report-data/1, layout 7", fmt.Sprintf("infbench-report-data/1, layout %d", reports.Layout), func(t *testing.T, path string) error {
			rewrite(t, path, bytes.Replace(mustRead(t, path), fmt.Appendf(nil, `"layout":%d`, reports.Layout), []byte(`"layout":7`), 1))
			return verb("verify", path)
		}},
		{"study", "runs/map/mine.json", "infbench-study/2 map", "infbench-study/1 map", func(t *testing.T, path string) error {
			data, err := disk.EncodeSealed(results.Study{Format: "infbench-study/2", Kind: "map"})
			if err != nil {
				t.Fatal(err)
			}
			writeFile(t, path, string(data))
			_, err = runs.ReadStudies("map")
			return err
		}},
		{"corpus", "corpus/curate.yaml", "infbench-corpus/2", "infbench-corpus/1", func(t *testing.T, path string) error {
			writeFile(t, path, strings.Replace(settings, "/1", "/2", 1))
			return curate.Claim("corpus", []byte(settings))
		}},
		{"annotation key", "key.json", "infbench-annotation-key/2", "infbench-annotation-key/1", func(t *testing.T, path string) error {
			writeFile(t, path, `{"format": "infbench-annotation-key/2"}`)
			_, err := annotate.ReadKey(path)
			return err
		}},
		{"annotator's picks", "picks.json", "infbench-picks/2", "infbench-picks/1", func(t *testing.T, path string) error {
			writeFile(t, path, `{"format": "infbench-picks/2"}`)
			_, err := new(annotate.Key).ReadPicks(path)
			return err
		}},
		{"embedding cache", "vectors/0123456789abcdef0123456789abcdef/0.vectors", `"1\n"`, `"2\n"`, func(t *testing.T, path string) error {
			writeFile(t, path, "infbench vectors 1\n\x08\x00\x00\x00\x00")
			models, err := runners.ListCache("vectors")
			if err != nil {
				t.Fatal(err)
			}
			_, err = models[0].Verify()
			return err
		}},
	} {
		t.Run(c.kind, func(t *testing.T) {
			smallRuns(t)
			err := c.read(t, c.path)
			for _, want := range []string{c.path + ": ", "found format " + c.found, ", and this build of infbench reads format " + c.reads + ": move it away and run it again with this build, or use the build that made it"} {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%v, want %q in it", err, want)
				}
			}
		})
	}
}

// No verb reads the plan of another build, and sweep does not overwrite it.
func TestPlansOfOtherBuildsStay(t *testing.T) {
	smallRuns(t)
	path := filepath.Join("runs", "small", runs.PlanFile)
	reseal(t, path, `"format": 1,`, `"format": 2,`)
	written := mustRead(t, path)
	want := path + ": found format 2"
	for _, verb := range [][]string{{"report", "runs/small"}, {"status", "runs/small"}, {"verify", "runs/small"}, {"retry", "runs/small"}, {"sweep", "small.yaml"}, {"plan", "--diff", "small.yaml"}} {
		verbFails(t, exitFailure, want, verb...)
	}
	wantIn(t, verbOutput(t, "plan", "small.yaml"), want)
	if !slices.Equal(mustRead(t, path), written) {
		t.Error("the plan was written over")
	}
}
