package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"infbench/bench/heap"
	"infbench/internal/disk"
	"infbench/internal/testkit/reportstest"
	"infbench/reports"
	"infbench/reports/page"
	"infbench/reports/published"
	"infbench/runners/catalog"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/spec"
)

// ownName chooses the second table: work that no peer does.
const ownName = "own"

// ownWork is a process to measure at a tenth of its work and at all of it.
type ownWork struct {
	name, work string
	shared     []string
	needs      string // a required file of the working directory, and how to make it
	// argv is the command line for a size, 0 a tenth and 1 all; empty if there is no such
	// size.
	argv func(k *kit, j *job, size int) []string
}

// ownWorks lists the rows of the second table.
func ownWorks() []ownWork {
	verb := func(args ...string) func(*kit, *job, int) []string {
		return func(k *kit, _ *job, size int) []string {
			if size == 0 {
				return nil
			}
			return append([]string{k.settings.infbench}, args...)
		}
	}
	sized := func(name string) func(*kit, *job, int) []string {
		return func(k *kit, j *job, size int) []string { return []string{k.self, sideWord, name, j.sizeFolder(size)} }
	}
	// grown is a verb on a sweep with a number of cells, or a tenth of it.
	grown := func(cells int, args ...string) func(*kit, *job, int) []string {
		return func(k *kit, j *job, size int) []string {
			argv := []string{k.settings.infbench}
			for _, arg := range args {
				argv = append(argv, strings.ReplaceAll(arg, "SWEEP", j.sweepFolder(cells, size)))
			}
			return argv
		}
	}
	const demo = "runs/demo"
	return []ownWork{
		{name: "own/page", work: "page of 10,000 trials with 200 values each", argv: sized("page")},
		{name: "own/boards", work: "boards of MTEB's results for 191 models, from its files to the page", shared: []string{mtebResults}, argv: sized("boards")},
		{name: "own/plan-10000", work: "infbench plan, 10,000 finished cells", argv: grown(10_000, "plan", "SWEEP/cells.yaml", "--runs", "SWEEP")},
		{name: "own/status-10000", work: "infbench status, 10,000 finished cells", argv: grown(10_000, "status", "SWEEP/cells")},
		{name: "own/help", work: "infbench --help", argv: verb("--help")},
		{name: "own/list", work: "infbench list", argv: verb("list")},
		{name: "own/plan", work: "infbench plan, 200 finished cells", argv: grown(200, "plan", "SWEEP/cells.yaml", "--runs", "SWEEP")},
		{name: "own/status", work: "infbench status, 200 finished cells", argv: grown(200, "status", "SWEEP/cells")},
		{name: "own/report", work: "infbench report of the demo", needs: demo, argv: verb("report", demo)},
		{name: "own/status-demo", work: "infbench status of the demo", needs: demo, argv: verb("status", demo)},
	}
}

// tenth is a size or a tenth of it.
func tenth(n, size int) int {
	if size == 0 {
		return n / 10
	}
	return n
}

// sizeFolder has the job of a side at a size.
func (j *job) sizeFolder(size int) string { return j.path(fmt.Sprintf("size-%d", size)) }

// sweepFolder has an experiment file cells.yaml and its finished run folder cells.
func (j *job) sweepFolder(cells, size int) string {
	return j.path(fmt.Sprintf("sweep-%d", tenth(cells, size)))
}

// prepareOwn makes up finished sweeps, and jobs of both sizes.
func prepareOwn(j *job) error {
	for size := range 2 {
		dir := j.sizeFolder(size)
		if err := os.Mkdir(dir, 0o777); err != nil {
			return err
		}
		sized := *j
		sized.Warm, sized.Timed, sized.Pairs = 0, 1, size
		if err := writeJSON(filepath.Join(dir, jobFile), sized); err != nil {
			return err
		}
		for _, cells := range []int{10_000, 200} {
			if err := makeUpSweep(j.sweepFolder(cells, size), j.size(tenth(cells, size), tenth(cells, size)/100+11)); err != nil {
				return err
			}
		}
	}
	return nil
}

// makeUpSweep writes an experiment of about cells cells, 11 for each seed, and the files of
// its sweep, with made-up scores.
func makeUpSweep(dir string, cells int) error {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	var seeds []string
	for i := range max(1, cells/11) {
		seeds = append(seeds, fmt.Sprint(i+1))
	}
	file := filepath.Join(dir, "cells.yaml")
	text := "name: cells\nmatrix: {loss: [uni:P, uni:I, uni:IQ, uni:P+I, uni:P+IQ, uni:I+IQ, uni:P+I+IQ, multi:P+I, multi:P+IQ, multi:I+IQ, multi:P+I+IQ], seed: [" +
		strings.Join(seeds, ", ") + "]}\nbaselines: [bm25]\nevaluate: [mini-bright]\n"
	if err := disk.WriteBytes(file, []byte(text)); err != nil {
		return err
	}
	exp, err := catalog.ReadFile(file)
	if err != nil {
		return err
	}
	found := catalog.Gaps{Found: catalog.Revisions{}}
	plan, _, err := catalog.Expand(exp, found.Resolve)
	if err != nil {
		return err
	}
	folder := runs.At(filepath.Join(dir, plan.Name))
	for i := range plan.Trials {
		if err := makeUpTrial(folder.Trial(plan.Trials[i].ID).Dir, &plan.Trials[i]); err != nil {
			return err
		}
	}
	return plan.Write(folder.PlanPath())
}

// makeUpTrial writes the folder of a finished trial.
func makeUpTrial(dir string, one *spec.Trial) error {
	var scores []results.Result
	for q := range 4 {
		v := 1 / float64(q+1)
		scores = append(scores, results.Result{Benchmark: "mini-bright", Task: "biology", Query: fmt.Sprint("q", q), Measure: "nDCG@10", Value: &v})
	}
	f := results.Folder{Dir: dir, Files: unsynced{}}
	if err := f.Writer().Trial(one.WriteYAML); err != nil {
		return err
	}
	return f.Writer().Complete(runs.Config(one), scores, results.Provenance{Infbench: "made up", Seconds: map[string]float64{"total": 60}})
}

// unsynced writes without waiting for the disk: made-up results need not survive a power
// loss.
type unsynced struct{ disk.OS }

type unsyncedFile struct{ disk.File }

func (unsyncedFile) Sync() error { return nil }

func (unsynced) SyncDir(string) error { return nil }

func (u unsynced) Create(path string) (disk.File, error) {
	f, err := u.OS.Create(path)
	return unsyncedFile{f}, err
}

// pageSide writes the page of made-up trials once. As with trials read from files, their
// records are freed once they are in the report.
func pageSide(_ context.Context, j *job) (map[string][]float64, error) {
	e := reportstest.Large(tenth(j.size(10_000, 200), j.Pairs), j.size(200, 20))
	start := time.Now()
	err := j.writePage("page.html", []*results.Experiment{e}, reports.Options{Room: page.RowsAtMost, Taken: true})
	return map[string][]float64{total: {time.Since(start).Seconds()}}, err
}

// mtebResults are real result files.
const mtebResults = "data/mteb-results/followir-200models.tar.gz"

// boardsSide writes the page of published results, of all models or a tenth.
func boardsSide(_ context.Context, j *job) (map[string][]float64, error) {
	seconds, err := j.repeat(func() error {
		c, err := published.ReadMTEB(filepath.Join(j.Shared, filepath.FromSlash(mtebResults)))
		if err != nil {
			return err
		}
		keepModels(c, tenth(len(c.Models()), j.Pairs))
		return j.writePage("boards.html", nil, reports.Options{Published: []*published.Collection{c}})
	})
	return map[string][]float64{total: seconds}, err
}

// keepModels keeps the first models of a collection.
func keepModels(c *published.Collection, n int) {
	kept := map[string]bool{}
	for _, name := range c.Models()[:n] {
		kept[name] = true
	}
	var cells []published.Cell
	for _, cell := range c.Cells {
		if kept[cell.Model] {
			cells = append(cells, cell)
		}
	}
	c.Cells = cells
}

func (j *job) writePage(name string, exps []*results.Experiment, o reports.Options) error {
	o.Heap = heap.Small
	r, err := reports.Build(exps, o)
	if err != nil {
		return err
	}
	f, err := os.Create(j.path(name))
	if err != nil {
		return err
	}
	if err := page.Write(f, r); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
