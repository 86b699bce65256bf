package command

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"infbench/bench/flags"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/metrics/kernel"
	"infbench/runners/catalog"
	"infbench/runners/device"
	"infbench/runners/engine"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/spec"
	"infbench/runners/trial"
)

func repeatCommand() *cobra.Command {
	var machine device.Options
	var remote catalog.RemoteUse
	cmd := &cobra.Command{
		Use:   "repeat RUN TRIAL",
		Short: "Run one trial of a sweep again and compare the numbers",
		Long: `Run one complete trial again, from training on, in a temporary folder, and compare
every per-query value with the one in the run folder, bit for bit. If the processor
supports the kernels that made the trial, they are used. With other kernels (--kernels)
rounding differs, and so may rankings: then means of measures may differ by 0.02. The same
holds on cards, unless both runs had the option deterministic and the same plugin and card.
TRIAL is an ID or the beginning of one, or a label such as uni:P (uni(P)) or "uni(P)
seed=1". The run folder is not changed. Exit code 1 if a value differs.`,
		Example: "  infbench repeat runs/demo 68\n  infbench repeat runs/demo multi:P+I",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return repeat(cmd.Context(), args[0], args[1], machine, remote, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags.Device(cmd, &machine)
	flags.Endpoints(cmd, &remote)
	return cmd
}

// repeat runs a trial again and compares it with the run folder.
func repeat(ctx context.Context, runDir, name string, machine device.Options, remote catalog.RemoteUse, stdout, stderr io.Writer) error {
	if err := machine.Probe(ctx); err != nil {
		return err
	}
	plan, err := runs.At(runDir).Plan()
	if err != nil {
		return err
	}
	t, err := runs.Trial(plan, name)
	if err != nil {
		return err
	}
	kept := runs.At(runDir).Trial(t.ID)
	if err := kept.Marker().Verify(); err != nil {
		return incomplete(runs.At(runDir), t, err)
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
	made, err := kept.Reader().Provenance()
	if err != nil {
		return err
	}
	if made.Chunk > 0 { // memory ran out with the cell's own chunk
		in.Chunk = made.Chunk
	}
	if set := device.KernelsOf(made.Backend); machine.Kernels == "" && set != "" {
		_ = kernel.Use(set) // else the best set there is, which compareTrials reports
	}
	err = trial.Compute(ctx, runDir, results.At(dir), t, in)
	view.close()
	if err != nil {
		return err
	}
	return compareTrials(stdout, t, kept, results.At(dir))
}

// incomplete explains why a trial cannot be repeated: an active sweep may have left it out.
func incomplete(run runs.Folder, t *spec.Trial, err error) error {
	active, bad := run.Rounds().Read()
	if bad == nil && active != nil && active.Chosen()[t.ID] == "" {
		return usage.Errorf("trial %s (%s) was not run: the active sweep did not choose it; the same sweep without --active runs all", t.ID, t.Label)
	}
	return fmt.Errorf("trial %s is not complete: %w", t.ID, err)
}

// shownDifferences is the maximum number of differing values listed.
const shownDifferences = 5

// compareTrials compares two folders of one trial, value by value.
func compareTrials(w io.Writer, t *spec.Trial, kept, again results.Folder) error {
	var a, b results.Trial
	if err := kept.Reader().Trial(&a); err != nil {
		return err
	}
	if err := again.Reader().Trial(&b); err != nil {
		return err
	}
	if roundsOtherwise(&a.Provenance, &b.Provenance) != "" {
		return compareMeans(w, t, &a, &b)
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
