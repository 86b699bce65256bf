package engine

import (
	"context"
	_ "embed"
	"errors"
	"path/filepath"
	"time"
)

// Slurm runs jobs as tasks of array jobs, one array a wave, on a cluster whose
// nodes see the run folder, the program and the working folder under the same
// paths. It needs sbatch, squeue, scontrol and scancel, and no accounting
// database.
//
// The folder is the truth: a job has succeeded or failed by what its trial
// folder says, and Slurm is asked only what waits, what runs, and why something
// ended without a word. What was submitted is kept below Dir, so that another
// process can follow when this one dies: jobs go on meanwhile, and no job is
// submitted twice.
//
// The end of the context cancels the arrays of this run folder, and no others;
// their trials save their state. With Detach, Run returns ErrDetached once
// everything that fits is submitted.
type Slurm struct {
	Experiment string   // part of the job names
	Program    string   // this program, absolute
	Args       []string // further arguments of its trial verb
	RunDir     string   // absolute
	WorkDir    string   // where trials start, absolute: the plan's relative paths start here
	Workers    int      // jobs of one kind of resources that run at a time, at least 1
	Trials     Trials
	Detach     bool
	Poll       time.Duration // longest time between two looks at the queue
	Notice     func(string)  // told of what the user should know, such as a controller that is away
}

var _ Engine = (*Slurm)(nil)

// ErrDetached says that jobs were handed over and nobody watches them.
var ErrDetached = errors.New("jobs were submitted; the same command watches them")

// DefaultPoll is how often a queue is asked at least: gentle on a controller
// that serves a whole cluster, and trials take minutes to days.
const DefaultPoll = 15 * time.Second

// slurmTask is the batch script of every array.
//
//go:embed slurm_task.sh
var slurmTask []byte

// Run implements Engine.
func (s *Slurm) Run(ctx context.Context, jobs []Job, report func(Event)) error {
	r := &clusterRun{
		scheduler: &slurmClient{Slurm: s},
		tracker:   newTracker(jobs, s.Trials, report),
		title:     "Slurm",
		waveName:  func() string { return newWaveName(s.Experiment) },
		dir:       s.dir(),
		workers:   s.Workers,
		detach:    s.Detach,
		poll:      s.Poll,
		notice:    s.Notice,
	}
	return r.run(ctx)
}

// dir holds the waves.
func (s *Slurm) dir() string { return filepath.Join(s.RunDir, "slurm") }
