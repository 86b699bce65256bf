package engine

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"infbench/internal/usage"
)

// A worker runs jobs in a slot, and may keep its process for the next one.
type worker struct {
	slot int
	kept *process
}

// dismiss ends the kept process: no more jobs come.
func (w *worker) dismiss() {
	if w.kept != nil {
		w.kept.orders.Close()
		w.kept.read(func(Progress) {})
		w.kept.wait()
	}
}

// A process runs the job of its command line, or jobs in turn.
type process struct {
	cmd    *exec.Cmd
	orders io.WriteCloser // nil if it runs the job of its command line
	out    io.Reader
	lines  *bufio.Scanner // of out
	undo   func()
}

// An order tells a process to run a job. It is a line of JSON on its standard input.
type order struct {
	Job string `json:"job"`
	Log string `json:"log"` // the file for its standard error from now on
}

// ended is the phase with which a process that stays reports the end of a job without an error.
const ended = "ended"

// start starts the process of a job in a slot. log receives its standard error.
func (l *Local) start(ctx context.Context, job Job, slot int, log *os.File) (*process, error) {
	program, args := l.Command(job, slot)
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = l.Env
	cmd.Stderr = log
	cmd.Cancel = func() error { return cmd.Process.Signal(stopSignal(ctx)) }
	cmd.WaitDelay = stopGrace
	cmd.SysProcAttr = childAttributes()
	p := &process{cmd: cmd}
	var err error
	if p.out, err = cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	if l.Stay {
		if p.orders, err = cmd.StdinPipe(); err != nil {
			return nil, err
		}
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start trial process: %w", err)
	}
	p.lines = bufio.NewScanner(p.out)
	// Kill its process group, which includes the processes that it started.
	p.undo = usage.BeforeEnd(ctx, func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	return p, nil
}

// take sends an order. If the process has died, reading its output shows that.
func (p *process) take(o order) { json.NewEncoder(p.orders).Encode(o) }

// read passes on the progress lines of a job and drops everything else, which libraries may print.
// stays is false at the end of the output, and true if the process waits for its next job.
func (p *process) read(report func(Progress)) (stays bool) {
	for p.lines.Scan() {
		var line Progress
		if json.Unmarshal(p.lines.Bytes(), &line) != nil || line.Phase == "" {
			continue
		}
		if line.Phase == ended && p.orders != nil {
			return true
		}
		report(line)
	}
	io.Copy(io.Discard, p.out) // a line too long for the scanner must not block the job
	return false
}

// wait waits for the end of the process.
func (p *process) wait() error {
	defer p.undo()
	return p.cmd.Wait()
}

// ServeJobs is the side of the process for Local.Stay: it reads orders, runs each job and reports
// its end to out, until in ends or a job fails. Standard error goes to the log of the job.
func ServeJobs(in io.Reader, out *json.Encoder, run func(job string) error) error {
	orders := json.NewDecoder(in)
	for {
		var o order
		if err := orders.Decode(&o); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("read the next job: %w", err)
		}
		log, _, err := openLog(o.Log)
		if err == nil {
			err = redirectErrors(log)
			log.Close()
		}
		if err != nil {
			return fmt.Errorf("write to %s: %w", filepath.Base(o.Log), err)
		}
		if err := run(o.Job); err != nil {
			return err
		}
		awaitFinalizers()
		if err := out.Encode(Progress{Phase: ended}); err != nil {
			return err
		}
	}
}

// awaitFinalizers waits until finalizers have returned the memory that a job had on a device.
func awaitFinalizers() {
	for range 2 { // what a finalizer lets go may have one, too
		done := make(chan struct{})
		last := new([64]byte)
		runtime.SetFinalizer(last, func(*[64]byte) { close(done) })
		runtime.GC()
		select {
		case <-done:
		case <-time.After(time.Second):
		}
	}
}
