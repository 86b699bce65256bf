package engine

import (
	"bufio"
	"context"
	"encoding/json"
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
)

// Local runs each job as a process of its own on this machine, so that a crash
// or a leak of one trial touches no other.
type Local struct {
	Workers int // jobs at a time, at least 1
	// Command returns the program and arguments of a job.
	Command func(Job) (program string, args []string)
	Env     []string // the environment of every job
	LogDir  string   // receives <job ID>.log: what the job wrote to standard error
}

var _ Engine = (*Local)(nil)

// stopGrace is how long a job may take to save its state after SIGTERM.
const stopGrace = 30 * time.Second

// Run implements Engine.
func (l *Local) Run(ctx context.Context, jobs []Job, report func(Event)) error {
	if err := os.MkdirAll(l.LogDir, 0o755); err != nil {
		return fmt.Errorf("create log folder: %w", err)
	}
	var mu sync.Mutex
	serial := func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		report(e)
	}
	queue := make(chan Job)
	var workers sync.WaitGroup
	for range min(l.Workers, len(jobs)) {
		workers.Go(func() {
			// A child that asked to die with its parent dies with the thread that
			// started it: keep that thread.
			runtime.LockOSThread()
			for job := range queue {
				if ctx.Err() != nil {
					continue // handed over in the moment that ctx ended
				}
				serial(Event{Job: job, Kind: Started})
				switch err := l.runJob(ctx, job, serial); {
				case err == nil:
					serial(Event{Job: job, Kind: Succeeded})
				case ctx.Err() != nil:
					serial(Event{Job: job, Kind: Stopped})
				default:
					serial(Event{Job: job, Kind: Failed, Err: err})
				}
			}
		})
	}
	defer workers.Wait()
	defer close(queue)
	for _, job := range jobs {
		select {
		case queue <- job:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// runJob runs one job to its end; an error carries the last line the job wrote.
func (l *Local) runJob(ctx context.Context, job Job, report func(Event)) error {
	log, err := os.Create(filepath.Join(l.LogDir, job.ID+".log"))
	if err != nil {
		return fmt.Errorf("create log: %w", err)
	}
	defer log.Close()
	program, args := l.Command(job)
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = l.Env
	cmd.Stderr = log
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stopGrace
	cmd.SysProcAttr = childAttributes()
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start trial process: %w", err)
	}
	readProgress(out, func(p Progress) { report(Event{Job: job, Kind: Progressed, Progress: p}) })
	if err := cmd.Wait(); err != nil {
		return jobError(err, log.Name())
	}
	return nil
}

// readProgress passes on the progress lines of a job and drops all else that a
// library may print.
func readProgress(r io.Reader, report func(Progress)) {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		var p Progress
		if json.Unmarshal(lines.Bytes(), &p) == nil && p.Phase != "" {
			report(p)
		}
	}
	io.Copy(io.Discard, r) // a line too long for the scanner must not block the job
}

// jobError words a job's end by the last line of its log.
func jobError(err error, logFile string) error {
	data, readErr := os.ReadFile(logFile)
	text := strings.TrimSpace(string(data))
	if readErr != nil || text == "" {
		return fmt.Errorf("%w (log: %s)", err, logFile)
	}
	last := text[strings.LastIndexByte(text, '\n')+1:]
	return errors.New(strings.TrimPrefix(last, "infbench: "))
}
