// Command finding runs bench/experiments/followtable.yaml: do the losses make MiniLM, a pretrained
// encoder, follow instructions that people checked (FollowTable)? It prepares the inputs in
// corpora/followtable, makes records, counts overlaps, sweeps, evaluates some of the models on
// further collections and judges bench/claims/followtable.yaml. A second run continues the first.
//
// Run it in the repository: make finding. The texts of FollowTable are marked as private.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"infbench/internal/disk"
	"infbench/internal/tools/pyenv"
	"infbench/runners/runs"
)

func main() { pyenv.Main("finding", run) }

// settings are the flags.
type settings struct {
	infbench, shared string
	small, full      bool
	kitAt            string
	rehearse         bool
	out              io.Writer
}

func run(ctx context.Context, stdout io.Writer, args []string) error {
	s := settings{out: stdout}
	flags := flag.NewFlagSet("finding", flag.ContinueOnError)
	flags.StringVar(&s.infbench, "infbench", "bin/infbench", "`program` that trains and evaluates")
	flags.StringVar(&s.shared, "shared", "../shared", "`folder` with data/followtable and data/scifact")
	flags.BoolVar(&s.small, "small", false, "train one model for a few steps")
	flags.BoolVar(&s.full, "full", false, "also train the other losses, and on the second fold")
	flags.StringVar(&s.kitAt, "kit", "", "make a kit for a machine with a card in this `folder`, and train nothing")
	flags.BoolVar(&s.rehearse, "rehearse", false, "make a kit with trials of two steps and a small test")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if err := s.prepare(ctx); err != nil {
		return err
	}
	if s.kitAt != "" {
		return s.kit(s.kitAt)
	}
	if s.small {
		return s.sweep(ctx, "followtable-small")
	}
	return s.first(ctx)
}

// first runs the first fold and evaluates some of its models further: on SciFact one seed of each
// loss, and on the instructions of type 2.1 each seed of uni(P).
func (s *settings) first(ctx context.Context) error {
	if err := s.sweep(ctx, "followtable"); err != nil {
		return err
	}
	plan, err := runs.At("runs/followtable").Plan()
	if err != nil {
		return err
	}
	scifact := filepath.Join(s.shared, "data", "scifact", "beir")
	further := []evaluation{{minilm, scifact, "scifact-untrained"}, {minilm, avoid, "avoid-untrained"}}
	for _, t := range plan.Trials {
		model := "runs/followtable:" + t.ID
		if t.Cell.Loss == "" || t.Cell.Data != "./"+records {
			continue
		}
		if t.Cell.Seed == 1 {
			further = append(further, evaluation{model, scifact, "scifact-" + t.ID})
		}
		if t.Cell.Loss == "uni(P)" {
			further = append(further, evaluation{model, avoid, "avoid-" + t.ID})
		}
	}
	folders := []string{"runs/followtable"}
	for _, e := range further {
		out := filepath.Join("runs", "followtable-further", e.name)
		folders = append(folders, out)
		if _, err := disk.Stat(filepath.Join(out, "done.json")); err == nil {
			continue
		}
		if err := s.command(ctx, "evaluate", "--model", e.model, "--data", e.data, "--out", out); err != nil {
			return err
		}
	}
	if s.full {
		if err := s.sweep(ctx, "followtable-losses", "followtable-fold2"); err != nil {
			return err
		}
		folders = append(folders, "runs/followtable-losses", "runs/followtable-fold2")
	}
	return s.judge(ctx, folders)
}

// evaluation is an evaluation in addition to the sweep.
type evaluation struct{ model, data, name string }

// sweep runs experiment files by name, a trial at a time: one uses all processors.
func (s *settings) sweep(ctx context.Context, names ...string) error {
	for _, name := range names {
		if err := s.command(ctx, "sweep", "bench/experiments/"+name+".yaml", "--workers", "1"); err != nil {
			return err
		}
	}
	return nil
}

// judge judges the claims, writes the page and verifies it.
func (s *settings) judge(ctx context.Context, folders []string) error {
	const claims, page = "bench/claims/followtable.yaml", "runs/followtable/finding.html"
	if err := s.command(ctx, append([]string{"claims", claims}, folders...)...); err != nil {
		return err
	}
	args := append([]string{"report"}, folders...)
	if err := s.command(ctx, append(args, "--claims", claims, "--format", "html", "--out", page)...); err != nil {
		return err
	}
	args = []string{"verify", page}
	for _, folder := range folders {
		args = append(args, "--runs", folder)
	}
	return s.command(ctx, args...)
}

// command runs a command of infbench, after printing it.
func (s *settings) command(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, s.infbench, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Stdout, cmd.Stderr = s.out, os.Stderr
	fmt.Fprintln(s.out, "==", cmd)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", cmd, err)
	}
	return nil
}
