package serve

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"infbench/internal/words"
)

// follower looks at a run for all its readers: one look at a time, at intervals that keep its load
// low, and only while there are readers. It keeps the last look.
type follower struct {
	server *Server
	name   string
	run    Run
	boot   string // distinguishes the versions of this follower from those of others
	board  board

	mu      sync.Mutex
	seen    *seen         // never changed; nil before the first look
	news    chan struct{} // closed when seen changes
	looking chan struct{} // closed when the current look ends; nil between looks
	viewers int           // open streams of events
	watched bool          // watch is running
	asked   time.Time
}

// seen is the result of a look.
type seen struct {
	Version int
	State   *State // the last readable state; nil if there was none
	Fault   string // why this look failed
	At      time.Time
	took    time.Duration

	// Cells, Done and Board are the versions in which these last changed: the cells, which of them
	// are done, and the shown board.
	Cells, Done, Board int
}

func newFollower(s *Server, name string, run Run) *follower {
	f := &follower{server: s, name: name, run: run, boot: fmt.Sprintf("%x", time.Now().UnixNano()), news: make(chan struct{}), asked: time.Now()}
	f.board.follower = f
	return f
}

// idle reports whether the run has no readers, and returns the time of the last request.
func (f *follower) idle() (bool, time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.viewers == 0 && f.looking == nil, f.asked
}

func (f *follower) lastAsked() time.Time { _, at := f.idle(); return at }

// lookTime is how long a page waits for a look: a hanging file server must not block pages.
const lookTime = 5 * time.Second

// now returns a recent state of the run.
func (f *follower) now(ctx context.Context) *seen {
	f.mu.Lock()
	f.asked = time.Now()
	known := f.seen
	f.mu.Unlock()
	if known != nil && time.Since(known.At) < f.pace(known) {
		return known
	}
	patience := time.NewTimer(lookTime)
	defer patience.Stop()
	select {
	case <-f.look():
	case <-patience.C:
	case <-ctx.Done():
	}
	known, _ = f.current()
	if known == nil {
		return &seen{At: time.Now(), Fault: "reading its files takes long"}
	}
	return known
}

// current returns the last look, and a channel that is closed at the next one.
func (f *follower) current() (*seen, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seen, f.news
}

// look starts a look, unless one is in progress, and returns a channel that is closed when it ends.
func (f *follower) look() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.looking != nil {
		return f.looking
	}
	f.looking = make(chan struct{})
	go func() {
		began := time.Now()
		state, err := f.lookOnce()
		f.publish(func(last *seen) *seen { return last.after(state, err, time.Since(began)) })
		f.mu.Lock()
		defer f.mu.Unlock()
		close(f.looking)
		f.looking = nil
	}()
	return f.looking
}

// lookOnce asks the run for its state. A panic on broken files becomes an error.
func (f *follower) lookOnce() (state *State, err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = fmt.Errorf("the files of the run cannot be read: %v", broken)
		}
	}()
	return f.run.Look(f.server.ctx)
}

// publish replaces the last look, and wakes waiting readers if anything changed.
func (f *follower) publish(next func(*seen) *seen) {
	f.mu.Lock()
	defer f.mu.Unlock()
	last := f.seen
	if last == nil {
		last = &seen{}
	}
	f.seen = next(last)
	if f.seen.Version != last.Version {
		close(f.news)
		f.news = make(chan struct{})
	}
}

// after returns the look that follows the last one.
func (last *seen) after(state *State, err error, took time.Duration) *seen {
	next := *last
	next.At, next.took, next.Fault = time.Now(), took, ""
	if err != nil {
		next.Fault = words.Clean(err.Error())
		if next.Fault != last.Fault || last.Version == 0 {
			next.Version++
		}
		return &next
	}
	next.State = state
	if was := last.State; was == nil || was.Summary != state.Summary || was.Title != state.Title || last.Fault != "" || !slices.Equal(was.Remarks, state.Remarks) || !slices.Equal(was.Cells, state.Cells) {
		next.Version++
		if was == nil || !slices.Equal(was.Cells, state.Cells) {
			next.Cells = next.Version
		}
		if was == nil || !slices.EqualFunc(was.Cells, state.Cells, sameDone) {
			next.Done = next.Version
		}
	}
	return &next
}

// stateDone is the state of a cell that has its numbers.
const stateDone = "done"

// sameDone reports whether two cells are equal for the board.
func sameDone(a, b Cell) bool {
	return a.ID == b.ID && (a.State == stateDone) == (b.State == stateDone)
}

// Looks at a run use at most the share 1/lookShare of a processor, but there is one at least every
// slowest.
const (
	lookShare = 20
	slowest   = 15 * time.Second
	atRest    = 3 // factor if nothing runs
)

// pace returns how long a look stays valid.
func (f *follower) pace(last *seen) time.Duration {
	every := f.server.options.Every
	if last.State != nil && !last.State.Live || last.Fault != "" {
		every *= atRest
	}
	return min(max(every, lookShare*last.took), max(slowest, every))
}

// enter keeps looking at the run until leave is called.
func (f *follower) enter() (leave func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.viewers++
	if !f.watched {
		f.watched = true
		go f.watch()
	}
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.viewers--
		f.asked = time.Now()
	}
}

// watch looks at the run while it has readers.
func (f *follower) watch() {
	for {
		<-f.look()
		known, _ := f.current()
		f.board.refresh(known)
		select {
		case <-f.server.ctx.Done():
			return // the server ends
		case <-time.After(f.pace(known)):
		}
		if f.over() {
			return
		}
	}
}

// over reports whether the run has no readers left, which ends watching.
func (f *follower) over() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.watched = f.viewers > 0
	return !f.watched
}
