package command

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"infbench/internal/disk"
	"infbench/internal/testkit"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/spec"
)

// largeSweep is an experiment of 11 cells for each seed and one more.
func largeSweep(n int) string {
	var seeds []string
	for i := range n {
		seeds = append(seeds, fmt.Sprint(i+1))
	}
	return "name: large\nmatrix: {loss: [uni(P), uni(I), uni(IQ), \"uni(P,I)\", \"uni(P,IQ)\", \"uni(I,IQ)\", \"uni(P,I,IQ)\", \"multi(P,I)\", \"multi(P,IQ)\", \"multi(I,IQ)\", \"multi(P,I,IQ)\"], seed: [" +
		strings.Join(seeds, ", ") + "]}\nbaselines: [bm25]\nevaluate: [mini-bright]\n"
}

// unsynced is a file system for made-up results, which need not survive a power loss.
type unsynced struct{ disk.OS }

type unsyncedFile struct{ disk.File }

func (unsyncedFile) Sync() error { return nil }

func (unsynced) SyncDir(string) error { return nil }

func (u unsynced) Create(path string) (disk.File, error) {
	f, err := u.OS.Create(path)
	return unsyncedFile{f}, err
}

// finish makes up the files of a finished trial.
func finish(t testing.TB, dir string, one *spec.Trial) {
	t.Helper()
	var scores []results.Result
	for q := range 4 {
		v := 1 / float64(q+1)
		scores = append(scores, results.Result{Benchmark: "mini-bright", Task: "biology", Query: fmt.Sprint("q", q), Measure: "nDCG@10", Value: &v})
	}
	p := results.Provenance{Infbench: "made up", Seconds: map[string]float64{"total": 60, "train": 40}}
	if err := (results.Folder{Dir: dir, Files: unsynced{}}).Writer().Trial(one.WriteYAML); err != nil {
		t.Fatal(err)
	}
	if err := (results.Folder{Dir: dir, Files: unsynced{}}).Writer().Complete(runs.Config(one), scores, p); err != nil {
		t.Fatal(err)
	}
}

// TestLargeSweep checks the promised times for 10,000 cells: a plan in 2 s, a status in 1 s,
// a sweep with nothing to do in 3 s. It uses a tenth of the cells, or all if INFBENCH_LARGE
// is set, as in continuous integration.
func TestLargeSweep(t *testing.T) {
	testkit.Deep(t)
	seeds, share := 91, time.Duration(10)
	if os.Getenv("INFBENCH_LARGE") != "" {
		seeds, share = 909, 1
	}
	file, runs, dir := finishedLargeSweep(t, seeds)
	for _, c := range []struct {
		what  string
		limit time.Duration
		run   func()
	}{
		{"plan", 2 * time.Second, func() { verbOutput(t, "plan", file, "--runs", runs) }},
		{"status", time.Second, func() { verbOutput(t, "status", dir) }},
		{"sweep", 3 * time.Second, func() { verbOutput(t, "sweep", file, "--runs", runs) }},
	} {
		began, used := time.Now(), testkit.ProcessorTime()
		c.run()
		wall, busy := time.Since(began), testkit.ProcessorTime()-used
		t.Logf("%s of %d cells: %v, of the processors %v", c.what, 11*seeds+1, wall.Round(time.Millisecond), busy.Round(time.Millisecond))
		// Loading the worlds takes its share, however few the cells are. Time means little if the
		// process waited, or if a part of the cells runs next to other tests: then only the use
		// of the processors counts.
		limit := c.limit/share + time.Second/2
		waited := share > 1 || wall > busy*6/5
		if wall > limit && !waited || busy > limit*time.Duration(runtime.NumCPU()) {
			t.Errorf("%s took %v, of the processors %v; the promise is %v", c.what, wall, busy, limit)
		}
	}
}

// finishedLargeSweep makes up a run folder in which every cell is done.
func finishedLargeSweep(t testing.TB, seeds int) (file, folder, dir string) {
	t.Helper()
	folder = t.TempDir()
	file = filepath.Join(folder, "large.yaml")
	if err := disk.WriteBytes(file, []byte(largeSweep(seeds))); err != nil {
		t.Fatal(err)
	}
	plan, err := new(narrowing).plan(file)
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(folder, plan.Name)
	for i := range plan.Trials {
		finish(t, runs.At(dir).Trial(plan.Trials[i].ID).Dir, &plan.Trials[i])
	}
	if err := plan.Write(runs.At(dir).PlanPath()); err != nil {
		t.Fatal(err)
	}
	if err := disk.WriteBytes(runs.At(dir).Report(), nil); err != nil {
		t.Fatal(err)
	}
	return file, folder, dir
}

func BenchmarkLargeSweep(b *testing.B) {
	file, runs, dir := finishedLargeSweep(b, 909)
	for name, args := range map[string][]string{
		"plan": {"plan", file, "--runs", runs}, "status": {"status", dir}, "sweep": {"sweep", file, "--runs", runs},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if code := run(args, io.Discard, io.Discard); code != exitOK {
					b.Fatal(code)
				}
			}
		})
	}
}
