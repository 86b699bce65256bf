package command

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"infbench/bench/output"
	"infbench/internal/usage"
	"infbench/runners/catalog"
	"infbench/runners/cost"
	"infbench/runners/device"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/spec"
)

func planCommand() *cobra.Command {
	var o cost.Options
	var narrow narrowing
	cmd := &cobra.Command{
		Use:   "plan FILE",
		Short: "Show the trials of an experiment file and what they need; run none",
		Long: `Expand an experiment file, resolve every data and model revision, list its trials with
their present state, and estimate the time, disk and memory for the rest. Anything missing
on this machine is named with the command that fetches it; a sweep does not start until
everything is there. A cell is marked as "cannot run" if infbench models check finds
errors in its model, or if the model has too few positions for a length.

Times come from finished cells of the same run folder if there are any, else from
records of the same network and device in neighbouring folders of --runs, else from
network and data sizes and a short benchmark of encoding and training steps on the device,
which takes some seconds: tiny networks are timed directly, others by a few layers. The
plan names the source. Finished cells of the run folder that would run again, or are no
longer planned, are counted with the reason: the file changed, or the data did. With
--diff, only the changes since the plan in the run folder are listed: + added, - dropped,
~ altered, with the altered settings.`,
		Example: "  infbench plan bench/experiments/demo.yaml\n  infbench plan bench/experiments/demo.yaml --diff",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !device.OnHost(o.Device) && !cmd.Flags().Changed("workers") {
				o.Workers = 1
			}
			return planVerb(cmd.Context(), args[0], narrow, o, cmd.OutOrStdout())
		},
	}
	narrow.register(cmd)
	f := cmd.Flags()
	f.StringVar(&o.Runs, "runs", "runs", "parent folder of all run folders")
	f.BoolVar(&o.Diff, "diff", false, "list the differences from the plan in the run folder")
	f.IntVar(&o.Workers, "workers", runtime.NumCPU(), "trials at a time, for the memory estimate (default on a card: 1)")
	f.StringVar(&o.Device, "device", device.GoDevice, device.DeviceHelp)
	return cmd
}

// planVerb expands a file and shows it.
func planVerb(ctx context.Context, file string, narrow narrowing, o cost.Options, stdout io.Writer) error {
	if o.Workers < 1 {
		return usage.Errorf("--workers: want at least 1, found %d", o.Workers)
	}
	if _, err := device.BackendConfig(o.Device); err != nil {
		return err
	}
	exp, err := narrow.read(file)
	if err != nil {
		return err
	}
	found := catalog.Gaps{Found: catalog.Revisions{}}
	plan, notes, err := catalog.Expand(exp, found.Resolve)
	if err != nil {
		return err
	}
	if plan, err = narrow.part(plan); err != nil {
		return err
	}
	folder := runs.At(filepath.Join(o.Runs, plan.Name))
	if o.Diff {
		return planDiff(stdout, folder, plan)
	}
	states, err := runs.TrialStates(ctx, folder, plan)
	if err != nil {
		return err
	}
	chosen, err := folder.Rounds().Read()
	if err != nil {
		return err
	}
	changed, err := folder.Changes().Words()
	if err != nil {
		return err
	}
	unfit, faults := unfitTrials(plan, states)
	notes = slices.Concat(plan.Remarks(), changed, chosen.Words(), []string{countTrials(folder, plan, states, unfit)}, notes, faults)
	if defaults := exp.Defaults(plan); defaults != "" {
		notes = append(notes, defaults)
	}
	for _, entry := range exp.IdleExcludes() {
		notes = append(notes, fmt.Sprintf("exclude: entry %d matches no cell of the matrix", entry))
	}
	missing := found.Missing(plan.Trials)
	if len(missing) == 0 {
		old, err := plannedBefore(folder)
		if err != nil {
			notes = append(notes, err.Error())
			old = &spec.Plan{}
		}
		if err := catalog.HoldContents(plan, old); err != nil {
			notes = append(notes, err.Error())
		}
		notes = append(notes, lostCells(folder, old, spec.Diff(old, joined(old, plan)))...)
		needs, err := cost.Estimate(ctx, folder, plan, states, o)
		if err != nil {
			return err
		}
		notes = append(notes, needs...)
	} else {
		notes = append(notes, cost.UnfetchedNeeds(plan)...)
		for _, gap := range missing {
			notes = append(notes, gap.Error())
		}
		notes = append(notes, "a sweep does not start until everything is there; trials get their IDs then")
	}
	return showPlan(stdout, plan, states, unfit, notes)
}

// unfitTrials reports which pending trials cannot run because models check finds errors in
// their models, and lists those errors.
func unfitTrials(plan *spec.Plan, states []results.Trial) (unfit []bool, notes []string) {
	cells := make([]spec.Cell, len(plan.Trials))
	for i := range plan.Trials {
		cells[i] = plan.Trials[i].Cell
	}
	unfit = make([]bool, len(cells))
	for i, fault := range catalog.Unfit(cells) {
		if fault == nil || states[i].State == results.Done {
			continue
		}
		unfit[i] = true
		if text := fault.Error(); !slices.Contains(notes, text) {
			notes = append(notes, text)
		}
	}
	return unfit, notes
}

// showPlan lists every trial with its state.
func showPlan(w io.Writer, plan *spec.Plan, states []results.Trial, unfit []bool, notes []string) error {
	s := output.Sheet{Title: plan.Name, Left: 3, Head: []string{"trial", "state", "what"}, Notes: notes}
	for i, t := range plan.Trials {
		id, state := t.ID, string(states[i].State)
		if unfit[i] {
			state = "cannot run"
		}
		if !t.IsResolved() {
			id, state = "-", "not ready"
		}
		s.Rows = append(s.Rows, []string{id, state, t.Label})
	}
	return s.WriteTable(w)
}

// countTrials counts the trials, those to run, those of these that evaluate a model trained
// before, and those that cannot run.
func countTrials(folder runs.Folder, plan *spec.Plan, states []results.Trial, unfit []bool) string {
	var todo []*spec.Trial
	cannot, trained := "", 0
	if n := len(slices.DeleteFunc(slices.Clone(unfit), func(cannot bool) bool { return !cannot })); n > 0 {
		cannot = fmt.Sprintf(", %d cannot run", n)
	}
	for i := range plan.Trials {
		if !unfit[i] && states[i].State != results.Done && states[i].State != results.Stopped {
			todo = append(todo, &plan.Trials[i])
		}
		if plan.Trials[i].Cell.Model == spec.Trained {
			trained++
		}
	}
	return fmt.Sprintf("%d trials, %d to run%s%s; %d train, %d are baselines", len(plan.Trials), len(todo), trainedBefore(folder, todo), cannot, trained, len(plan.Trials)-trained)
}

// trainedBefore returns a remark on how many trials evaluate a model that exists; "" if there
// are none.
func trainedBefore(folder runs.Folder, trials []*spec.Trial) string {
	n := 0
	for _, t := range trials {
		if trained, err := folder.Weights().AreTrained(t); trained && err == nil {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d with models that were trained before)", n)
}
