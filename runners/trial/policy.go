package trial

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"infbench/datasets/chat"
	"infbench/internal/endpoint"
	"infbench/runners"
	"infbench/runners/engine"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/spec"
	"infbench/training/encoder"
)

// classify decides whether it makes sense to try again after err. It goes by types; it reads
// text only for the errors of backends, which have no types.
func classify(err error) results.Class {
	switch {
	case errors.Is(err, encoder.ErrMemory), errors.Is(err, runners.ErrBudget), errors.Is(err, chat.ErrBudget), errors.Is(err, errNoSmaller):
		return results.Fault // smaller pieces were tried already; the user's own limit
	case errors.Is(err, syscall.ENOMEM), encoder.OutOfMemory(err):
		return results.OutOfMemory
	// Messages of XLA, CUDA and the NVIDIA driver about a lost device.
	case encoder.BackendSays(err, "device lost", "device_lost", "device unavailable", "device_unavailable", "fallen off the bus", "ecc_uncorrectable"),
		refused(err), passes(err), network(err), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return results.Transient
	}
	return results.Fault
}

// refused reports whether an endpoint refused a request that it may accept later.
func refused(err error) bool {
	_, passing := errors.AsType[*endpoint.Passing](err)
	return passing
}

// passes reports whether a language model failed that may answer later.
func passes(err error) bool {
	e, ok := errors.AsType[*chat.Error](err)
	return ok && slices.Contains([]chat.Class{chat.Limited, chat.ServerFault, chat.TimedOut, chat.Unreachable}, e.Class)
}

// network reports whether a connection or a name lookup failed. The interface net.Error is not
// enough: every errno has its methods, even that of a full disk.
func network(err error) bool {
	_, op := errors.AsType[*net.OpError](err)
	_, lookup := errors.AsType[*net.DNSError](err)
	_, request := errors.AsType[*url.Error](err)
	return op || lookup || request
}

// memoryRetries is how often a cell without training is tried again after the kernel killed it
// for memory: its neighbours may have needed the memory then.
const memoryRetries = 2

// errNoSmaller means that the cell cannot be made to need less memory.
var errNoSmaller = errors.New("out of memory")

// smallerChunk returns how many sequences training embeds at a time after it ran out of memory
// so many times: half as many each time. Chunks change the memory in use, not the result
// (GradCache), so the cell stays the same except for rounding.
func smallerChunk(c *spec.Cell, failures int) (int, error) {
	switch {
	case failures == 0, c.Model != spec.Trained && failures <= memoryRetries:
		return c.Train.Chunk, nil
	case c.Model != spec.Trained:
		return 0, fmt.Errorf("%w in %d attempts: there is no training batch to divide; give it more memory, or use fewer --workers", errNoSmaller, failures)
	}
	all := c.Train.Chunk
	if all == 0 {
		all = c.Train.RowsPerGroup * c.Train.Groups // passages
		if !encoder.Interaction(c.Interaction).Crossed() {
			all *= 2 // with queries; if instructions attend to them, each kind has chunks of its own
		}
	}
	if chunk := all >> failures; chunk > 0 {
		return chunk, nil
	}
	return 0, fmt.Errorf("%w: even with one sequence at a time", errNoSmaller)
}

// Limits on retries within one sweep.
const (
	DefaultRetries = 3
	FirstPause     = 2 * time.Second // doubles from one attempt to the next
	longestPause   = time.Minute
)

// Policy decides for the engines whether a failed trial runs again.
type Policy struct {
	run    runs.Folder
	watch  *engine.Watch
	budget int // further attempts at a trial after transient errors
	used   map[string]int
}

// NewPolicy returns the policy for a run with so many further attempts at each trial.
func NewPolicy(run runs.Folder, budget int) *Policy {
	return &Policy{run: run, watch: run.Leases().Watch(), budget: budget, used: map[string]int{}}
}

// Retry decides whether and when a failed trial runs again. It records the failure of a trial
// that died without a record, unless another process has the trial by now, which then decides.
func (p *Policy) Retry(j engine.Job, cause error) (time.Duration, bool) {
	at := p.run.Trial(j.ID)
	f, err := at.Failures().Read()
	if err != nil {
		return 0, false
	}
	if len(f.Attempts) == 0 || f.Retrying { // it left no record of this attempt
		if err := p.run.Mark(p.watch, j.ID, func(at results.Folder) error { return at.Failures().Add(engine.ClassOf(cause), cause) }); err != nil {
			return 0, false
		}
		if f, err = at.Failures().Read(); err != nil {
			return 0, false
		}
	}
	switch f.Attempts[len(f.Attempts)-1].Class {
	case results.OutOfMemory: // bounded by smallerChunk
		return 0, true
	case results.Transient, results.Killed:
		p.used[j.ID]++
		return min(FirstPause<<(p.used[j.ID]-1), longestPause), p.used[j.ID] <= p.budget
	}
	return 0, false
}

// Failures notices if the first trials all fail with the same error. The rest would fail, too,
// so it is better to stop and find the cause.
type Failures struct {
	Most  int // 0: any number
	count int
	text  string
	over  bool // one trial ended differently: no need to watch any more
}

// After records the end of a trial, with a nil err for success, and reports whether to stop.
func (s *Failures) After(j engine.Job, err error) bool {
	if err == nil {
		s.over = true
	}
	if s.over || s.Most == 0 {
		return false
	}
	text := anonymous(j, err.Error())
	if s.count > 0 && text != s.text {
		s.over = true
		return false
	}
	s.text = text
	s.count++
	return s.count >= s.Most
}

// anonymous removes names and numbers from an error, so that two trials that fail for the same
// reason have the same text.
func anonymous(j engine.Job, text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, j.ID, ""), j.Label, "")
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, text)
}
