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

// classify returns whether it makes sense to try again what failed with err. It goes by
// types: only the errors of backends, which have none, are read as text.
func classify(err error) results.Class {
	switch {
	case errors.Is(err, encoder.ErrMemory), errors.Is(err, runners.ErrBudget), errors.Is(err, chat.ErrBudget), errors.Is(err, errNoSmaller):
		return results.Fault // smaller pieces were tried already; the user's own limit
	case errors.Is(err, syscall.ENOMEM), encoder.OutOfMemory(err):
		return results.OutOfMemory
	// What XLA, CUDA and the NVIDIA driver say of a device that went away.
	case encoder.BackendSays(err, "device lost", "device_lost", "device unavailable", "device_unavailable", "fallen off the bus", "ecc_uncorrectable"),
		refused(err), passes(err), network(err), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return results.Transient
	}
	return results.Fault
}

// refused reports whether an endpoint refused what it may accept another time.
func refused(err error) bool {
	_, passing := errors.AsType[*endpoint.Passing](err)
	return passing
}

// passes says whether a language model failed that may answer another time.
func passes(err error) bool {
	e, ok := errors.AsType[*chat.Error](err)
	return ok && slices.Contains([]chat.Class{chat.Limited, chat.ServerFault, chat.TimedOut, chat.Unreachable}, e.Class)
}

// network says whether a connection or a look-up of a name failed. Every errno has
// the methods of net.Error, a full disk too, so that interface says nothing.
func network(err error) bool {
	_, op := errors.AsType[*net.OpError](err)
	_, lookup := errors.AsType[*net.DNSError](err)
	_, request := errors.AsType[*url.Error](err)
	return op || lookup || request
}

// memoryRetries is how often a cell that trains nothing is tried again after the
// kernel took its memory: its neighbours may have needed it then.
const memoryRetries = 2

// errNoSmaller says that less memory cannot be asked for.
var errNoSmaller = errors.New("out of memory")

// smallerChunk is how many sequences training embeds at a time after it ran out
// of memory so many times: half as many each time. Chunks change what is held at
// a time, not what is computed (GradCache), so the cell stays the same but for
// rounding.
func smallerChunk(c *spec.Cell, failures int) (int, error) {
	switch {
	case failures == 0, c.Model != spec.Trained && failures <= memoryRetries:
		return c.Train.Chunk, nil
	case c.Model != spec.Trained:
		return 0, fmt.Errorf("%w in %d attempts: nothing is trained that could be cut smaller; give it more, or fewer --workers", errNoSmaller, failures)
	}
	all := c.Train.Chunk
	if all == 0 {
		all = c.Train.RowsPerGroup * c.Train.Groups // passages
		if !encoder.Interaction(c.Interaction).Crossed() {
			all *= 2 // and queries beside them; where instructions attend to those, each kind has chunks of its own
		}
	}
	if chunk := all >> failures; chunk > 0 {
		return chunk, nil
	}
	return 0, fmt.Errorf("%w: it does so even with one sequence at a time", errNoSmaller)
}

// Bounds of trying again within one sweep.
const (
	DefaultRetries = 3
	FirstPause     = 2 * time.Second // doubles from one attempt to the next
	longestPause   = time.Minute
)

// Policy decides for the engines whether a trial that failed runs again.
type Policy struct {
	run    runs.Folder
	watch  *engine.Watch
	budget int // further attempts a trial after transient errors
	used   map[string]int
}

// NewPolicy is the policy for a run with so many further attempts a trial.
func NewPolicy(run runs.Folder, budget int) *Policy {
	return &Policy{run: run, watch: run.Leases().Watch(), budget: budget, used: map[string]int{}}
}

// Retry says whether and when a trial that failed runs again. A trial that died
// without a word gets its mark here, unless another process has it by now: then that
// says what becomes of it.
func (p *Policy) Retry(j engine.Job, cause error) (time.Duration, bool) {
	at := p.run.Trial(j.ID)
	f, err := at.Failures().Read()
	if err != nil {
		return 0, false
	}
	if len(f.Attempts) == 0 || f.Retrying { // it left no word of this attempt
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

// Failures notices that the first trials to end all failed alike: then the
// rest would too, and time is better spent on finding out why.
type Failures struct {
	Most  int // 0: any number
	count int
	text  string
	over  bool // one trial was different: no longer the first ones
}

// After takes in the end of a trial, err being nil where it succeeded, and says
// whether to stop.
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

// anonymous drops from an error what differs between two trials that fail for
// the same reason: names and numbers.
func anonymous(j engine.Job, text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, j.ID, ""), j.Label, "")
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, text)
}
