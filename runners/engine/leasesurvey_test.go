package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// Whether a lease is alive depends on its process, never on a clock or on missing content.
func TestSurvey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		l := on(dir, "here")
		lease := func(id, content string, age time.Duration) {
			t.Helper()
			path := l.path(id, 1)
			if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
			at := time.Now().Add(-age)
			if err := os.Chtimes(path, at, at); err != nil {
				t.Fatal(err)
			}
		}
		whole := fmt.Sprintf("{\"host\":\"there\",\"pid\":7}\n%020d\n", 3)
		days := 72 * time.Hour
		lease("old", whole, days)
		lease("ahead", whole, -days)
		lease("empty", "", days)
		lease("cut", whole[:9], days)
		lease("no-json", "\x00\x00\x00\x00", days)
		lease("fresh", whole, 0)
		lease("fresh-empty", "", 0)
		if err := os.Mkdir(l.path("folder", 1), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(l.path("folder", 1), time.Now(), time.Now().Add(-days)); err != nil {
			t.Fatal(err)
		}
		// The clock of its host is days behind or ahead, and its heart beats.
		for id, off := range map[string]time.Duration{"behind-alive": days, "ahead-alive": -days} {
			beating := take(t, on(dir, "there"), id)
			defer beating.Release()
			stop := make(chan struct{})
			defer close(stop)
			go func() {
				for {
					select {
					case <-stop:
						return
					case <-time.After(time.Millisecond):
						at := time.Now().Add(-off)
						os.Chtimes(beating.path(), at, at)
					}
				}
			}()
		}
		began := time.Now()
		l.Patience = time.Hour
		l.Beat = 100 * time.Millisecond // how long the surveyor waits depends on it
		found, err := l.Watch().Survey(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("judged %d leases in %v", len(found), time.Since(began))
		for id, alive := range map[string]bool{
			"old": false, "ahead": false, "empty": false, "cut": false, "no-json": false, "folder": false,
			"fresh": true, "fresh-empty": true, "behind-alive": true, "ahead-alive": true,
		} {
			if h, ok := found[id]; !ok || h.Alive != alive {
				t.Errorf("%s: %+v, %v; want alive: %v", id, h, ok, alive)
			}
			if since := found[id].Since; since.After(time.Now()) || id == "ahead" && !since.IsZero() {
				t.Errorf("%s: since %v, which is to come", id, since)
			}
		}

		// A process that takes a trial over waits for its patience at most.
		for _, id := range []string{"old", "ahead", "empty", "cut", "no-json", "folder"} {
			take(t, on(dir, "here"), id).Release()
			if left, _ := filepath.Glob(filepath.Join(dir, id+".*")); len(left) != 0 {
				t.Errorf("%s: left behind %v", id, left)
			}
		}
	})
}
