package runners

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"infbench/internal/disk"
)

// turnFile is the file in a model's folder that the encoding process locks.
const turnFile = "encoding.lock"

// turnPoll is how often a waiting process checks for its turn.
const turnPoll = 20 * time.Millisecond

// turn lets one caller at a time, over all processes, encode the texts of a model. The kernel
// releases the lock when a process ends for any reason.
type turn struct {
	path string
	mine chan struct{} // has a value while nobody in this process encodes

	mu   sync.Mutex
	file *os.File // nil until the first turn
}

func newTurn(path string) *turn {
	t := &turn{path: path, mine: make(chan struct{}, 1)}
	t.mine <- struct{}{}
	return t
}

// take waits for the turn and returns a function that gives it back. On file systems without
// locks, and in read-only folders, processes do not wait for each other: texts may be encoded
// twice, with the same result.
func (t *turn) take(ctx context.Context) (done func(), err error) {
	select {
	case <-t.mine:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	f := t.open()
	if f == nil {
		return func() { t.mine <- struct{}{} }, nil
	}
	for {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); !errors.Is(err, unix.EWOULDBLOCK) {
			return func() {
				_ = unix.Flock(int(f.Fd()), unix.LOCK_UN)
				t.mine <- struct{}{}
			}, nil
		}
		select {
		case <-time.After(turnPoll):
		case <-ctx.Done():
			t.mine <- struct{}{}
			return nil, ctx.Err()
		}
	}
}

// open opens the file once; nil if that is impossible.
func (t *turn) open() *os.File {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file == nil {
		t.file, _ = disk.OpenInside(filepath.Dir(t.path), filepath.Base(t.path), os.O_CREATE|os.O_RDWR)
	}
	return t.file
}

func (t *turn) close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file == nil {
		return nil
	}
	err := t.file.Close()
	t.file = nil
	return err
}
