package serve

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"infbench/internal/testkit"
)

// stream is an open stream of events.
type stream struct {
	t      testing.TB
	lines  chan string
	cancel context.CancelFunc
}

// open listens to the events of the run, as a client with a last event.
func open(t testing.TB, h *httptest.Server, last string) *stream {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	r, _ := http.NewRequestWithContext(ctx, http.MethodGet, h.URL+"/runs/demo/events", nil)
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if kind := answer.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Fatalf("events are %s", kind)
	}
	s := &stream{t, make(chan string, 10_000), cancel}
	go func() {
		defer close(s.lines)
		defer answer.Body.Close()
		for in := bufio.NewScanner(answer.Body); in.Scan(); {
			s.lines <- in.Text()
		}
	}()
	return s
}

// next returns the next event; false if there is none for a while, or the stream has ended.
func (s *stream) next(within time.Duration) (id string, e event, ok bool) {
	s.t.Helper()
	over := time.After(within)
	for {
		select {
		case line, open := <-s.lines:
			if !open {
				return id, e, false
			}
			if found, is := strings.CutPrefix(line, "id: "); is {
				id = found
			}
			if data, is := strings.CutPrefix(line, "data: "); is {
				if err := json.Unmarshal([]byte(data), &e); err != nil {
					s.t.Fatal(err)
				}
				return id, e, true
			}
		case <-over:
			return id, e, false
		}
	}
}

// patience is how long a test waits for a certain event: if a busy machine delays one look, the
// next one waits, too (see follower.pace).
const patience = time.Minute

// until waits for a wanted event.
func (s *stream) until(wanted func(event) bool) (id string, e event) {
	s.t.Helper()
	for range 1000 {
		id, e, ok := s.next(patience)
		if !ok {
			break
		}
		if wanted(e) {
			return id, e
		}
	}
	s.t.Fatal("the event does not come")
	return "", event{}
}

// An event names the changed parts by their versions. A client that reconnects gets the changes
// that it missed, and nothing if it missed none.
func TestEvents(t *testing.T) {
	run := newFake(10)
	server, h := serving(t, run)
	server.share = 0
	s := open(t, h, "")
	id, first := s.until(func(e event) bool { return e.Parts[partBoard] > 0 }) // all parts exist
	if first.Summary == "" || first.Fault != "" || first.Boot == "" || first.Parts[partCells] == 0 {
		t.Fatalf("the first event is %+v", first)
	}
	if id, e, ok := s.next(200 * time.Millisecond); ok {
		t.Fatalf("nothing changed, and event %s says %+v", id, e)
	}
	again := open(t, h, id)
	if id, e, ok := again.next(200 * time.Millisecond); ok {
		t.Errorf("a client that missed nothing is told %s %+v", id, e)
	}
	run.set(func(s *State) { s.Cells[0].Note = "train 50%" })
	for _, c := range []*stream{s, again} {
		c.until(func(e event) bool {
			return e.Parts[partCells] > first.Parts[partCells] && e.Parts[partBoard] == first.Parts[partBoard]
		})
	}
	run.set(func(s *State) { s.Cells[0].State, s.Cells[0].Note = stateDone, "" })
	s.until(func(e event) bool { return e.Parts[partBoard] > first.Parts[partBoard] })
	late := open(t, h, id)
	if _, e, ok := late.next(patience); !ok || e.Parts[partCells] <= first.Parts[partCells] {
		t.Errorf("a client that missed something is told %+v", e)
	}
	for _, strange := range []string{"of-another-server-7", "\t", strings.Repeat("9", 5000)} {
		if _, e, ok := open(t, h, strange).next(patience); !ok || e.Parts[partCells] == 0 {
			t.Errorf("a client of %.20q is told %+v", strange, e)
		}
	}
	run.fail(errGone)
	s.until(func(e event) bool { return e.Fault == errGone.Error() && e.Summary != "" })
	run.fail(nil)
	s.until(func(e event) bool { return e.Fault == "" })
}

// However many readers there are, the run is looked at once, and not at all without readers.
func TestOneLookForAll(t *testing.T) {
	run := newFake(10)
	server, h := serving(t, run)
	server.options.Every = 50 * time.Millisecond
	var all []*stream
	for range 30 {
		all = append(all, open(t, h, ""))
	}
	for _, s := range all {
		s.until(func(e event) bool { return e.Parts[partCells] > 0 })
	}
	began := time.Now()
	before := run.looks.Load()
	for run.looks.Load() < before+3 && time.Since(began) < patience {
		time.Sleep(50 * time.Millisecond)
	}
	n := run.looks.Load() - before
	if most := int64(time.Since(began)/(50*time.Millisecond)) + 1; n < 3 || n > most {
		t.Errorf("%d looks, want 3 to %d", n, most)
	}
	for _, s := range all {
		s.cancel()
	}
	f := server.find("demo")
	watched := func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.watched
	}
	for began := time.Now(); watched() && time.Since(began) < patience; {
		time.Sleep(20 * time.Millisecond)
	}
	idle := run.looks.Load()
	time.Sleep(300 * time.Millisecond)
	if n := run.looks.Load(); n != idle || watched() {
		t.Errorf("nobody looks on, and the run was looked at %d times more", n-idle)
	}
}

// A hanging file server blocks no page, and is asked once.
func TestLookThatHangs(t *testing.T) {
	testkit.Deep(t)
	run := newFake(10)
	server, h := serving(t, run)
	get(t, h, "/runs/demo/?part=head")
	hangs := make(chan struct{})
	defer close(hangs)
	run.mu.Lock()
	run.wait = hangs
	run.mu.Unlock()
	before := run.looks.Load()
	ended := make(chan string, 3)
	for range 3 {
		go func() {
			_, body, _ := get(t, h, "/runs/demo/?part=head")
			ended <- body
		}()
	}
	for range 3 {
		select {
		case body := <-ended:
			if !strings.Contains(body, "a summary") {
				t.Errorf("the page shows %q", body)
			}
		case <-time.After(lookTime + patience):
			t.Fatal("the page waits for ever")
		}
	}
	if n := run.looks.Load() - before; n > 1 {
		t.Errorf("%d looks at what hangs", n)
	}
	server.Close()
}

// A server that ends closes open streams, whatever its time limit for requests.
func TestServeEnds(t *testing.T) {
	s := serverOf(t, newFake(10))
	s.parting = time.Hour
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	client := open(t, &httptest.Server{URL: "http://" + l.Addr().String()}, "")
	client.until(func(e event) bool { return e.Parts[partCells] > 0 })
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Fatal("it does not end")
	}
}

// Connections that never finish a request keep a reader waiting no longer than a request may
// take, and a stream outlasts that time.
func TestUnfinishedRequests(t *testing.T) {
	s := serverOf(t, newFake(3))
	s.connections, s.request = 4, 500*time.Millisecond
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go s.Serve(ctx, l)
	h := &httptest.Server{URL: "http://" + l.Addr().String()}
	reader := open(t, h, "")
	began := time.Now()
	for name, text := range map[string]string{
		"a body that never comes":   "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n",
		"of another site":           "GET / HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 1000\r\n\r\n",
		"a body in pieces":          "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n",
		"a body that is waited for": "PUT / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n",
		"half a header":             "GET / HTTP/1.1\r\nHost: local",
		"nothing":                   "",
	} {
		var held []net.Conn
		for range 2 * s.connections {
			c, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			fmt.Fprint(c, text)
			held = append(held, c)
		}
		asked := time.Now()
		client := http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}
		resp, err := client.Get(h.URL + "/")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		resp.Body.Close()
		if took := time.Since(asked); resp.StatusCode != 200 || took > 10*s.request {
			t.Errorf("%s: status %d after %v", name, resp.StatusCode, took)
		}
		for _, c := range held {
			c.Close()
		}
	}
	time.Sleep(time.Until(began.Add(3 * s.request)))
	reader.until(func(e event) bool { return e.Parts[partCells] > 0 })
	if len(s.streams) != 1 {
		t.Error("the stream ended with the time of a request")
	}
}

// Streams beyond the limit are rejected; streams that end make room.
func TestStreamsAreBounded(t *testing.T) {
	s, h := serving(t, newFake(3))
	s.streams = make(chan struct{}, 1)
	first := open(t, h, "")
	if code, _, header := get(t, h, "/runs/demo/events"); code != http.StatusServiceUnavailable || header.Get("Retry-After") == "" {
		t.Errorf("one stream too many: %d", code)
	}
	first.cancel()
	for began := time.Now(); time.Since(began) < patience; time.Sleep(20 * time.Millisecond) {
		if len(s.streams) == 0 {
			return
		}
	}
	t.Error("a stream that ended takes room")
}

// Memory does not grow with time: neither with readers, nor with a client that reads nothing, which
// is dropped.
func TestMemoryIsBounded(t *testing.T) {
	run := newFake(200)
	server, h := serving(t, run)
	server.slow = 300 * time.Millisecond
	reader := open(t, h, "")
	reader.until(func(e event) bool { return e.Parts[partCells] > 0 })
	deaf, err := net.Dial("tcp", h.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer deaf.Close()
	if err := deaf.(*net.TCPConn).SetReadBuffer(1 << 12); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(deaf, "GET /runs/demo/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
	f := server.find("demo")
	long := strings.Repeat("x", 1<<14)
	updates := func(n int) {
		for i := range n {
			run.set(func(s *State) { s.Cells[i%200].Note = fmt.Sprint("train ", i); s.Summary = fmt.Sprint(i, long) })
			<-f.look()
			for len(reader.lines) > 100 {
				<-reader.lines
			}
		}
	}
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	updates(500)
	before := heap()
	updates(3000)
	if after := heap(); after > before+4<<20 {
		t.Errorf("3,000 updates take %d KiB", (after-before)>>10)
	}
	for began := time.Now(); time.Since(began) < patience; updates(20) {
		f.mu.Lock()
		n := f.viewers
		f.mu.Unlock()
		if n == 1 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Error("a client that reads nothing is not dropped")
}
