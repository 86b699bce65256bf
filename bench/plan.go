package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"infbench/bench/results"
	"infbench/bench/spec"
)

func planCommand() *cobra.Command {
	var runs string
	var diff bool
	cmd := &cobra.Command{
		Use:   "plan FILE",
		Short: "Show the trials of an experiment file without running any",
		Long: `Expand an experiment file, resolve every data revision, and list its trials with
what is there of them already. With --diff only what changed since the plan in the
run folder is listed: + added, - dropped.`,
		Example: "  infbench plan bench/experiments/demo.yaml\n  infbench plan bench/experiments/demo.yaml --diff",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			plan, err := planFrom(args[0])
			if err != nil {
				return err
			}
			dir := filepath.Join(runs, plan.Name)
			if diff {
				return planDiff(cmd.OutOrStdout(), dir, plan)
			}
			return showPlan(cmd.OutOrStdout(), dir, plan)
		},
	}
	cmd.Flags().StringVar(&runs, "runs", "runs", "folder that holds all run folders")
	cmd.Flags().BoolVar(&diff, "diff", false, "list what differs from the plan in the run folder")
	return cmd
}

// showPlan lists every trial with its state.
func showPlan(w io.Writer, dir string, plan *spec.Plan) error {
	states, err := trialStates(dir, plan)
	if err != nil {
		return err
	}
	s := sheet{title: plan.Name, left: 3, head: []string{"trial", "state", "what"}}
	todo := 0
	for i, t := range plan.Trials {
		s.rows = append(s.rows, []string{t.ID, string(states[i].State), t.Label})
		if states[i].State != results.Done {
			todo++
		}
	}
	s.notes = []string{fmt.Sprintf("%d trials, %d to run", len(plan.Trials), todo)}
	return s.writeTable(w)
}

// planDiff lists the trials that only one of two plans has.
func planDiff(w io.Writer, dir string, plan *spec.Plan) error {
	old, err := spec.ReadPlan(filepath.Join(dir, planFile))
	if errors.Is(err, fs.ErrNotExist) {
		old = &spec.Plan{}
	} else if err != nil {
		return err
	}
	changes := 0
	for _, t := range plan.Trials {
		if _, ok := old.Trial(t.ID); !ok {
			fmt.Fprintf(w, "+ %s  %s\n", t.ID, t.Label)
			changes++
		}
	}
	for _, t := range old.Trials {
		if _, ok := plan.Trial(t.ID); !ok {
			fmt.Fprintf(w, "- %s  %s\n", t.ID, t.Label)
			changes++
		}
	}
	if changes == 0 {
		fmt.Fprintf(w, "nothing differs from %s\n", filepath.Join(dir, planFile))
	}
	return nil
}
