package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"infbench/bench/catalog"
	"infbench/bench/device"
	"infbench/bench/engine"
	"infbench/bench/results"
	"infbench/bench/runs"
	"infbench/bench/spec"
	"infbench/bench/trial"
	"infbench/bench/usage"
	"infbench/reports/words"
)

func repeatCommand() *cobra.Command {
	var machine device.Options
	var remote catalog.RemoteUse
	cmd := &cobra.Command{
		Use:   "repeat RUN TRIAL",
		Short: "Run one trial of a sweep again and compare the numbers",
		Long: `Run one complete trial again, from training on, in a temporary folder, and compare
every per-query value with the one in the run folder. TRIAL is an ID or the
beginning of one. The run folder is not touched. Exit code 1 if a value differs.`,
		Example: "  infbench repeat runs/demo 68",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return repeat(cmd.Context(), args[0], args[1], machine, remote, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	machine.AddDeviceFlags(cmd)
	remote.AddFlags(cmd)
	return cmd
}

// repeat recomputes a trial and compares it with what the run folder holds.
func repeat(ctx context.Context, runDir, prefix string, machine device.Options, remote catalog.RemoteUse, stdout, stderr io.Writer) error {
	if err := machine.Probe(ctx); err != nil {
		return err
	}
	plan, err := runs.At(runDir).Plan()
	if err != nil {
		return err
	}
	t, err := findTrial(plan, prefix)
	if err != nil {
		return err
	}
	kept := runs.At(runDir).Trial(t.ID)
	if err := kept.Verify(); err != nil {
		return fmt.Errorf("trial %s is not complete: %w", t.ID, err)
	}
	dir, err := os.MkdirTemp("", "infbench-repeat-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	defer usage.BeforeEnd(ctx, func() { os.RemoveAll(dir) })()

	view := newProgressView(stderr, 1, 0)
	job := engine.Job{ID: t.ID, Label: t.Label}
	view.show(engine.Event{Job: job, Kind: engine.Started})
	in := trial.Usual(&t.Cell, func(p engine.Progress) {
		view.show(engine.Event{Job: job, Kind: engine.Progressed, Progress: p})
	})
	in.Machine, in.Remote = machine, remote
	made, err := kept.Provenance()
	if err != nil {
		return err
	}
	if made.Chunk > 0 { // memory ran out with the cell's own
		in.Chunk = made.Chunk
	}
	err = trial.Compute(ctx, runDir, results.At(dir), t, in)
	view.close()
	if err != nil {
		return err
	}
	return compareTrials(stdout, t, kept, results.At(dir))
}

// findTrial finds the only trial whose ID begins with prefix.
func findTrial(plan *spec.Plan, prefix string) (*spec.Trial, error) {
	var found *spec.Trial
	for i := range plan.Trials {
		if !strings.HasPrefix(plan.Trials[i].ID, prefix) {
			continue
		}
		if found != nil {
			return nil, usage.Errorf("trial %q is ambiguous: %s (%s), %s (%s)", prefix, found.ID, found.Label, plan.Trials[i].ID, plan.Trials[i].Label)
		}
		found = &plan.Trials[i]
	}
	if found == nil {
		return nil, usage.Errorf("plan %s has no trial %q; infbench plan lists them", plan.Name, prefix)
	}
	return found, nil
}

// shownDifferences bounds how many differing values are listed.
const shownDifferences = 5

// compareTrials holds two folders of one trial against each other, value by
// value.
func compareTrials(w io.Writer, t *spec.Trial, kept, again results.Folder) error {
	var a, b results.Trial
	if err := kept.Read(&a); err != nil {
		return err
	}
	if err := again.Read(&b); err != nil {
		return err
	}
	differ := results.Differ(a.Results, b.Results)
	for _, text := range differ[:min(len(differ), shownDifferences)] {
		fmt.Fprintln(w, words.Clean(text))
	}
	if len(differ) > 0 {
		return fmt.Errorf("trial %s (%s): %d of %d values differ", t.ID, t.Label, len(differ), len(a.Results))
	}
	fmt.Fprintf(w, "%s  %s: all %d values are the same\n", t.ID, t.Label, len(a.Results))
	return nil
}
