package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"infbench/bench/engine"
	"infbench/bench/results"
	"infbench/bench/spec"
)

func statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status RUN",
		Short: "Tell how far a sweep is, from its files alone",
		Long: `Tell done, failed, running and waiting trials of a run folder apart, from its
files and locks alone: it needs no running sweep and disturbs none.`,
		Example: "  infbench status runs/demo",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return status(cmd.OutOrStdout(), args[0])
		},
	}
}

// status counts the trials by state and lists those that are not done.
func status(w io.Writer, dir string) error {
	plan, err := spec.ReadPlan(filepath.Join(dir, planFile))
	if err != nil {
		return err
	}
	trials, err := trialStates(dir, plan)
	if err != nil {
		return err
	}
	count := map[results.State]int{}
	s := sheet{title: plan.Name, left: 4, head: []string{"trial", "state", "what", "why"}}
	for i, t := range trials {
		count[t.State]++
		if t.State != results.Done {
			why, _, _ := strings.Cut(t.Error, "\n")
			s.rows = append(s.rows, []string{t.ID, string(t.State), plan.Trials[i].Label, why})
		}
	}
	fmt.Fprintf(w, "%s: %d done, %d running, %d failed, %d waiting\n", clean(plan.Name),
		count[results.Done], count[results.Running], count[results.Failed], count[results.Waiting])
	if len(s.rows) == 0 {
		return nil
	}
	return s.writeTable(w)
}

// trialStates tells the state of each trial of a plan, in plan order. A trial
// whose lock is held is running.
func trialStates(dir string, plan *spec.Plan) ([]results.Trial, error) {
	trials := make([]results.Trial, len(plan.Trials))
	for i, t := range plan.Trials {
		trials[i].ID = t.ID
		if err := results.ReadState(filepath.Join(dir, trialsDir, t.ID), &trials[i]); err != nil {
			return nil, err
		}
		if trials[i].State == results.Done {
			continue
		}
		held, err := engine.Held(filepath.Join(dir, locksDir, t.ID))
		if err != nil {
			return nil, err
		}
		if held {
			trials[i].State, trials[i].Error = results.Running, ""
		}
	}
	return trials, nil
}
