// Package engine says where trials run. An Engine takes jobs and reports what
// becomes of them; it knows nothing of what a trial computes. Whatever the
// engine, the work is the same hidden verb `infbench trial` on the same folder.
package engine

import (
	"context"

	"infbench/runners/spec"
)

// Job is one trial to run.
type Job struct {
	ID        string
	Label     string
	Resources spec.Resources // what it asks of a cluster
}

// Kind is what an event tells.
type Kind int

// The events of a job, in the order they can come.
const (
	Started Kind = iota
	Progressed
	Succeeded
	Failed
	Stopped   // by the end of ctx or from outside; the job can go on later
	Elsewhere // another process has finished it
	Retried   // failed, and is tried again after a while
)

// Event tells of one job.
type Event struct {
	Job      Job
	Kind     Kind
	Progress Progress // for Progressed
	Err      error    // for Failed and Retried
}

// Progress is a line that a running trial prints on its standard output.
type Progress struct {
	Phase string  `json:"phase"` // "train", "evaluate"
	Done  int     `json:"done"`
	Total int     `json:"total"`
	Loss  float64 `json:"loss,omitempty"`
	Rate  float64 `json:"tokens_per_second,omitempty"`
}

// State says whether a job is there to be run.
type State int

// The states of a job that another process on the same folder can have brought
// about.
const (
	Free State = iota
	Busy
	Finished
)

// FoundDone is the phase in which a trial says, before it ends, that another
// process had finished it first and that it did nothing.
const FoundDone = "found done"

// Engine runs jobs and calls report, one call at a time, for each event. It
// returns when every job has succeeded or failed, here or in another process, or
// when ctx ends: jobs that run are then stopped and those that had not begun are
// left alone. Failed jobs are events, not errors.
type Engine interface {
	Run(ctx context.Context, jobs []Job, report func(Event)) error
}
