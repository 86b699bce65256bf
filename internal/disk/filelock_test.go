package disk_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"infbench/internal/disk"
)

// TestOneAtATime: only one of many waiting processes has a lock at a time, even if a holder removes
// the file just before it frees the lock.
func TestOneAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "folder", "lock")
	var all sync.WaitGroup
	var held, together, counted atomic.Int32
	for range 20 {
		all.Go(func() {
			for range 20 {
				release, err := disk.Lock(t.Context(), path)
				if err != nil {
					t.Error(err)
					return
				}
				if held.Add(1) > 1 {
					together.Add(1)
				}
				held.Add(-1)
				if counted.Add(1)%50 == 0 {
					os.Remove(path) // whoever comes now gets the lock of a new file
				}
				if err := release(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if together.Load() > 0 || counted.Load() != 400 {
		t.Errorf("%d held the lock, %d of them together with another", counted.Load(), together.Load())
	}
}

func TestWaitEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	release, err := disk.Lock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := disk.Lock(ctx, path); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a held lock: %v", err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if release, err = disk.Lock(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	release()
}
