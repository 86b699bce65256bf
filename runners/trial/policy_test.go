package trial

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"syscall"
	"testing"

	"infbench/internal/endpoint"
	"infbench/runners/engine"
	"infbench/runners/results"
	"infbench/runners/spec"
	"infbench/training/encoder"
)

func backend(text string) error { return encoder.OfBackend(errors.New(text)) }

// The texts are those of XLA, CUDA, the NVIDIA driver and net/http.
func TestClassify(t *testing.T) {
	for _, c := range []struct {
		err  error
		want results.Class
	}{
		{errors.New("loss is NaN at step 7"), results.Fault},
		{errors.New(`unknown loss "uni(Q)"`), results.Fault},
		{backend("RESOURCE_EXHAUSTED: Out of memory while trying to allocate 4294967296 bytes"), results.OutOfMemory},
		{backend("PJRT error (code=8): Allocation of 4294967296 bytes on device ordinal 0 was refused"), results.OutOfMemory},
		{backend("PJRT error (code=13): CUBLAS_STATUS_ALLOC_FAILED"), results.OutOfMemory},
		{backend("PJRT error (code=13): a bug"), results.Fault},
		{backend("CUDA_ERROR_OUT_OF_MEMORY: out of memory"), results.OutOfMemory},
		{fmt.Errorf("train: %w", syscall.ENOMEM), results.OutOfMemory},
		{fmt.Errorf("evaluate: %w", encoder.ErrMemory), results.Fault}, // batches were halved to one text already
		{fmt.Errorf("ask endpoint: %w", &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}), results.Transient},
		{fmt.Errorf("read: %w", syscall.ECONNRESET), results.Transient},
		{fmt.Errorf("read answer: %w", io.ErrUnexpectedEOF), results.Transient},
		{fmt.Errorf("gave up: %w", &endpoint.Passing{Err: &endpoint.Status{Code: 429, Said: "slow down"}}), results.Transient},
		{&endpoint.Passing{Err: &endpoint.Status{Code: 503, Said: "busy"}}, results.Transient},
		{&endpoint.Status{Code: 429, Said: "insufficient_quota"}, results.Fault},
		{&endpoint.Status{Code: 401, Said: "who are you"}, results.Fault},
		{backend("INTERNAL: device lost"), results.Transient},
		{backend("Xid 79: GPU has fallen off the bus"), results.Transient},
		{fmt.Errorf("write: %w", syscall.ENOSPC), results.Fault},
		// The text of a cause in a file's name, or in another error, does not count.
		{&fs.PathError{Op: "open", Path: "/data/out of memory/corpus.jsonl", Err: fs.ErrNotExist}, results.Fault},
		{errors.New(`open "failed to allocate.yaml": no such file`), results.Fault},
		{fmt.Errorf("read RESOURCE_EXHAUSTED: %w", backend("INTERNAL: a bug")), results.Fault},
		{errors.New("unknown system \"device lost\""), results.Fault},
		{errors.New("line 7: status 503 is no score"), results.Fault},
		{&fs.PathError{Op: "read", Path: "status 429", Err: syscall.EIO}, results.Fault},
	} {
		if got := classify(c.err); got != c.want {
			t.Errorf("classify(%q) = %s, want %s", c.err, got, c.want)
		}
	}
}

// Out of memory halves the chunk until it cannot be halved.
func TestSmallerChunk(t *testing.T) {
	c := spec.DefaultCell()
	c.Train.RowsPerGroup, c.Train.Groups = 6, 1
	for failures, want := range []int{0, 6, 3, 1} {
		if got, err := smallerChunk(&c, failures); got != want || err != nil {
			t.Errorf("after %d failures: %d, %v; want %d", failures, got, err, want)
		}
	}
	if _, err := smallerChunk(&c, 4); classify(err) != results.Fault {
		t.Errorf("after 4 failures: %v, want a fault", err)
	}
	c.Train.Chunk = 5
	if got, err := smallerChunk(&c, 1); got != 2 || err != nil {
		t.Errorf("half of 5: %d, %v", got, err)
	}
	// Passages, instructions and queries have chunks of their own.
	c.Interaction, c.Train.Chunk = string(encoder.CrossAttention), 0
	for failures, want := range []int{0, 3, 1} {
		if got, err := smallerChunk(&c, failures); got != want || err != nil {
			t.Errorf("cross-attention after %d failures: %d, %v; want %d", failures, got, err, want)
		}
	}
	if _, err := smallerChunk(&c, 3); classify(err) != results.Fault {
		t.Errorf("cross-attention after 3 failures: %v, want a fault", err)
	}
}

// A baseline has no chunk to halve: it is not tried forever.
func TestMemoryOfABaseline(t *testing.T) {
	c := spec.Cell{Model: "untrained"}
	for failures := range memoryRetries + 1 {
		if _, err := smallerChunk(&c, failures); err != nil {
			t.Errorf("after %d failures: %v", failures, err)
		}
	}
	if _, err := smallerChunk(&c, memoryRetries+1); err == nil || classify(err) != results.Fault {
		t.Errorf("after %d failures: %v, want a fault", memoryRetries+1, err)
	}
}

func TestSameFailures(t *testing.T) {
	job := func(i int) engine.Job {
		return engine.Job{ID: fmt.Sprint("id", i), Label: fmt.Sprint("uni(P) seed=", i)}
	}
	alike := func(i int) error { return fmt.Errorf("trial id%d: no such file: data-%d", i, i) }
	for _, c := range []struct {
		name string
		most int
		errs []error
		want int // after which failure the sweep stops; 0: never
	}{
		{"alike", 3, []error{alike(0), alike(1), alike(2), alike(3)}, 3},
		{"odd ones", 3, []error{alike(0), errors.New("other"), alike(2), alike(3), alike(4)}, 0},
		{"after a success", 2, []error{nil, alike(1), alike(2), alike(3)}, 0},
		{"switched off", 0, []error{alike(0), alike(1), alike(2)}, 0},
	} {
		s, stopped := Failures{Most: c.most}, 0
		for i, err := range c.errs {
			if s.After(job(i), err) && stopped == 0 {
				stopped = i + 1
			}
		}
		if stopped != c.want {
			t.Errorf("%s: stopped after %d, want %d", c.name, stopped, c.want)
		}
	}
}
