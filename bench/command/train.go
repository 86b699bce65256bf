package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"infbench/bench/flags"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/runners/catalog"
	"infbench/runners/device"
	"infbench/runners/engine"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/spec"
	"infbench/runners/trial"
)

func trainCommand() *cobra.Command {
	var o trainOptions
	cmd := &cobra.Command{
		Use:   "train FILE",
		Short: "Train one trial of an experiment file into a HuggingFace folder",
		Long: `Train one encoder without evaluating it. FILE is an experiment file as for
sweep; --set narrows it to one trial. The result is a HuggingFace model folder
for evaluate --model, with the adapter next to it if one was trained.
Interrupted training goes on from its last checkpoint when the same command is
given again; a finished model stays unchanged.

With a key validate, held-out queries judge the weights: every evaluate_every steps
if train sets that (then the best weights are kept), and at the end.

Several devices can share the chunks of a batch (train.chunk, in sequences). The
weights are the same for any number, through XLA except for rounding, and training that
stopped on one number of devices goes on with another. Go devices share the
processors: they only show how it works and save no time.`,
		Example: `  infbench train bench/experiments/demo.yaml --set loss=multi:P+I --set seed=1 --out scratch/multi
  infbench train bench/experiments/demo.yaml --set loss=uni:P --set seed=1 --set validate.measure=nDCG@10 --set train.evaluate_every=50 --set train.patience=3
  infbench evaluate --model scratch/multi/model --data mini-followir
  infbench train bench/experiments/demo.yaml --set loss=multi:P+I --set seed=1 --set train.chunk=32 --devices 2 --out scratch/shared`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return train(cmd.Context(), args[0], o, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringVar(&o.out, "out", "", "output folder (default runs/train/NAME-ID)")
	cmd.Flags().StringArrayVar(&o.settings, "set", nil, "KEY=VALUE instead of the file's value, such as loss=multi:P+I (multi(P,I) needs quotes: 'loss=multi(P,I)'); may be repeated")
	flags.Device(cmd, &o.machine)
	cmd.Flags().IntVar(&o.devices, "devices", 1, "number of devices that share the work of a step")
	return cmd
}

// trainOptions are the flags of train.
type trainOptions struct {
	out      string
	settings []string
	machine  device.Options
	devices  int
}

// train narrows an experiment to one trial and trains it.
func train(ctx context.Context, file string, o trainOptions, stdout, stderr io.Writer) (err error) {
	if o.devices < 1 {
		return usage.Errorf("--devices %d: want at least 1", o.devices)
	}
	if err := o.machine.Probe(ctx); err != nil {
		return err
	}
	exp, err := catalog.ReadFile(file)
	if err != nil {
		return err
	}
	for _, s := range o.settings {
		if err := exp.Set(s); err != nil {
			return err
		}
	}
	if err := catalog.Resolve(exp); err != nil {
		return err
	}
	exp.Baselines = nil
	plan, notes, err := catalog.Expand(exp, catalog.Revisions{}.Resolve)
	if err != nil {
		return err
	}
	if len(plan.Trials) != 1 {
		return usage.Errorf("%s has %d cells; choose one with --set (%s", file, len(plan.Trials), axisHint(exp))
	}
	t := &plan.Trials[0]
	out := o.out
	if out == "" {
		out = runs.In("train", plan.Name+"-"+t.ID)
	}
	ctx, at, err := runs.ClaimOutput(ctx, out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, at.Release()) }()
	if taken, err := at.Training().Begin(t.WriteYAML); err != nil {
		return err
	} else if taken != "" {
		return usage.Errorf("output folder %s %s; name another with --out", at.Dir, taken)
	}
	if ended, err := at.Training().Ended(); err != nil {
		return err
	} else if ended {
		return printTrained(stdout, at.Folder)
	}
	for _, note := range notes {
		fmt.Fprintln(stderr, "note:", words.Clean(note))
	}
	view := newProgressView(stderr, 1, 0)
	job := engine.Job{ID: t.ID, Label: t.Label}
	view.show(engine.Event{Job: job, Kind: engine.Started})
	in := trial.Usual(&t.Cell, func(p engine.Progress) {
		view.show(engine.Event{Job: job, Kind: engine.Progressed, Progress: p})
	})
	in.Machine, in.Devices = o.machine, o.devices
	_, err = trial.Train(ctx, t, at.Folder, in)
	view.close()
	if err != nil {
		return err
	}
	// The model is finished and the checkpoint is no longer needed.
	if err := at.Scratch().DropCheckpoint(); err != nil {
		return fmt.Errorf("remove checkpoint: %w", err)
	}
	if err := at.Training().Finish(); err != nil {
		return err
	}
	return printTrained(stdout, at.Folder)
}

// printTrained lists the files that training left in a folder.
func printTrained(w io.Writer, at results.Folder) error {
	what, paths := at.Trained()
	for i := range what {
		if _, err := fmt.Fprintf(w, "%s: %s\n", what[i], paths[i]); err != nil {
			return err
		}
	}
	return nil
}

// axisHint names the axes of an experiment that still have several values.
func axisHint(e *spec.Experiment) string {
	var keys, settings []string
	for _, a := range e.Axes {
		if len(a.Values) < 2 {
			continue
		}
		keys = append(keys, fmt.Sprintf("%s has %d values", a.Key, len(a.Values)))
		if value, ok := a.Values[0].Settings()[a.Key]; ok {
			settings = append(settings, " --set "+usage.Setting(a.Key, value))
		}
	}
	return strings.Join(keys, ", ") + "), as in" + strings.Join(settings, "")
}
