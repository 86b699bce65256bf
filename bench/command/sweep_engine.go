package command

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"infbench/bench/flags"
	"infbench/internal/nearest"
	"infbench/internal/usage"
	"infbench/runners/device"
	"infbench/runners/engine"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/trial"
)

// engineOptions are the flags of sweep that choose where trials run.
type engineOptions struct {
	engine string
	detach bool
	poll   time.Duration

	kubernetes kubernetesOptions
}

// engines are the values of --engine.
var engines = []string{"local", "slurm", "kubernetes"}

func (o *engineOptions) register(cmd *cobra.Command) {
	set := cmd.Flags()
	set.StringVar(&o.engine, "engine", "local", "where trials run: local (processes of this machine), slurm (array jobs) or kubernetes (Indexed Jobs); clusters are asked for the file's resources")
	set.BoolVar(&o.detach, "detach", false, "slurm: submit and leave; the same command without it watches")
	set.DurationVar(&o.poll, "poll", engine.DefaultPoll, "longest time between two looks at a cluster's queue")
	flags.Group(set, flags.ClusterFlags, func() { o.kubernetes.register(cmd) })
}

func (o *engineOptions) check() error {
	switch {
	case !slices.Contains(engines, o.engine):
		return usage.Error{Err: nearest.Unknown("engine", o.engine, engines)}
	case o.detach && o.engine != "slurm":
		return usage.Errorf("--detach is for --engine slurm")
	case o.poll < time.Second/10:
		return usage.Errorf("--poll: want at least 100ms, found %v", o.poll)
	case o.engine == "kubernetes":
		return o.kubernetes.check()
	case o.kubernetes != kubernetesOptions{program: o.kubernetes.program}:
		return usage.Errorf("--dry-run, --apply, --image, --namespace, --claim, --mount and --run-as are for --engine kubernetes")
	}
	return nil
}

// newEngine makes the engine for a run folder. notice shows a line to the user.
func (o sweepOptions) newEngine(folder runs.Folder, jobs int, notice func(string)) (engine.Engine, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	switch o.where.engine {
	case "slurm":
		return o.newSlurm(self, folder, notice)
	case "kubernetes":
		return o.newKubernetes(folder, notice)
	}
	workers := min(o.workers, jobs)
	return &engine.Local{
		Workers: workers,
		Command: o.trialProcess(self, folder.Dir, workers),
		Stay:    o.stay(),
		Look:    lookAt(folder),
		Retry:   trial.NewPolicy(folder, o.retries).Retry,
		Env:     append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", max(1, runtime.NumCPU()/workers))),
		LogDir:  folder.Logs(),
	}, nil
}

// lookAt returns a function that reports what other processes have done with the trials of a
// run.
func lookAt(folder runs.Folder) func(engine.Job) (engine.State, error) {
	watch := folder.Leases().Watch()
	return func(j engine.Job) (engine.State, error) {
		if at := folder.Trial(j.ID); at.Marker().Verify() == nil || at.Halt().IsSet() {
			return engine.Finished, nil
		}
		if _, held, err := watch.Holder(j.ID); held || err != nil {
			return engine.Busy, err
		}
		return engine.Free, nil
	}
}

// newSlurm makes the engine. Its tasks start in this working folder, so that relative paths
// of a plan mean the same on a node as here.
func (o sweepOptions) newSlurm(self string, folder runs.Folder, notice func(string)) (engine.Engine, error) {
	work, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("find the working folder: %w", err)
	}
	full, err := filepath.Abs(folder.Dir)
	if err != nil {
		return nil, err
	}
	args, err := o.clusterArgs()
	if err != nil {
		return nil, err
	}
	return &engine.Slurm{
		Experiment: filepath.Base(full),
		Program:    self,
		Args:       args,
		RunDir:     full,
		WorkDir:    work,
		Workers:    o.workers,
		Trials:     o.trials(folder, full),
		Detach:     o.where.detach,
		Poll:       o.where.poll,
		Notice:     notice,
	}, nil
}

// clusterArgs are the flags of a trial on a node. The trial finds out the node's memory
// itself, unless --memory was given.
func (o sweepOptions) clusterArgs() ([]string, error) {
	args := slices.Concat([]string{"--device", o.machine.Device}, o.machine.KernelArgs(), o.checkpointArgs(), o.remote.Args(), o.machine.BlocksArgs(), o.split.CountArgs())
	if o.machine.Memory != 0 {
		args = append(args, "--memory", o.machine.Memory.String())
	}
	if o.machine.CacheFolder() == "" {
		return append(args, "--cache", device.NoCache), nil
	}
	cache, err := filepath.Abs(o.machine.CacheFolder())
	if err != nil {
		return nil, err
	}
	return append(args, "--cache", cache), nil
}

// trials defines how a cluster engine follows the trials of a run folder; full is the
// folder's absolute path on the nodes.
func (o sweepOptions) trials(folder runs.Folder, full string) engine.Trials {
	there := runs.At(full)
	watch := there.Leases().Watch()
	return engine.Trials{
		Folder: there.Trial,
		Mark: func(id string, change func(results.Folder) error) error {
			return there.Mark(watch, id, change)
		},
		Log:   there.Log,
		Look:  lookAt(folder),
		Retry: trial.NewPolicy(folder, o.retries).Retry,
	}
}
