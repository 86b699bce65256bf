package contamination

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"infbench/datasets"
	"infbench/runners/catalog"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/spec"
)

// planned is a run folder that has only the plan of a file.
func planned(t *testing.T, file string, resolve spec.Resolver) runs.Folder {
	t.Helper()
	e, err := catalog.Parse("x.yaml", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := e.Expand(resolve)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := plan.Encode(&text); err != nil {
		t.Fatal(err)
	}
	folder := runs.At(t.TempDir())
	if err := os.WriteFile(folder.PlanPath(), text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return folder
}

const twoWorlds = "name: x\nbase: {data: mini-infir}\nmatrix: {world: [1, 2]}\nbaselines: [bm25]\nevaluate: [mini-followir, mini-bright]\n"

// TestOfRun: overlaps are counted once for each world and benchmark and stored in the run
// folder. A second call writes nothing. A report counts generated data that no sweep counted.
func TestOfRun(t *testing.T) {
	folder := planned(t, twoWorlds, catalog.Revisions{}.Resolve)
	exps := []*results.Experiment{{Dir: folder.Dir}}
	before, err := Shown(exps)
	if err != nil {
		t.Fatal(err)
	}
	silent := func(text string) { t.Error(text) }
	if err := OfRun(folder, silent); err != nil {
		t.Fatal(err)
	}
	kept, err := folder.Overlaps().Read()
	if err != nil || len(kept) != 4 {
		t.Fatalf("%d overlaps of two worlds and two benchmarks, %v", len(kept), err)
	}
	for _, o := range kept {
		texts := 0
		for _, c := range o.Counts {
			texts += c.Texts
			if c.Exact+c.Partial > 0 {
				t.Errorf("%s in world %d: %+v", o.Test, o.World, c)
			}
		}
		if texts == 0 || o.Words != datasets.OverlapWords || o.TrainRevision == "" || o.TestRevision == "" {
			t.Errorf("%+v", o)
		}
	}
	after, err := Shown(exps)
	if err != nil || len(after) != len(before) || after[0] != before[0] {
		t.Errorf("shown %d before the sweep counted and %d after, %v", len(before), len(after), err)
	}
	path := filepath.Join(folder.Dir, "overlap.json")
	long := time.Unix(1_000_000_000, 0)
	if err := os.Chtimes(path, long, long); err != nil {
		t.Fatal(err)
	}
	if err := OfRun(folder, silent); err != nil {
		t.Error(err)
	}
	if is, err := os.Stat(path); err != nil || !is.ModTime().Equal(long) {
		t.Errorf("written again: %v", err)
	}
}

// TestOfRunOfOtherData: data that differ from the plan's are not counted, and a notice reports
// it. Their stored counts no longer pass for the plan's.
func TestOfRunOfOtherData(t *testing.T) {
	now := catalog.Revisions{}
	folder := planned(t, twoWorlds, func(name string, world uint64) (string, error) {
		if name == spec.DataInput+"mini-infir" && world == 1 {
			return "another", nil
		}
		return now.Resolve(name, world)
	})
	var said []string
	if err := OfRun(folder, func(text string) { said = append(said, text) }); err != nil {
		t.Fatal(err)
	}
	if kept, err := folder.Overlaps().Read(); err != nil || len(kept) != 2 || len(said) != 2 || !strings.Contains(said[0], "but the plan was made with another") {
		t.Errorf("%d kept, said %q, %v", len(kept), said, err)
	}
}

// TestBounded: texts beyond the limit end the count; 0 means no limit.
func TestBounded(t *testing.T) {
	texts := func(yield func(datasets.OverlapText, error) bool) {
		_ = yield(datasets.OverlapText{Text: "one"}, nil) && yield(datasets.OverlapText{Text: "two"}, nil)
	}
	for atMost, want := range map[int64]error{0: nil, 6: nil, 5: errTooLarge} {
		if _, err := datasets.LearnOverlap(bounded(texts, atMost), 2); !errors.Is(err, want) {
			t.Errorf("at most %d bytes: %v", atMost, err)
		}
	}
}
