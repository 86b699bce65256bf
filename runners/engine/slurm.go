package engine

import (
	"context"
	_ "embed"
	"errors"
	"path/filepath"
	"time"
)

// Slurm runs jobs as tasks of array jobs, one array for each wave, on a cluster whose nodes see
// the run folder, the program and the working folder under the same paths. It needs sbatch,
// squeue, scontrol and scancel, and no accounting database.
//
// A trial's folder decides whether its job has succeeded or failed. Slurm is only asked which
// tasks wait, which run, and why one ended without leaving a result. Submissions are recorded
// below Dir, so that another process can follow them if this one dies: jobs continue meanwhile,
// and no job is submitted twice.
//
// At the end of the context the arrays of this run folder, and no others, are cancelled, and
// their trials save their state. With Detach, Run returns ErrDetached once everything that fits
// is submitted.
type Slurm struct {
	Experiment string   // part of the job names
	Program    string   // this program, absolute
	Args       []string // further arguments of its trial verb
	RunDir     string   // absolute
	WorkDir    string   // absolute; trials start here, and the plan's relative paths begin here
	Workers    int      // jobs of one set of resources that run at a time, at least 1
	Trials     Trials
	Detach     bool
	Poll       time.Duration // longest time between two looks at the queue
	Notice     func(string)  // receives messages for the user, for example that a controller is away
}

var _ Engine = (*Slurm)(nil)

// ErrDetached means that jobs were submitted and no process watches them.
var ErrDetached = errors.New("jobs were submitted; the same command watches them")

// DefaultPoll is the longest time between two looks at a queue. It is gentle on a controller
// that serves many users, and trials take minutes to days.
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

// dir returns the folder of the waves.
func (s *Slurm) dir() string { return filepath.Join(s.RunDir, "slurm") }
