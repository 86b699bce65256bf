// Command real makes a leaderboard of real models on text that people wrote: BM25, MiniLM, a
// trained SPLADE, and MiniLM reranked by a small language model, on SciFact and FollowTable. It
// compares MiniLM's numbers on SciFact with MTEB's record. The page has no text of FollowTable,
// which states no licence.
//
// Run it in the repository: make real. Models come from PyPI (internal/tools/pretrained).
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"infbench/internal/disk"
	"infbench/internal/tools/pretrained"
	"infbench/internal/tools/pyenv"
)

func main() { pyenv.Main("real", run) }

// board is the work on one leaderboard.
type board struct {
	infbench, shared, out string
	full                  bool
	stdout                io.Writer
	runs                  []string // folders of finished evaluations, below out
}

func run(ctx context.Context, stdout io.Writer, args []string) (err error) {
	b := board{stdout: stdout}
	flags := flag.NewFlagSet("real", flag.ContinueOnError)
	flags.StringVar(&b.infbench, "infbench", "bin/infbench", "`program` that evaluates")
	flags.StringVar(&b.shared, "shared", "../shared", "`folder` with the shared data")
	flags.StringVar(&b.out, "out", "runs/real", "`folder` for data, runs and the page")
	flags.BoolVar(&b.full, "full", false, "evaluate on all four sets of FollowTable, not only on WTR")
	if err := flags.Parse(args); err != nil {
		return err
	}
	for _, path := range []*string{&b.infbench, &b.shared, &b.out} {
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
	}
	if err := disk.MkdirAll(disk.OS{}, b.out); err != nil {
		return err
	}
	if err := b.evaluateAll(ctx); err != nil || len(b.runs) == 0 {
		return err
	}
	return b.report(ctx)
}

// model is a model of the leaderboard, with the function that makes its folder.
type model struct {
	name string
	make func(ctx context.Context, log io.Writer, folder string) (string, error)
}

var (
	minilm  = model{"MiniLM", pretrained.MiniLM}
	splade  = model{"SPLADE", pretrained.SPLADE}
	smollm2 = model{"SmolLM2", pretrained.SmolLM2}
)

// evaluateAll evaluates what data and models allow, and names what they do not.
func (b *board) evaluateAll(ctx context.Context) error {
	scifact, err := b.importScifact(ctx)
	if err != nil {
		return err
	}
	tables, err := b.importFollowTable(ctx)
	if err != nil {
		return err
	}
	if !scifact && !tables {
		return nil
	}
	folders := map[string]string{"bm25": "bm25"}
	for _, m := range []model{minilm, splade, smollm2} {
		if folders[m.name], err = b.fetch(ctx, m); err != nil {
			return err
		}
	}
	type evaluation struct {
		name, model, data string
		args              []string
	}
	var all []evaluation
	add := func(name, model, data string, args ...string) {
		all = append(all, evaluation{name + "-" + data, folders[model], data, args})
	}
	single := []string{"bm25", minilm.name, splade.name}
	if scifact {
		for _, name := range single {
			add(name, name, "scifact", measures()...)
			add(name, name, "scifact-20")
		}
		if folders[minilm.name] != "" {
			add(smollm2.name, smollm2.name, "scifact-20", "--first", folders[minilm.name], "--depth", "10")
		}
	}
	if tables {
		for _, name := range single {
			add(name, name, "followtable", b.sets()...)
		}
	}
	for _, e := range all {
		if e.model == "" {
			continue
		}
		if err := b.evaluate(ctx, e.name, append([]string{"--model", e.model, "--data", e.data}, e.args...)...); err != nil {
			return err
		}
	}
	return nil
}

// sets are the flags for the evaluated sets of FollowTable.
func (b *board) sets() []string {
	if b.full {
		return nil
	}
	return []string{"--task", "WTR"}
}

// fetch returns the folder of a model, or "" if no registry can be reached.
func (b *board) fetch(ctx context.Context, m model) (string, error) {
	folder, err := pyenv.Folder()
	if err != nil {
		return "", err
	}
	dir, err := m.make(ctx, b.stdout, folder)
	if gap := (pyenv.Absent{}); errors.As(err, &gap) {
		fmt.Fprintf(b.stdout, "real: SKIP: %s: %s\n", m.name, gap)
		return "", nil
	}
	return dir, err
}

// evaluate runs infbench evaluate, unless it has finished before. It shows the output of a
// failure only.
func (b *board) evaluate(ctx context.Context, name string, args ...string) error {
	dir := filepath.Join("runs", name)
	if b.full && strings.HasSuffix(name, "followtable") {
		dir += "-full"
	}
	b.runs = append(b.runs, dir)
	done, err := disk.Exists(filepath.Join(b.out, dir, "done.json"))
	if err != nil || done {
		return err
	}
	begin := time.Now()
	if err := b.run(ctx, io.Discard, append([]string{"evaluate", "--out", dir, "--cache", "vectors"}, args...)...); err != nil {
		return err
	}
	_, err = fmt.Fprintf(b.stdout, "evaluated %s in %.0f s\n", name, time.Since(begin).Seconds())
	return err
}

// run runs infbench in the folder of the leaderboard.
func (b *board) run(ctx context.Context, stdout io.Writer, args ...string) error {
	var complaints strings.Builder
	c := exec.CommandContext(ctx, b.infbench, args...)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = time.Minute
	c.Dir, c.Stdout, c.Stderr = b.out, stdout, &complaints
	err := c.Run()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("infbench %s: %w\n%s", strings.Join(args, " "), err, complaints.String())
	}
	return nil
}

// measures are the flags for the measures that MTEB prints, nDCG@10 first: the leaderboard
// shows the first.
func measures() (flags []string) {
	for _, k := range []string{"10", "1", "3", "5", "20", "100", "1000"} {
		for _, family := range []string{"nDCG", "AP", "RR", "P", "R"} {
			flags = append(flags, "--measure", family+"@"+k)
		}
	}
	return flags
}
