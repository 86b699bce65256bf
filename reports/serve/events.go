package serve

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// event is a message of a stream about a run: the versions of its parts. Clients ask for changed
// parts themselves. The server thus keeps nothing for a client, and a slow client only misses
// outdated versions.
type event struct {
	Boot    string         `json:"boot"`
	Parts   map[string]int `json:"parts"`
	Summary string         `json:"summary"`
	Fault   string         `json:"fault"`
	At      string         `json:"at"`
}

// Times of a stream. After heartbeat without an event the server sends a comment, to detect lost
// connections. A client that does not accept an event within slowTime is dropped.
const (
	heartbeat = 15 * time.Second
	slowTime  = 10 * time.Second
	retryTime = 2 * time.Second
)

// id returns the ID of an event for clients.
func (f *follower) id(version int) string { return fmt.Sprintf("%s-%d", f.boot, version) }

// event returns the event of a state.
func (f *follower) event(now *seen) event {
	e := event{Boot: f.boot, Parts: now.parts(), Fault: now.Fault, At: now.At.Format(time.TimeOnly)}
	if now.State != nil {
		e.Summary = now.State.Summary
	}
	return e
}

// parts returns the versions of the parts of pages.
func (n *seen) parts() map[string]int {
	return map[string]int{partHead: n.Version, partCells: max(n.Cells, n.Board), partCurves: n.Cells, partBoard: n.Board, partReport: n.Board}
}

// events streams the versions of a run until the client leaves.
func (s *Server) events(w http.ResponseWriter, r *http.Request, f *follower) {
	select {
	case s.streams <- struct{}{}:
		defer func() { <-s.streams }()
	default:
		w.Header().Set("Retry-After", "10")
		http.Error(w, "too many pages are open", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	if r.Method == http.MethodHead {
		return
	}
	defer f.enter()()
	to := http.NewResponseController(w)
	send := func(text string) bool {
		_ = to.SetWriteDeadline(time.Now().Add(s.slow)) // errors mean that there are no deadlines
		if _, err := w.Write([]byte(text)); err != nil {
			return false
		}
		return to.Flush() == nil
	}
	if !send(fmt.Sprintf("retry: %d\n\n", retryTime.Milliseconds())) {
		return
	}
	has := strings.TrimSpace(r.Header.Get("Last-Event-ID"))
	for {
		now, news := f.current()
		if now != nil && f.id(now.Version) != has {
			text, err := json.Marshal(f.event(now))
			if has = f.id(now.Version); err != nil || !send("id: "+has+"\nevent: look\ndata: "+string(text)+"\n\n") {
				return
			}
		}
		select {
		case <-news:
		case <-time.After(heartbeat):
			if !send(":\n\n") {
				return
			}
		case <-r.Context().Done():
			return
		case <-s.ctx.Done():
			return
		}
	}
}
