package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"infbench/internal/words"
	"infbench/reports"
	"infbench/reports/chart"
	"infbench/reports/section"
	"infbench/reports/table"
)

// board is the report of an unfinished run. It is built again when cells are done, in the
// background of requests: one report of all runs at a time, and so seldom that a sweep is hardly
// slowed.
type board struct {
	follower *follower

	mu       sync.Mutex
	made     made
	building chan struct{} // closed when the current build ends; nil between builds
}

// made is a built board.
type made struct {
	of    int // version of the done cells; 0 before the first board
	Brief []section.Section
	All   []section.Section
	Said  []string
	Fault string

	scores map[string]string // headline numbers of done cells, by ID
	Done   int
	Cells  int
	At     time.Time
	took   time.Duration
}

// boardShare is the pause after a build, as a multiple of the build's duration.
const boardShare = 5

// current returns the last built board.
func (b *board) current() made {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.made
}

// refresh starts to build the board of a state, unless that board is the current one or another was
// built just before. It returns a channel that is closed when the current build ends, or nil if
// there is none.
func (b *board) refresh(now *seen) <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	due := now.State != nil && b.made.of != now.Done && time.Since(b.made.At) >= time.Duration(b.follower.server.share)*b.made.took
	if b.building != nil || !due {
		return b.building
	}
	ended := make(chan struct{})
	b.building = ended
	go func() {
		defer close(ended)
		m := b.build(now)
		b.mu.Lock()
		b.made, b.building = m, nil
		b.mu.Unlock()
		b.follower.publish(func(last *seen) *seen {
			next := *last
			next.Version++
			next.Board = next.Version
			return &next
		})
	}()
	return ended
}

// build makes the board of a state.
func (b *board) build(now *seen) (m made) {
	m = made{of: now.Done, Cells: len(now.State.Cells), At: time.Now()}
	m.Done = doneOf(now)
	began := time.Now()
	r, err := b.follower.report(b.follower.server.ctx, false)
	if m.took = time.Since(began); err != nil {
		m.Fault = words.Clean(err.Error())
		return m
	}
	m.At, m.Said, m.scores = time.Now(), r.Said(), r.TrialScores()
	for _, s := range r.Brief().Sections {
		for i, t := range s.Tables {
			s.Tables[i] = unlinked(t)
		}
		m.Brief = append(m.Brief, s)
	}
	m.All = unscripted(r.Sections)
	return m
}

// doneOf counts the cells that have their numbers.
func doneOf(now *seen) (n int) {
	for _, c := range now.State.Cells {
		if c.State == stateDone {
			n++
		}
	}
	return n
}

// Unfinished describes how complete a board is; "" if it is complete.
func (m made) Unfinished() string { return unfinishedAt(m.Done, m.Cells, m.At) }

// unfinished describes how complete a run is.
func unfinished(now *seen) string { return unfinishedAt(doneOf(now), len(now.State.Cells), now.At) }

func unfinishedAt(done, cells int, at time.Time) string {
	if done == cells {
		return ""
	}
	said := fmt.Sprintf("%s of %s cells are done, as of %s.", words.Group(done), words.Group(cells), at.Format(time.TimeOnly))
	if done > 0 {
		said += " Numbers and ranks change until all are done."
	}
	return said
}

// boardTime is how long a page waits for its board.
const boardTime = 2 * time.Second

// takeBoard fills in the board; if a new one takes long, it is the previous one.
func (v *view) takeBoard(r *http.Request, f *follower) {
	if ended := f.board.refresh(v.Seen); ended != nil && f.board.current().of == 0 {
		patience := time.NewTimer(boardTime)
		defer patience.Stop()
		select {
		case <-ended:
		case <-patience.C:
		case <-r.Context().Done():
		}
	}
	now, _ := f.current()
	if now != nil {
		v.Parts = now.parts()
	}
	v.Board = f.board.current()
	v.Board.Brief, v.Board.All = refitAll(v.Board.Brief, v.Prefix, v.Live), refitAll(v.Board.All, v.Prefix, v.Live)
}

// refitAll applies refit to each section.
func refitAll(sections []section.Section, prefix string, live bool) (out []section.Section) {
	for _, s := range sections {
		out = append(out, refit(s, prefix, live))
	}
	return out
}

// refit adds a prefix to the IDs of a section, so that the same section fits twice on a page. It
// removes the static drawings of charts that a script draws.
func refit(s section.Section, prefix string, live bool) section.Section {
	s.ID = prefix + s.ID
	s.Tables = slices.Clone(s.Tables)
	for i, t := range s.Tables {
		s.Tables[i] = prefixed(t, prefix)
	}
	s.Figures = slices.Clone(s.Figures)
	for i, f := range s.Figures {
		own := *f
		own.ID, own.Table = prefix+f.ID, prefixed(f.Table, prefix)
		if live && f.Drawing != nil {
			own.Drawing = &chart.Drawing{SVG: []byte(nothing), Width: f.Drawing.Width, Height: f.Drawing.Height}
		}
		s.Figures[i] = &own
	}
	s.Parts = refitAll(s.Parts, prefix, live)
	return s
}

// nothing is an empty drawing, which a chart replaces.
const nothing = `<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>`

// prefixed returns a table with a prefix to its ID.
func prefixed(t *table.Table, prefix string) *table.Table {
	if t == nil {
		return nil
	}
	own := *t
	own.ID = prefix + t.ID
	return &own
}

// report builds the report of a run. A panic on broken files becomes an error. Tasks that need a
// processor for long run one at a time.
func (f *follower) report(ctx context.Context, queries bool) (r *reports.Report, err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = fmt.Errorf("the files of the run cannot be read: %v", broken)
		}
	}()
	select {
	case f.server.busy <- struct{}{}:
		defer func() { <-f.server.busy }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	exps, options, err := f.run.Load(ctx, queries)
	if err != nil {
		return nil, err
	}
	if r, err = reports.Build(exps, options); errors.Is(err, reports.ErrNoTrials) {
		err = errors.New("no cell is done yet")
	}
	return r, err
}

// unscripted removes from sections the places that only the script of a full page fills.
func unscripted(sections []section.Section) (out []section.Section) {
	for _, s := range sections {
		s.Live = ""
		s.Parts = unscripted(s.Parts)
		out = append(out, s)
	}
	return out
}

// unlinked returns a table without links to places on the page of all sections.
func unlinked(t *table.Table) *table.Table {
	out := *t
	out.Rows = slices.Clone(t.Rows)
	for i := range out.Rows {
		out.Rows[i].Entries = slices.Clone(out.Rows[i].Entries)
		for j := range out.Rows[i].Entries {
			out.Rows[i].Entries[j].To = ""
		}
	}
	return &out
}
