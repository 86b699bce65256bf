package spec

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

const planSource = "name: x\nevaluate: [mini-followir]\nmatrix: {loss: [uni(P), \"multi(P,I)\"], train.lr: [0.0005, 1]}\nbaselines: [bm25, untrained]"

func TestPlanReadsBackAsWritten(t *testing.T) {
	p := plan(t, planSource)
	path := filepath.Join(t.TempDir(), "plan.json")
	if err := p.Write(path); err != nil {
		t.Fatal(err)
	}
	got, err := ReadPlan(path)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, p) {
		t.Errorf("read back:\n%+v\nwant:\n%+v", got, p)
	}
}

func TestReadPlanRefusesChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plan.json")
	if err := plan(t, planSource).Write(path); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, from, to, want string }{
		{"a setting edited", `"loss": "multi(P,I)"`, `"loss": "multi(P,Q)"`, "the file was changed"},
		{"cut short", "\n}\n", "", "plan"},
		{"an unknown key", `"label"`, `"labl"`, "the file was changed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(string(whole), c.from) {
				t.Fatalf("plan lacks %q", c.from)
			}
			if err := os.WriteFile(path, []byte(strings.Replace(string(whole), c.from, c.to, 1)), 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := ReadPlan(path); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error = %v, want %q in it", err, c.want)
			}
		})
	}
}

// Whichever bit of a plan file flips, the plan is refused. Names, labels and the source are not
// part of any ID, but reports show them.
func TestReadPlanFindsEveryFlippedBit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plan.json")
	if err := plan(t, "name: x\nevaluate: [mini-followir]\nbaselines: [bm25]").Write(path); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		flipped := slices.Clone(whole)
		flipped[i] ^= 1 << (i % 8)
		if err := os.WriteFile(path, flipped, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadPlan(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("byte %d, %q for %q: %v, want an error that names the file", i, flipped[i], whole[i], err)
		}
	}
}

func BenchmarkExpand10000(b *testing.B) {
	var seeds []string
	for i := range 5000 {
		seeds = append(seeds, string(rune('0'+i/1000))+string(rune('0'+i/100%10))+string(rune('0'+i/10%10))+string(rune('0'+i%10)))
	}
	src := "name: x\nevaluate: [mini-followir]\nmatrix: {loss: [uni(P), \"multi(P,I)\"], seed: [1" + strings.Join(seeds, ",1") + "]}"
	for b.Loop() {
		e, err := parse("x.yaml", []byte(src), testKnown)
		if err != nil {
			b.Fatal(err)
		}
		p, err := e.Expand(testResolve)
		if err != nil || len(p.Trials) != 10000 {
			b.Fatal(len(p.Trials), err)
		}
	}
}

// An entry of exclude without effect is reported, not refused: --set may have removed its
// cells.
func TestIdleExcludes(t *testing.T) {
	e, err := parse("x.yaml", []byte(planSource+"\nexclude: [{loss: uni(P), train.lr: 1}, {loss: uni(P), train.lr: 2}, {seed: 7}]"), testKnown)
	if err != nil {
		t.Fatal(err)
	}
	if got := e.IdleExcludes(); !slices.Equal(got, []int{2, 3}) {
		t.Errorf("idle entries %v, want 2 and 3", got)
	}
}
