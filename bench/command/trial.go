package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"infbench/bench/flags"
	"infbench/internal/disk"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/runners/catalog"
	"infbench/runners/device"
	"infbench/runners/engine"
	"infbench/runners/runs"
	"infbench/runners/trial"
)

// trialCommand is the verb that every engine starts for a trial.
func trialCommand() *cobra.Command {
	var every int
	var within, grace time.Duration
	var machine device.Options
	var remote catalog.RemoteUse
	var listed listedTrial
	var split trial.ShardOptions
	var stay bool
	cmd := &cobra.Command{
		Use:    "trial RUNDIR [ID]",
		Short:  "Run one trial of a plan (what sweep starts for each trial)",
		Hidden: true,
		Args:   cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			usage.Allow(cmd.Context(), grace)
			folder := runs.At(args[0])
			plan, err := folder.Plan()
			if err != nil {
				return err
			}
			out := json.NewEncoder(cmd.OutOrStdout())
			one := func(job string) error {
				id, shard := runs.ParseJob(job)
				t, ok := plan.Trial(id)
				if !ok {
					return fmt.Errorf("plan %s has no trial %s", args[0], id)
				}
				in := trial.Usual(&t.Cell, func(p engine.Progress) { out.Encode(p) })
				in.Machine, in.Remote, in.Every, in.Within, in.Hopeless, in.HeldTo = machine, remote, every, within, trial.NewHopelessWatch(folder, plan, t), runs.HeldTo(plan)
				in.Notice = func(text string) { fmt.Fprintln(cmd.ErrOrStderr(), "infbench: warning:", words.Clean(text)) }
				work := trial.Run
				if in.Split = split; shard.Of > 0 {
					work, in.Split = trial.RunShard, trial.ShardOptions{Of: shard.Of, Only: shard.Number}
				}
				err := work(cmd.Context(), folder, t, in)
				if errors.Is(err, engine.ErrBusy) || err != nil && cmd.Context().Err() != nil {
					return usage.Stopped{Err: err}
				}
				return err
			}
			if stay {
				device.ShareBackends()
				return engine.ServeJobs(cmd.InOrStdin(), out, one)
			}
			job, err := listed.orNamed(args[1:])
			if err != nil {
				return err
			}
			return one(job)
		},
	}
	flags.CachedDevice(cmd, &machine, "folder that keeps vectors of untrained models, or off")
	flags.Search(cmd, &machine)
	flags.Endpoints(cmd, &remote)
	flags.ShardCount(cmd, &split)
	cmd.Flags().BoolVar(&stay, "stay", false, "read trials from standard input, one after another")
	cmd.Flags().StringVar(&listed.file, "cells", "", "file of trial IDs, one on each line, instead of ID")
	cmd.Flags().IntVar(&listed.index, "index", 0, "index of the trial in the file, from 0")
	cmd.Flags().IntVar(&every, "checkpoint-every", trial.CheckpointEvery, "training steps that a killed trial can lose")
	cmd.Flags().DurationVar(&within, "checkpoint-within", trial.CheckpointWithin, "training time that a killed trial can lose, if that is fewer steps")
	cmd.Flags().DurationVar(&grace, "grace", usage.ChildPatience, "time to finish and save the current step after SIGTERM")
	return cmd
}

// listedTrial names a trial by its position in a file: a pod of an Indexed Job knows only its
// index.
type listedTrial struct {
	file  string
	index int
}

// orNamed returns the ID on the command line, or the listed one.
func (l listedTrial) orNamed(args []string) (string, error) {
	if (l.file == "") == (len(args) == 0) {
		return "", usage.Errorf("trial: give either an ID or --cells with --index")
	}
	if len(args) > 0 {
		return args[0], nil
	}
	data, err := disk.ReadFile(l.file)
	if err != nil {
		return "", fmt.Errorf("read the list of cells: %w", err)
	}
	ids := strings.Fields(string(data))
	if l.index < 0 || l.index >= len(ids) {
		return "", usage.Errorf("--index: %s lists %d cells, found %d", l.file, len(ids), l.index)
	}
	return ids[l.index], nil
}
