// Package serve shows runs as live pages: cells and their progress, growing curves, and the board
// as it fills. It serves HTTP and reads no files: it asks a Source for runs. It changes nothing,
// answers only requests to a name of this machine, and keeps only the last look at each run,
// however long it runs.
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

// Source finds runs.
type Source interface {
	// Names lists the current runs by the names in pages and addresses.
	Names() ([]string, error)
	// Open returns a run, or nil if there is none of that name.
	Open(name string) Run
}

// Run gives access to a run for readers. It is safe for concurrent use.
type Run interface {
	// Look returns the current state of the run.
	Look(ctx context.Context) (*State, error)
	// Curves returns the curves of a cell's training so far; none if unknown.
	Curves(id string) ([]Curve, error)
	// Detail returns further data of a cell, or nil if there is no such cell.
	Detail(id string) (*Detail, error)
	// Log returns the end of a cell's output, at most most bytes, and the size of the complete
	// output.
	Log(id string, most int64) (end []byte, size int64, err error)
	// Load reads the results so far, with the values of single queries if queries is set.
	Load(ctx context.Context, queries bool) ([]*results.Experiment, reports.Options, error)
	// Query answers a question about single queries. An answer next to an error has the understood
	// part of the question; it is nil if nothing was understood.
	Query(ctx context.Context, asked Question) (*Answer, error)
}

// Question is a question about single queries.
type Question struct {
	ID                  string // ID of one query; "": a list
	Search, Task, Order string
	A, B                string // systems by label
	Reverse             bool
}

// Answer is a list of queries, or the data of one query.
type Answer struct {
	A, B    string // the compared systems; B is "" if there is only one
	Systems []string
	Tasks   []string
	Orders  []string
	Said    string
	Rows    []Queried
	Lines   [][2]string // of one query: name, text
	Section section.Section
}

// Queried is a query in a list, with its values as text.
type Queried struct{ Query, Measure, Text, A, B, Difference string }

// State is a run at one moment.
type State struct {
	Title   string
	Summary string // on one line
	Remarks []string
	Cells   []Cell // in the order of the plan
	Live    bool   // something runs, or will run
}

// Cell is a trial of a run.
type Cell struct{ ID, Label, State, Note string }

// Curve is a series of values over training steps.
type Curve struct {
	Name   string
	Points []Point
	Every  int // number of steps in one point
}

// Point is a value after a step.
type Point struct{ Step, Value float64 }

// Detail is the data of a cell other than its state.
type Detail struct {
	Settings [][2]string
	Error    string   // the complete first error
	Attempts []string // the failed ones
	Repeat   string   // the command that repeats the cell
}

// Options configure a server. The zero value serves loopback.
type Options struct {
	Hosts []string      // names of this machine, besides localhost and its addresses
	Every time.Duration // least time between two looks at a run; default 1 s
}

// Server is an http.Handler that shows the runs of a source.
type Server struct {
	source  Source
	options Options
	pages   pages
	mux     *http.ServeMux

	ctx  context.Context // of all background work
	stop context.CancelFunc
	busy chan struct{} // held by a task that needs a processor for long: one at a time

	connections int           // limit on open connections
	request     time.Duration // requestTime

	streams chan struct{} // held by open streams of events
	slow    time.Duration // time for a client to accept an event
	parting time.Duration // partingTime
	share   int           // boardShare

	mu       sync.Mutex
	followed map[string]*follower
}

// streamsAtMost limits the open streams of events: each visible tab has one.
const streamsAtMost = 100

// connectionsAtMost limits the open connections, if the process may open twice as many files.
const connectionsAtMost = 1024

// Time limits after which a connection is closed.
const (
	requestTime = 10 * time.Second // for a complete request with its body
	idleTime    = 30 * time.Second // between requests
)

// New returns a server, which must be closed. It fails if its own pages are invalid.
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

// Close ends all background work, including streams of events.
func (s *Server) Close() { s.stop() }

// partingTime is the time limit for current requests when the server ends.
const partingTime = 300 * time.Millisecond

// Serve answers on a listener until ctx ends. A client cannot keep others waiting longer than the
// time limits: connections are counted, and reading, writing and waiting have limits.
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

// find returns the follower of a run, or nil if there is no such run. It forgets runs without
// readers if there are too many.
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

// followedAtMost limits the remembered runs without readers.
const followedAtMost = 16

// forgetOne forgets the run without readers that was asked for least recently; it returns false if
// there is none.
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
