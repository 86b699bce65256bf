package serve

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"infbench/internal/words"
)

// follower looks at a run for all who look at it: one look at a time, as often as a look
// is cheap, and only while somebody wants to know. It keeps the last look.
type follower struct {
	server *Server
	name   string
	run    Run
	boot   string // tells the versions of this follower from those of another
	board  board

	mu      sync.Mutex
	seen    *seen         // never changed; nil before the first look
	news    chan struct{} // closed when seen is another
	looking chan struct{} // closed when the look under way ends; nil between looks
	viewers int           // streams of events
	watched bool          // watch goes on
	asked   time.Time
}

// seen is what a look gave.
type seen struct {
	Version int
	State   *State // the last that could be read; nil where none could
	Fault   string // why this look failed
	At      time.Time
	took    time.Duration

	// Cells, Done and Board are the versions in which what they name changed last: the
	// cells, which of them are done, the board that is shown.
	Cells, Done, Board int
}

func newFollower(s *Server, name string, run Run) *follower {
	f := &follower{server: s, name: name, run: run, boot: fmt.Sprintf("%x", time.Now().UnixNano()), news: make(chan struct{}), asked: time.Now()}
	f.board.follower = f
	return f
}

// idle says whether nobody looks at the run, and when somebody did last.
func (f *follower) idle() (bool, time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.viewers == 0 && f.looking == nil, f.asked
}

func (f *follower) lastAsked() time.Time { _, at := f.idle(); return at }

// lookTime is how long a page waits for a look: a file server that hangs must not take the
// page with it.
const lookTime = 5 * time.Second

// now is the run as of a moment ago.
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
		return &seen{At: time.Now(), Fault: "its files are being read; that takes long"}
	}
	return known
}

// current is the last look, and what is closed when there is another.
func (f *follower) current() (*seen, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seen, f.news
}

// look begins to look, unless that is under way, and returns what is closed when it ends.
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

// lookOnce asks the run. What breaks on a broken file breaks one look.
func (f *follower) lookOnce() (state *State, err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = fmt.Errorf("what is there cannot be understood: %v", broken)
		}
	}()
	return f.run.Look(f.server.ctx)
}

// publish puts what was seen in the place of what was before, and tells whoever waits if
// anything changed.
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

// after is what a look makes of the one before.
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

// sameDone says whether two cells are one as far as the board goes.
func sameDone(a, b Cell) bool {
	return a.ID == b.ID && (a.State == stateDone) == (b.State == stateDone)
}

// Looks at a run take at most this share of a processor, and it is looked at this often
// at least.
const (
	lookShare = 20
	slowest   = 15 * time.Second
	atRest    = 3 // times as slow where nothing runs
)

// pace is how long what was seen is good.
func (f *follower) pace(last *seen) time.Duration {
	every := f.server.options.Every
	if last.State != nil && !last.State.Live || last.Fault != "" {
		every *= atRest
	}
	return min(max(every, lookShare*last.took), max(slowest, every))
}

// enter has the run looked at until leave is called.
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

// watch looks on while somebody else does.
func (f *follower) watch() {
	for {
		<-f.look()
		known, _ := f.current()
		f.board.refresh(known)
		select {
		case <-f.server.ctx.Done():
			return // for good
		case <-time.After(f.pace(known)):
		}
		if f.over() {
			return
		}
	}
}

// over says whether nobody looks any more, and watching has ended with that.
func (f *follower) over() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.watched = f.viewers > 0
	return !f.watched
}
