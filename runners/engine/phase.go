package engine

import (
	"fmt"

	"infbench/internal/usage"
	"infbench/runners/results"
)

// phase is what Slurm's job states come down to for a cell.
type phase int

const (
	phaseGone      phase = iota // not listed: over for longer than the controller remembers, or lost
	phaseWaiting                // pending, held, or requeued
	phaseRunning                // on a node
	phaseExited                 // the batch script ended by itself, well or not
	phaseTimeout                // the time limit ended it
	phaseMemory                 // the memory limit ended it
	phaseCancelled              // somebody ended it
	phaseDeadline               // its --deadline passed
	phaseRefused                // a Job of Kubernetes gave up on it
	phaseLost                   // the node or a preemption ended it; a new turn may go well
)

// phases maps the states of squeue's %T (the manual's "JOB STATE CODES").
// States that a newer Slurm may add count as running: they are looked at again.
var phases = map[string]phase{
	"PENDING": phaseWaiting, "CONFIGURING": phaseWaiting, "REQUEUED": phaseWaiting, "REQUEUE_HOLD": phaseWaiting,
	"REQUEUE_FED": phaseWaiting, "SPECIAL_EXIT": phaseWaiting, "RESV_DEL_HOLD": phaseWaiting,
	"RUNNING": phaseRunning, "COMPLETING": phaseRunning, "SUSPENDED": phaseRunning, "STOPPED": phaseRunning,
	"SIGNALING": phaseRunning, "STAGE_OUT": phaseRunning, "RESIZING": phaseRunning,
	"COMPLETED": phaseExited, "FAILED": phaseExited,
	"TIMEOUT": phaseTimeout, "OUT_OF_MEMORY": phaseMemory, "CANCELLED": phaseCancelled, "DEADLINE": phaseDeadline,
	"NODE_FAIL": phaseLost, "BOOT_FAIL": phaseLost, "PREEMPTED": phaseLost, "REVOKED": phaseLost, "LAUNCH_FAILED": phaseLost,
}

// phaseOf is the phase of a state as squeue prints it.
func phaseOf(state string) phase {
	if p, ok := phases[state]; ok {
		return p
	}
	return phaseRunning
}

// over says whether Slurm is done with a task.
func (p phase) over() bool { return p != phaseWaiting && p != phaseRunning }

// explain words why a task that is over gave no result; again says whether
// submitting it once more can help without anybody changing anything.
func (p phase) explain(out taskOutput) (reason string, again bool) {
	switch p {
	case phaseTimeout:
		return "the time limit ended it before it could save (Slurm: TIMEOUT); its resources want more time", false
	case phaseMemory:
		return "out of memory: it took more than its resources say (Slurm: OUT_OF_MEMORY)", false
	case phaseCancelled:
		return "cancelled by somebody (Slurm: CANCELLED)", false
	case phaseDeadline:
		return "its deadline passed (Slurm: DEADLINE)", false
	case phaseRefused:
		return "its pods failed as often as the Job allows; kubectl describe tells of them", false
	case phaseLost:
		return "its node failed or it was preempted", true
	case phaseGone:
		return "the cluster no longer knows it, and it left no result", true
	}
	switch {
	case out.silent:
		return "it ended well, but its folder is not complete", false
	case out.code == nil:
		return "the batch script ended before the trial did", true
	case *out.code == usage.ExitStopped:
		return "stopped before it was done", true
	case *out.code > 128:
		return fmt.Sprintf("ended by signal %d", *out.code-128), false
	case *out.code == 0:
		return "ended well, but its folder is not complete", false
	}
	return fmt.Sprintf("exit status %d", *out.code), false
}

// class is the class of the failure that a phase stands for.
func (p phase) class() results.Class {
	switch p {
	case phaseMemory:
		return results.OutOfMemory
	case phaseExited:
		return results.Killed // a trial that lives to tell writes its own
	}
	return results.Fault
}
