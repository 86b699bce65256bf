package disk_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"infbench/internal/disk"
)

// Of many that want a lock one has it at a time, also where the file is removed
// meanwhile.
func TestOneAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "folder", "lock")
	var all sync.WaitGroup
	held, most, counted := 0, 0, 0
	for range 20 {
		all.Go(func() {
			for range 20 {
				release, err := disk.Lock(t.Context(), path)
				if err != nil {
					t.Error(err)
					return
				}
				held++
				most, counted = max(most, held), counted+1
				if counted%50 == 0 {
					os.Remove(path)
				}
				held--
				if err := release(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if most != 1 || counted != 400 {
		t.Errorf("%d held the lock at a time, %d times in all", most, counted)
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
