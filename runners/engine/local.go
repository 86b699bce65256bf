package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"infbench/internal/disk"
	"infbench/internal/usage"
)

// Local runs each job as a separate process on this machine, so that a crash or a leak of one
// trial does not affect others.
type Local struct {
	Workers int // jobs at a time, at least 1
	// Command returns the program and arguments of a job in a slot. Slots count from 0; no two
	// jobs are in one slot at a time.
	Command func(job Job, slot int) (program string, args []string)
	// Stay keeps the process of a slot for the next jobs of the slot: on a card they share its
	// compiled programs. The process reads each job from its standard input (ServeJobs). A job that
	// fails ends it, because a card that failed only recovers in a new process.
	Stay   bool
	Env    []string // the environment of every job
	LogDir string   // receives <job ID>.log with the job's standard error

	// Look returns what other processes have done about a job, just before it would start. nil:
	// every job is free.
	Look func(Job) (State, error)
	// Retry decides whether a failed job runs again, and returns the pause before it. nil:
	// never.
	Retry func(Job, error) (wait time.Duration, again bool)
}

var _ Engine = (*Local)(nil)

// stopGrace is how long a job may take after notice to finish its step and save its state.
const stopGrace = 5 * time.Minute

// lookAgain is how long a job that another process runs is left alone.
const lookAgain = time.Second

// Run implements Engine.
func (l *Local) Run(ctx context.Context, jobs []Job, report func(Event)) error {
	if err := disk.MkdirAll(disk.OS{}, l.LogDir); err != nil {
		return fmt.Errorf("create log folder: %w", err)
	}
	var mu sync.Mutex
	serial := func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		report(e)
	}
	q := newBacklog(jobs)
	var workers sync.WaitGroup
	for slot := range min(l.Workers, len(jobs)) {
		workers.Go(func() {
			// A child that asked to die with its parent dies with the thread that started it:
			// keep that thread.
			runtime.LockOSThread()
			w := &worker{slot: slot}
			defer w.dismiss()
			for {
				job, ok := q.next(ctx)
				if !ok {
					return
				}
				if wait, again := l.attempt(ctx, job, w, serial); again {
					q.later(job, wait)
				} else {
					q.finish()
				}
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}

// attempt runs a job once, unless another process does or did, and reports whether the job has
// to come again.
func (l *Local) attempt(ctx context.Context, job Job, w *worker, report func(Event)) (wait time.Duration, again bool) {
	state, err := l.look(job)
	switch {
	case err != nil:
		report(Event{Job: job, Kind: Started})
		report(Event{Job: job, Kind: Failed, Err: err})
		return 0, false
	case state == Finished:
		report(Event{Job: job, Kind: Elsewhere})
		return 0, false
	case state == Busy:
		return lookAgain, true
	}
	report(Event{Job: job, Kind: Started})
	found := false
	err = l.runJob(ctx, job, w, func(e Event) {
		found = found || e.Progress.Phase == FoundDone
		report(e)
	})
	switch {
	case err == nil && found: // another process finished it between the look and its start
		report(Event{Job: job, Kind: Elsewhere})
	case err == nil:
		report(Event{Job: job, Kind: Succeeded})
	case ctx.Err() == nil && exitCode(err) == usage.ExitStopped && strings.Contains(err.Error(), ErrBusy.Error()):
		report(Event{Job: job, Kind: Stopped}) // another process was faster
		return lookAgain, true
	case ctx.Err() != nil || exitCode(err) == usage.ExitStopped:
		report(Event{Job: job, Kind: Stopped})
	default:
		return l.failed(job, err, report)
	}
	return 0, false
}

// failed ends a job, or returns when it runs again. If another process has taken it over or
// finished it, this failure does not matter.
func (l *Local) failed(job Job, cause error, report func(Event)) (wait time.Duration, again bool) {
	switch state, err := l.look(job); {
	case err != nil:
		cause = errors.Join(cause, err)
	case state == Busy:
		report(Event{Job: job, Kind: Stopped})
		return lookAgain, true
	case state == Finished:
		report(Event{Job: job, Kind: Elsewhere})
		return 0, false
	}
	if l.Retry != nil {
		if wait, again := l.Retry(job, cause); again {
			report(Event{Job: job, Kind: Retried, Err: cause})
			return wait, true
		}
	}
	report(Event{Job: job, Kind: Failed, Err: cause})
	return 0, false
}

func (l *Local) look(job Job) (State, error) {
	if l.Look == nil {
		return Free, nil
	}
	return l.Look(job)
}

// exitCode returns the exit code in an error of runJob; -1 if the process was killed.
func exitCode(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return 0
}

// runJob runs one job to its end. An error contains the last line that the job wrote.
func (l *Local) runJob(ctx context.Context, job Job, w *worker, report func(Event)) error {
	log, before, err := openLog(l.logFile(job))
	if err != nil {
		return err
	}
	defer log.Close()
	kills := memoryKills()
	p := w.kept
	w.kept = nil
	if p == nil {
		if p, err = l.start(ctx, job, w.slot, log); err != nil {
			return err
		}
	}
	if l.Stay {
		p.take(order{job.ID, l.logFile(job)})
	}
	if p.read(func(p Progress) { report(Event{Job: job, Kind: Progressed, Progress: p}) }) {
		w.kept = p
		return nil
	}
	err = p.wait()
	if err == nil && l.Stay {
		return errors.New("its process ended before it")
	}
	if err != nil {
		return jobError(err, l.logFile(job), before, memoryKills()-kills)
	}
	return nil
}

// logFile returns the file for a job's standard error.
func (l *Local) logFile(job Job) string { return filepath.Join(l.LogDir, job.ID+".log") }

// stopSignal returns the signal that corresponds to a context's end: notice, after which a job
// may take stopGrace, or a signal that there is little time.
func stopSignal(ctx context.Context) os.Signal {
	if usage.Unhurried(ctx) {
		return syscall.SIGUSR1
	}
	return syscall.SIGTERM
}

// openLog opens a job's log for appending to the output of earlier attempts. Neither the log
// nor its folder may be a link out of the run folder.
func openLog(path string) (log *os.File, size int64, err error) {
	dir, name := filepath.Split(path)
	if log, err = disk.OpenInside(filepath.Dir(filepath.Clean(dir)), filepath.Join(filepath.Base(dir), name), os.O_WRONLY|os.O_CREATE|os.O_APPEND); err != nil {
		return nil, 0, fmt.Errorf("open log: %w", err)
	}
	if size, err = log.Seek(0, io.SeekEnd); err != nil {
		log.Close()
		return nil, 0, fmt.Errorf("open log: %w", err)
	}
	return log, size, nil
}

// jobError describes a job's end by its output to the log after offset before: the line in
// which Go's runtime gives its reason, else the last line. kills is how many processes of this
// cgroup the kernel killed for memory while it ran.
func jobError(err error, logFile string, before, kills int64) error {
	data, readErr := disk.ReadFile(logFile)
	text := strings.TrimSpace(string(data[min(before, int64(len(data))):]))
	if readErr != nil || text == "" {
		return &processError{fmt.Sprintf("%v (log: %s)", err, logFile), err, causeOf(err, "", kills)}
	}
	line := text[strings.LastIndexByte(text, '\n')+1:]
	for l := range strings.Lines(text) {
		if strings.HasPrefix(l, "fatal error: ") || strings.HasPrefix(l, "panic: ") {
			line = strings.TrimSpace(l)
			break
		}
	}
	if exitCode(err) < 0 { // killed: the last line it wrote does not explain its end
		return &processError{fmt.Sprintf("%v; the last line of %s: %s", err, logFile, line), err, causeOf(err, "", kills)}
	}
	return &processError{strings.TrimPrefix(line, "infbench: "), err, causeOf(err, line, kills)}
}
