// Package engine says where trials run. An Engine takes jobs and reports what
// becomes of them; it knows nothing of what a trial computes. Whatever the
// engine, the work is the same hidden verb `infbench trial` on the same folder.
package engine

import "context"

// Job is one trial to run.
type Job struct {
	ID    string
	Label string
}

// Kind is what an event tells.
type Kind int

// The events of a job, in the order they can come.
const (
	Started Kind = iota
	Progressed
	Succeeded
	Failed
	Stopped // by the end of ctx; the job can go on later
)

// Event tells of one job.
type Event struct {
	Job      Job
	Kind     Kind
	Progress Progress // for Progressed
	Err      error    // for Failed
}

// Progress is a line that a running trial prints on its standard output.
type Progress struct {
	Phase string  `json:"phase"` // "train", "evaluate"
	Done  int     `json:"done"`
	Total int     `json:"total"`
	Loss  float64 `json:"loss,omitempty"`
}

// Engine runs jobs and calls report, one call at a time, for each event. It
// returns when every job has succeeded or failed, or when ctx ends: jobs that
// run are then stopped and those that had not begun are left alone. Failed jobs are events, not errors.
type Engine interface {
	Run(ctx context.Context, jobs []Job, report func(Event)) error
}
