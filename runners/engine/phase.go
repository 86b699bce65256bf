package engine

import (
	"fmt"

	"infbench/internal/usage"
	"infbench/runners/results"
)

// phase is a simplified state of a cell's task, from Slurm's job states.
type phase int

const (
	phaseGone      phase = iota // not listed: lost, or ended longer ago than the controller remembers
	phaseWaiting                // pending, held, or requeued
	phaseRunning                // on a node
	phaseExited                 // the batch script exited, with any status
	phaseTimeout                // the time limit ended it
	phaseMemory                 // the memory limit ended it
	phaseCancelled              // a user or administrator ended it
	phaseDeadline               // its --deadline passed
	phaseRefused                // a Kubernetes Job gave up on it
	phaseLost                   // the node or a preemption ended it; another attempt may succeed
)

// phases maps the states of squeue's %T (the manual's "JOB STATE CODES"). States of a newer
// Slurm count as running, so they are looked at again.
var phases = map[string]phase{
	"PENDING": phaseWaiting, "CONFIGURING": phaseWaiting, "REQUEUED": phaseWaiting, "REQUEUE_HOLD": phaseWaiting,
	"REQUEUE_FED": phaseWaiting, "SPECIAL_EXIT": phaseWaiting, "RESV_DEL_HOLD": phaseWaiting,
	"RUNNING": phaseRunning, "COMPLETING": phaseRunning, "SUSPENDED": phaseRunning, "STOPPED": phaseRunning,
	"SIGNALING": phaseRunning, "STAGE_OUT": phaseRunning, "RESIZING": phaseRunning,
	"COMPLETED": phaseExited, "FAILED": phaseExited,
	"TIMEOUT": phaseTimeout, "OUT_OF_MEMORY": phaseMemory, "CANCELLED": phaseCancelled, "DEADLINE": phaseDeadline,
	"NODE_FAIL": phaseLost, "BOOT_FAIL": phaseLost, "PREEMPTED": phaseLost, "REVOKED": phaseLost, "LAUNCH_FAILED": phaseLost,
}

// phaseOf returns the phase of a state as squeue prints it.
func phaseOf(state string) phase {
	if p, ok := phases[state]; ok {
		return p
	}
	return phaseRunning
}

// over reports whether Slurm is done with a task.
func (p phase) over() bool { return p != phaseWaiting && p != phaseRunning }

// explain returns why a finished task left no result. again reports whether a new submission
// can help without a change by the user.
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

// class returns the class of failure that a phase means.
func (p phase) class() results.Class {
	switch p {
	case phaseMemory:
		return results.OutOfMemory
	case phaseExited:
		return results.Killed // a trial that survives writes its own
	}
	return results.Fault
}
