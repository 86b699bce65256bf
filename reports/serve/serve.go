// Package serve shows runs as live pages: cells and their progress, curves as they grow,
// the board as it fills. It serves HTTP and reads no file: it asks a Source for runs. It
// changes nothing, answers only requests to a name of this machine, and keeps only the
// last look at each run, however long it runs.
package serve

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/net/netutil"

	"infbench/reports"
	"infbench/reports/section"
	"infbench/runners/results"
)

// Source is where runs are found.
type Source interface {
	// Names lists the runs that there are now, as they are shown and asked for.
	Names() ([]string, error)
	// Open finds a run, nil where there is none of that name.
	Open(name string) Run
}

// Run is a run as it is looked at from outside. It is safe for concurrent use.
type Run interface {
	// Look tells how far the run is.
	Look(ctx context.Context) (*State, error)
	// Curves are how the training of a cell went so far; none where nothing is known.
	Curves(id string) ([]Curve, error)
	// Detail is all else that is known of a cell; nil of one that there is not.
	Detail(id string) (*Detail, error)
	// Log is the end of what a cell printed, at most so many bytes, and how much it
	// printed in all.
	Log(id string, most int64) (end []byte, size int64, err error)
	// Load reads the results so far; what single queries say, too, where it is asked for.
	Load(ctx context.Context, queries bool) ([]*results.Experiment, reports.Options, error)
	// Query answers what is asked of single queries. What was understood of it is said
	// beside an error too, nil where nothing was.
	Query(ctx context.Context, asked Question) (*Answer, error)
}

// Question is what a reader wants to know of single queries.
type Question struct {
	ID                  string // of one query; "": a list
	Search, Task, Order string
	A, B                string // systems by label
	Reverse             bool
}

// Answer is a list of queries, or what is known of one.
type Answer struct {
	A, B    string // the systems that are compared; B is "" where there is one
	Systems []string
	Tasks   []string
	Orders  []string
	Said    string
	Rows    []Queried
	Lines   [][2]string // of one: what, text
	Section section.Section
}

// Queried is a query of a list, with its values as text.
type Queried struct{ Query, Measure, Text, A, B, Difference string }

// State is a run at one moment.
type State struct {
	Title   string
	Summary string // on one line
	Remarks []string
	Cells   []Cell // in the order of the plan
	Live    bool   // something runs, or will
}

// Cell is a trial of a run.
type Cell struct{ ID, Label, State, Note string }

// Curve is a series of values over training steps.
type Curve struct {
	Name   string
	Points []Point
	Every  int // steps that a point stands for
}

// Point is a value after a step.
type Point struct{ Step, Value float64 }

// Detail is what is known of a cell beside its state.
type Detail struct {
	Settings [][2]string
	Error    string   // the first error, whole
	Attempts []string // that failed
	Repeat   string   // the command that repeats it
}

// Options say how to serve. The zero value serves loopback.
type Options struct {
	Hosts []string      // names by which this machine may be asked for, besides localhost and its addresses
	Every time.Duration // between two looks at a run at least; default 1 s
}

// Server is an http.Handler that shows the runs of a source.
type Server struct {
	source  Source
	options Options
	pages   pages
	mux     *http.ServeMux

	ctx  context.Context // of all that goes on
	stop context.CancelFunc
	busy chan struct{} // of what takes a processor for long: one at a time

	connections int           // that are open at a time, at most
	request     time.Duration // requestTime

	streams chan struct{} // of events that are open
	slow    time.Duration // that a client has to take an event
	parting time.Duration // partingTime
	share   int           // boardShare

	mu       sync.Mutex
	followed map[string]*follower
}

// streamsAtMost is how many streams of events may be open: each tab that is looked at has one.
const streamsAtMost = 100

// connectionsAtMost is how many connections may be open, where the process may have as many
// files again for its own work.
const connectionsAtMost = 1024

// Times after which a connection is closed.
const (
	requestTime = 10 * time.Second // of a request, its body too, until all of it is there
	idleTime    = 30 * time.Second // without a request
)

// New is a server, to be closed. It fails where its own pages are broken.
func New(source Source, o Options) (*Server, error) {
	if o.Every <= 0 {
		o.Every = time.Second
	}
	connections := min(connectionsAtMost, openFiles()/2)
	s := &Server{source: source, options: o, busy: make(chan struct{}, 1), connections: connections, request: requestTime, streams: make(chan struct{}, min(streamsAtMost, connections/2)), slow: slowTime, parting: partingTime, share: boardShare, followed: map[string]*follower{}}
	s.ctx, s.stop = context.WithCancel(context.Background())
	var err error
	if s.pages, err = newPages(); err != nil {
		return nil, err
	}
	s.mux = s.routes()
	return s, nil
}

// Close ends all that goes on, streams of events among it.
func (s *Server) Close() { s.stop() }

// partingTime is how long requests under way may take once the server ends.
const partingTime = 300 * time.Millisecond

// Serve answers on a listener until ctx ends. Whoever may connect can keep others waiting for
// no longer than its times say: connections are counted, and reading, writing and waiting end.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	h := &http.Server{Handler: s, ReadTimeout: s.request, IdleTimeout: idleTime, MaxHeaderBytes: 1 << 16}
	l = netutil.LimitListener(l, s.connections)
	ended := make(chan struct{})
	defer context.AfterFunc(ctx, func() {
		defer close(ended)
		s.Close()
		parting, cancel := context.WithTimeout(context.Background(), s.parting)
		defer cancel()
		if h.Shutdown(parting) != nil {
			h.Close()
		}
	})()
	err := h.Serve(l)
	if errors.Is(err, http.ErrServerClosed) {
		<-ended
		return nil
	}
	return err
}

// find is the follower of a run; nil where there is no such run. Runs that are gone and
// that nobody looks at are forgotten.
func (s *Server) find(name string) *follower {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.followed[name]; f != nil {
		return f
	}
	run := s.source.Open(name)
	if run == nil {
		return nil
	}
	for len(s.followed) >= followedAtMost {
		if !s.forgetOne() {
			break
		}
	}
	f := newFollower(s, name, run)
	s.followed[name] = f
	return f
}

// followedAtMost is how many runs are remembered of which nobody looks at any.
const followedAtMost = 16

// forgetOne forgets the run that was asked for least recently among those that nobody
// looks at; false where there is none.
func (s *Server) forgetOne() bool {
	var oldest *follower
	for _, f := range s.followed {
		if idle, at := f.idle(); idle && (oldest == nil || at.Before(oldest.lastAsked())) {
			oldest = f
		}
	}
	if oldest != nil {
		delete(s.followed, oldest.name)
	}
	return oldest != nil
}
