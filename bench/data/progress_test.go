package data

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"infbench/datasets/hub"
)

// TestFetchIsNotSilent checks that a fetch prints its step and failed attempts.
func TestFetchIsNotSilent(t *testing.T) {
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "busy/revision/main") {
			http.Error(w, "later", http.StatusServiceUnavailable)
			return
		}
		time.Sleep(200 * time.Millisecond)
		http.NotFound(w, r)
	}))
	defer slow.Close()
	t.Setenv("HF_ENDPOINT", slow.URL)
	t.Setenv("HF_HUB_CACHE", t.TempDir())
	t.Chdir(t.TempDir())
	for id, want := range map[string]string{"org/slow": "waiting for the file list of org/slow, 0s", "org/busy": "503 Service Unavailable; attempt 1 of 6"} {
		var out bytes.Buffer
		o := Options{lock: hub.LockFile}
		f, err := o.Fetcher(&out, &out)
		if err != nil {
			t.Fatal(err)
		}
		f.progress.silence = 20 * time.Millisecond
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		if err := f.Fetch(ctx, hub.Repo{Kind: hub.Dataset, ID: id}, nil); err == nil || !strings.Contains(out.String(), want) {
			t.Errorf("%s: %v, printed\n%s, want %q", id, err, out.String(), want)
		}
		cancel()
	}
}
