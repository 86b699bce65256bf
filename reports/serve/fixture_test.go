package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"infbench/internal/testkit/reportstest"
	"infbench/reports"
	"infbench/reports/section"
	"infbench/runners/results"
)

// fakeRun is a run whose state a test sets. It counts its calls.
type fakeRun struct {
	looks, loads, logs atomic.Int64

	mu    sync.Mutex
	state *State
	err   error
	exp   *results.Experiment
	wait  chan struct{} // a look waits for it; nil: it does not wait
}

func (r *fakeRun) set(change func(*State)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	next := *r.state
	next.Cells = append([]Cell(nil), r.state.Cells...)
	change(&next)
	r.state = &next
}

func (r *fakeRun) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = err
}

func (r *fakeRun) Look(ctx context.Context) (*State, error) {
	r.looks.Add(1)
	r.mu.Lock()
	wait := r.wait
	r.mu.Unlock()
	if wait != nil {
		select {
		case <-wait:
		case <-ctx.Done():
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil && r.err.Error() == "panic" {
		panic("a broken file")
	}
	return r.state, r.err
}

func (r *fakeRun) Curves(id string) ([]Curve, error) {
	var c Curve
	for step := 1.0; step <= 60; step++ {
		c.Points = append(c.Points, Point{step, 1 / step})
	}
	loss, term := c, c
	loss.Name, term.Name = "loss", termPrefix+"P"
	return []Curve{loss, term}, nil
}

func (r *fakeRun) Detail(id string) (*Detail, error) {
	return &Detail{Settings: [][2]string{{"loss", hostileText}}, Error: hostileText, Attempts: []string{hostileText, "again"}, Repeat: hostileText}, nil
}

func (r *fakeRun) Log(id string, most int64) ([]byte, int64, error) {
	r.logs.Add(1)
	return []byte(hostileText + "\x1b[31m"), int64(len(hostileText)), nil
}

func (r *fakeRun) Load(context.Context, bool) ([]*results.Experiment, reports.Options, error) {
	r.loads.Add(1)
	return []*results.Experiment{r.exp}, reports.Options{}, nil
}

func (r *fakeRun) Query(_ context.Context, asked Question) (*Answer, error) {
	a := &Answer{A: hostileText, B: "b", Systems: []string{hostileText, "b"}, Tasks: []string{hostileText}, Orders: []string{"A"}, Said: hostileText}
	if asked.Search == "nothing" {
		return a, errGone
	}
	if asked.ID == "" {
		a.Rows = []Queried{{hostileText, hostileText, hostileText, "1", "2", "3"}}
		return a, nil
	}
	a.Lines = [][2]string{{hostileText, hostileText}}
	a.Section = section.Section{ID: "q", Title: hostileText, Notes: []string{hostileText}}
	return a, nil
}

// hostileText tries to break out of any context.
const hostileText = `"><script>alert(1)</script><img src=x onerror=alert(2)>'` + "`" + `{{.}} javascript:alert(3) </script><!--`

// hostileName is the name of a run.
const hostileName = `a/../b?x#y"><script>alert(4)</script>`

// fakeSource has one run under two names.
type fakeSource struct{ run *fakeRun }

func (s fakeSource) Names() ([]string, error) { return []string{"demo", hostileName}, nil }

func (s fakeSource) Open(name string) Run {
	if name == "demo" || name == hostileName {
		return s.run
	}
	return nil
}

// newFake returns a run with the given number of cells. In each five cells one runs, one failed,
// one is done, and two wait.
// one is done, and two wait.
func newFake(cells int) *fakeRun {
	r := &fakeRun{state: &State{Title: "demo " + hostileText, Summary: "a summary " + hostileText, Remarks: []string{hostileText}, Live: true}, exp: reportstest.Small()}
	for i := range cells {
		state := []string{"running", "failed", "done", "waiting", "waiting"}[i%5]
		r.state.Cells = append(r.state.Cells, Cell{fmt.Sprintf("%016x", i), fmt.Sprintf("uni(P) seed=%d %s", i, hostileText), state, "note " + hostileText})
	}
	return r
}

// serving starts a server of a run, with a connection to it.
func serving(t testing.TB, run *fakeRun) (*Server, *httptest.Server) {
	t.Helper()
	s, err := New(fakeSource{run}, Options{Every: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s)
	t.Cleanup(func() {
		s.Close()
		h.CloseClientConnections()
		h.Close()
	})
	return s, h
}

// get requests an address and reads the answer.
func get(t testing.TB, h *httptest.Server, path string, change ...func(*http.Request)) (code int, body string, header http.Header) {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, h.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range change {
		c(r)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(data), answer.Header
}

var errGone = errors.New("the folder is not there")
