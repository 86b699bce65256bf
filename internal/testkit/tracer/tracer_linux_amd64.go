package tracer

import (
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// Supported returns nil if commands can be traced here, else the reason.
func Supported() error {
	_, err := Run(exec.Command("/bin/true"), Fault{Limit: 10 * time.Second})
	return err
}

// traceOptions let the tracer follow threads and children, distinguish system calls from
// signals, and kill the traced processes when the tracer ends.
const traceOptions = syscall.PTRACE_O_TRACESYSGOOD | syscall.PTRACE_O_TRACECLONE | syscall.PTRACE_O_TRACEFORK |
	syscall.PTRACE_O_TRACEVFORK | syscall.PTRACE_O_TRACEEXEC | ptraceExitKill

// Constants of Linux that package syscall lacks (include/uapi/linux/ptrace.h, wait.h).
const (
	ptraceExitKill = 0x100000
	waitAll        = 0x40000000 // __WALL
	waitOwn        = 0x20000000 // __WNOTHREAD: wait for this thread's children only, not for those of other tests
)

// Run runs a command and breaks one of its calls. Its output must go to files: nothing copies
// it.
func Run(cmd *exec.Cmd, fault Fault) (Outcome, error) {
	type result struct {
		outcome Outcome
		err     error
	}
	ended := make(chan result, 1)
	go func() {
		runtime.LockOSThread() // ptrace ties the tracer to one thread, which ends with this function
		t := tracing{fault: fault, threads: map[int]*thread{}}
		outcome, err := t.run(cmd)
		ended <- result{outcome, err}
	}()
	r := <-ended
	return r.outcome, r.err
}

// Apart runs f in its own thread, so that a command that f starts is not a child of a tracing
// thread, which would receive its exit status in place of f.
func Apart(f func()) {
	var done sync.WaitGroup
	done.Go(func() {
		runtime.LockOSThread()
		f()
	})
	done.Wait()
}

// thread is a traced thread.
type thread struct {
	inside bool   // between the beginning and the end of a call
	gives  *int64 // result that replaces the call's
	dies   bool   // killed at the end of the call
}

// tracing is a traced command.
type tracing struct {
	fault   Fault
	out     Outcome
	main    int
	threads map[int]*thread
	disk    *disk // state of the disk, if the power is to fail
	killed  bool  // killed at a call

	mu      sync.Mutex
	began   time.Time
	sent    time.Time
	overdue bool
	over    bool
}

func (t *tracing) run(cmd *exec.Cmd) (Outcome, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Ptrace = true
	cmd.SysProcAttr.Setpgid = true
	if t.fault.Damage.Power != 0 {
		var err error
		if t.disk, err = newDisk(t.fault.Under); err != nil {
			return Outcome{}, err
		}
		defer t.disk.close()
	}
	t.began = time.Now()
	if err := cmd.Start(); err != nil {
		return Outcome{}, err
	}
	t.main = cmd.Process.Pid
	defer cmd.Process.Release()
	var status syscall.WaitStatus
	if _, err := wait(t.main, &status); err != nil {
		return Outcome{}, fmt.Errorf("trace: %w", err)
	}
	t.threads[t.main] = &thread{}
	if err := errors.Join(syscall.PtraceSetOptions(t.main, traceOptions), syscall.PtraceSyscall(t.main, 0)); err != nil {
		t.kill()
		wait(t.main, &status)
		return Outcome{}, fmt.Errorf("trace: %w", err)
	}
	defer t.plan()()
	for len(t.threads) > 0 {
		tid, err := wait(-1, &status)
		if errors.Is(err, syscall.ECHILD) {
			break
		}
		if err != nil {
			return Outcome{}, fmt.Errorf("trace: %w", err)
		}
		t.step(tid, status)
	}
	if t.disk != nil {
		if err := t.disk.lose(t.fault.Damage.Power); err != nil {
			return Outcome{}, err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	t.out.Took, t.out.Overdue = time.Since(t.began), t.overdue
	if t.out.Sent = !t.sent.IsZero(); t.out.Sent {
		t.out.Lasted = time.Since(t.sent)
	}
	return t.out, nil
}

// wait is wait4, repeated if a signal interrupts it.
func wait(pid int, status *syscall.WaitStatus) (int, error) {
	for {
		got, err := syscall.Wait4(pid, status, waitAll|waitOwn, nil)
		if !errors.Is(err, syscall.EINTR) {
			return got, err
		}
	}
}

// plan sends the signal, and kills processes that exceed the limit.
func (t *tracing) plan() (stop func()) {
	var timers []*time.Timer
	if t.fault.Signal != 0 {
		timers = append(timers, time.AfterFunc(t.fault.After, func() {
			t.mu.Lock()
			defer t.mu.Unlock()
			if t.over {
				return
			}
			if t.sent = time.Now(); t.fault.Signal == syscall.SIGKILL {
				t.kill()
			} else {
				syscall.Kill(t.main, t.fault.Signal)
			}
		}))
	}
	if t.fault.Limit > 0 {
		timers = append(timers, time.AfterFunc(t.fault.Limit, func() {
			t.mu.Lock()
			defer t.mu.Unlock()
			if !t.over {
				t.overdue = true
				t.kill()
			}
		}))
	}
	return func() {
		for _, timer := range timers {
			timer.Stop()
		}
	}
}

// kill kills the command and its process group.
func (t *tracing) kill() { syscall.Kill(-t.main, syscall.SIGKILL) }

// killAll kills the command and all processes that it started, also those in other groups, as
// a power loss would.
func (t *tracing) killAll() {
	t.killed = true
	t.kill()
	for tid := range t.threads {
		syscall.Kill(tid, syscall.SIGKILL)
	}
}

// step handles one stop or the end of a thread.
func (t *tracing) step(tid int, status syscall.WaitStatus) {
	if status.Exited() || status.Signaled() {
		delete(t.threads, tid)
		if tid == t.main {
			if t.out.Code = status.ExitStatus(); status.Signaled() {
				t.out.Code, t.out.Signal = -1, status.Signal()
			}
		}
		return
	}
	th := t.threads[tid]
	deliver := 0
	switch stopped := status.StopSignal(); {
	case th == nil: // a new thread, which begins stopped
		if t.threads[tid] = (&thread{}); t.killed {
			syscall.Kill(tid, syscall.SIGKILL)
		}
	case stopped == syscall.SIGTRAP|0x80:
		t.call(tid, th)
	case stopped == syscall.SIGTRAP: // a new thread, child or program
		if status.TrapCause() == syscall.PTRACE_EVENT_EXEC {
			t.exec(tid)
		}
	default:
		deliver = int(stopped)
	}
	syscall.PtraceSyscall(tid, deliver) // fails if it was killed meanwhile
}

// exec removes the threads that a process had before it became another program.
func (t *tracing) exec(tid int) {
	if former, err := syscall.PtraceGetEventMsg(tid); err == nil && int(former) != tid {
		delete(t.threads, int(former))
	}
	t.threads[tid] = &thread{inside: true} // the call ends next
}

// call handles the beginning and the end of a system call.
func (t *tracing) call(tid int, th *thread) {
	th.inside = !th.inside
	if !th.inside && th.dies {
		t.killAll()
		return
	}
	if !th.inside && th.gives == nil || t.killed {
		return
	}
	var regs syscall.PtraceRegs
	if syscall.PtraceGetRegs(tid, &regs) != nil {
		return
	}
	if !th.inside {
		regs.Rax = uint64(*th.gives)
		th.gives = nil
		syscall.PtraceSetRegs(tid, &regs)
		return
	}
	c, ok := callOf(tid, &regs)
	if !ok {
		return
	}
	if t.fault.counts(c) {
		t.count(tid, th, c, &regs)
	}
	if t.disk != nil && !t.killed && t.fault.under(c.Path) {
		t.disk.note(tid, c, &regs)
	}
}

// count counts a call that a thread is about to make, and breaks it if it is the fault's
// call.
func (t *tracing) count(tid int, th *thread, c Call, regs *syscall.PtraceRegs) {
	t.out.Calls = append(t.out.Calls, c)
	at := len(t.out.Calls)
	if at == t.fault.At {
		t.out.Broken = &c
	}
	if at == t.fault.At || t.fault.Damage.Stays && t.fault.At > 0 && at > t.fault.At {
		t.damage(tid, th, c, regs)
	}
}

// damage breaks the call that a thread is about to make.
func (t *tracing) damage(tid int, th *thread, c Call, regs *syscall.PtraceRegs) {
	var gives int64
	d := t.fault.Damage
	th.dies = d.Kill && d.Part > 0
	switch {
	case d.Kill && !th.dies:
		t.killAll()
		return
	case d.Error != 0:
		gives = -int64(d.Error)
	case d.End:
	case c.Name == "copy_file_range":
		regs.R8 = max(1, uint64(float64(regs.R8)*d.Part))
		syscall.PtraceSetRegs(tid, regs)
		return
	default:
		regs.Rdx = max(1, uint64(float64(regs.Rdx)*d.Part))
		syscall.PtraceSetRegs(tid, regs)
		return
	}
	th.gives = &gives
	regs.Orig_rax = ^uint64(0) // skips the call
	syscall.PtraceSetRegs(tid, regs)
}
