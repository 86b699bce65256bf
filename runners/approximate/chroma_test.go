//go:build chroma

package approximate_test

import (
	"context"
	"errors"
	"os"
	"testing"

	"infbench/runners"
)

// TestChroma uses the server at the address in INFBENCH_CHROMA. An interrupted upload
// continues, existing vectors are used, and the graph finds nearly all documents of the exact
// search, even for vectors without any structure.
func TestChroma(t *testing.T) {
	address := os.Getenv("INFBENCH_CHROMA")
	if address == "" {
		t.Fatal("INFBENCH_CHROMA does not name a server; .ci/chroma/run starts one")
	}
	task, v := world(50, 5_000, 64)
	r, measured := over(t, address, v, runners.Cosine)
	v.stop, v.err = 2_048+100, errors.New("killed")
	if _, err := r.Retrieve(t.Context(), task, 100); !errors.Is(err, v.err) {
		t.Fatal(err)
	}
	v.stop, v.encoded = 0, 0
	first, err := r.Retrieve(t.Context(), task, 100)
	if err != nil {
		t.Fatal(err)
	}
	if want := 5_000 - 2_048 + 5_000; v.encoded != want {
		t.Errorf("%d documents were encoded, want the missing ones and the exact search's, %d", v.encoded, want)
	}
	s := (*measured)[0]
	t.Logf("%+v", s)
	if len(s.Recall.At) != 3 || s.Recall.At[1].Mean < 0.95 || s.Recall.At[2].Mean < 0.9 {
		t.Errorf("recall %+v of random vectors", s.Recall.At)
	}
	again, err := r.Retrieve(t.Context(), task, 100)
	if err != nil {
		t.Fatal(err)
	}
	same(t, again, first)

	deep, err := r.Retrieve(t.Context(), task, 1_000)
	if err != nil || len(deep["q0"]) != 1_000 {
		t.Fatalf("%d documents at a depth of 1,000, %v", len(deep["q0"]), err)
	}
	t.Logf("%+v", (*measured)[2])

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Retrieve(ctx, task, 100); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}
