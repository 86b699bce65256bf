// Package engine runs trials on this machine or on a cluster. An Engine takes jobs and reports
// their progress and ends; it does not know what a trial computes. Every engine runs the same
// hidden verb `infbench trial` on the same folder.
package engine

import (
	"context"
	"time"

	"infbench/runners/spec"
)

// Job is one trial to run.
type Job struct {
	ID        string
	Label     string
	Resources spec.Resources // its requests to a cluster
}

// Kind is the kind of an event.
type Kind int

// The events of a job, in the order they can come.
const (
	Started Kind = iota
	Progressed
	Succeeded
	Failed
	Stopped   // by the end of ctx or from outside; the job can continue later
	Elsewhere // another process has finished it
	Retried   // failed, and will be tried again after a while
)

// Event reports a change of one job.
type Event struct {
	Job      Job
	Kind     Kind
	Progress Progress // for Progressed
	Err      error    // for Failed and Retried
}

// Progress is one line of a running trial's standard output.
type Progress struct {
	Phase string  `json:"phase"` // "train", "evaluate"
	Done  int     `json:"done"`
	Total int     `json:"total"`
	Loss  float64 `json:"loss,omitempty"`
	Rate  float64 `json:"tokens_per_second,omitempty"`
	From  int     `json:"from,omitempty"`    // Done at the first report of the phase
	Spent float64 `json:"seconds,omitempty"` // since the first report of the phase
}

// Percent is the share of the phase that is done, below 100: the work after the last step takes time,
// too.
func (p Progress) Percent() int { return min(99, 100*p.Done/max(p.Total, 1)) }

// Left estimates the rest of the phase by its own pace; false without any.
func (p Progress) Left() (time.Duration, bool) {
	done := p.Done - p.From
	if done <= 0 || p.Spent <= 0 {
		return 0, false
	}
	each := p.Spent / float64(done)
	return time.Duration(each * float64(p.Total-p.Done) * float64(time.Second)).Round(time.Second), true
}

// State reports whether a job is free to run.
type State int

// States of a job, which another process may have changed in the same folder.
const (
	Free State = iota
	Busy
	Finished
)

// FoundDone is the phase that a trial prints before it ends if another process had finished it
// first and it did nothing.
const FoundDone = "found done"

// Engine runs jobs and calls report for each event, one call at a time. It returns when every
// job has succeeded or failed, here or in another process, or when ctx ends: running jobs are
// then stopped, and jobs that have not begun are left alone. Failed jobs are events, not
// errors.
type Engine interface {
	Run(ctx context.Context, jobs []Job, report func(Event)) error
}
