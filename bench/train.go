package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"infbench/bench/engine"
	"infbench/bench/results"
	"infbench/bench/spec"
)

func trainCommand() *cobra.Command {
	var out string
	var settings []string
	cmd := &cobra.Command{
		Use:   "train FILE",
		Short: "Train one cell of an experiment file into a HuggingFace folder",
		Long: `Train one encoder without evaluating it. FILE is an experiment file as sweep
takes it; --set narrows it to one cell. The result is a HuggingFace model folder
that evaluate takes as --model. Interrupted training goes on from its last
checkpoint when the same command is given again.`,
		Example: `  infbench train bench/experiments/demo.yaml --set 'loss=multi(P,I)' --set seed=1 --out scratch/multi
  infbench evaluate --model scratch/multi/model --data mini-followir`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return train(cmd.Context(), args[0], settings, out, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "output folder (default runs/train/NAME-ID)")
	cmd.Flags().StringArrayVar(&settings, "set", nil, "KEY=VALUE instead of what the file says; may be repeated")
	return cmd
}

// train narrows an experiment to one trained cell and trains it.
func train(ctx context.Context, file string, settings []string, out string, stdout, stderr io.Writer) error {
	exp, err := spec.ReadFile(file, known())
	if err != nil {
		return err
	}
	for _, s := range settings {
		if err := exp.Set(s, known()); err != nil {
			return err
		}
	}
	exp.Baselines = nil
	plan, err := exp.Expand(revisions{}.resolve)
	if err != nil {
		return err
	}
	if len(plan.Trials) != 1 {
		return usagef("%s describes %d cells; name one with --set (%s)", file, len(plan.Trials), axisHint(exp))
	}
	t := &plan.Trials[0]
	if out == "" {
		out = filepath.Join("runs", "train", plan.Name+"-"+t.ID)
	}
	unlock, err := engine.Lock(filepath.Join(out, ".lock"))
	if err != nil {
		return err
	}
	defer unlock()
	view := newProgressView(stderr, 1, 0)
	job := engine.Job{ID: t.ID, Label: t.Label}
	view.show(engine.Event{Job: job, Kind: engine.Started})
	_, err = trainEncoder(ctx, &t.Cell, out, func(p engine.Progress) {
		view.show(engine.Event{Job: job, Kind: engine.Progressed, Progress: p})
	})
	view.close()
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "model: %s\ncurve: %s\n", filepath.Join(out, results.ModelDir), filepath.Join(out, results.CurveFile))
	return nil
}

// axisHint names the axes of an experiment that still have several values.
func axisHint(e *spec.Experiment) string {
	var keys []string
	for _, a := range e.Axes {
		if len(a.Values) > 1 {
			keys = append(keys, fmt.Sprintf("%s has %d values", a.Key, len(a.Values)))
		}
	}
	return strings.Join(keys, ", ")
}
