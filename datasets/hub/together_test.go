package hub

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"infbench/internal/endpoint"
)

// together runs a function n times concurrently.
func together(n int, run func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { run(i) })
	}
	all.Wait()
}

// TestFetchTogether: concurrent fetches of one repository into one cache all succeed, and each blob
// is fetched once.
func TestFetchTogether(t *testing.T) {
	for range 20 {
		h := newFakeHub(t, testFiles)
		first, _ := h.client(t)
		clients := []*Client{first}
		for len(clients) < 6 {
			c, _ := h.client(t)
			c.Cache = first.Cache
			clients = append(clients, c)
		}
		together(len(clients), func(i int) {
			if _, locked, err := fetchAll(clients[i]); err != nil || len(locked) != len(testFiles) {
				t.Error(err)
			}
		})
		asked := map[string]int{}
		for _, r := range h.requests {
			if strings.Contains(r, "/resolve/") {
				asked[r]++
			}
		}
		for file, n := range asked {
			if n > 1 {
				t.Errorf("%s was fetched %d times", file, n)
			}
		}
		if _, _, err := first.Local(testRepo); err != nil {
			t.Error(err)
		}
	}
}

// TestChangeLockTogether: no entry of a lock file is lost by concurrent changes.
func TestChangeLockTogether(t *testing.T) {
	for range 20 {
		path := filepath.Join(t.TempDir(), LockFile)
		together(6, func(i int) {
			err := ChangeLock(t.Context(), path, func(l *Lock) error {
				l.PutFolder(LockedFolder{Name: fmt.Sprint("folder", i)})
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
		l, err := ReadLock(path)
		if err != nil || len(l.Folders) != 6 {
			t.Fatalf("%d entries, %v, want 6", len(l.Folders), err)
		}
	}
}

// TestListingThatStalls: a hub that stops in the middle of its listing times out, and is asked
// again.
func TestListingThatStalls(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		fmt.Fprint(w, `{"sha":`)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	c, _ := (&fakeHub{Server: server}).bounded(t, endpoint.Options{Stall: 50 * time.Millisecond, Attempts: 2})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if _, err := c.Resolve(ctx, testRepo); err == nil || errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "nothing came for 50ms") || asked != 2 {
		t.Errorf("asked %d times, %v", asked, err)
	}
}
