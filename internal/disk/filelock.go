package disk

import (
	"context"
	"errors"
	"fmt"

	"os"
	"path/filepath"
	"time"
)

// errHeld says that another process has the lock.
var errHeld = errors.New("locked by another process")

// Pauses between two looks at a lock that another process holds.
const (
	firstPause   = 5 * time.Millisecond
	longestPause = 250 * time.Millisecond
)

// Lock waits until this process alone holds the lock at path, whose folder it makes, or
// until ctx ends. The file stays; release gives the lock back, and so does the kernel when
// the process is killed. The lock is exclusive (flock), as that of Python's filelock, so
// that tools in both languages wait for each other. Who removes the file lets the next one in:
// only its holder may, once nothing is left to protect, just before release.
func Lock(ctx context.Context, path string) (release func() error, err error) {
	if err := MkdirAll(OS{}, filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		f, err := attempt(path)
		if err == nil {
			return f.Close, nil
		}
		if !errors.Is(err, errHeld) {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for %s, which another process holds: %w", path, context.Cause(ctx))
		case <-time.After(pause):
		}
	}
}

// attempt locks a file without waiting. One that was removed before it was locked is not
// the one that others lock.
func attempt(path string) (*os.File, error) {
	f, err := openOwn(path, os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	if err := exclusive(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	mine, err := f.Stat()
	theirs, missing := os.Lstat(path)
	if err == nil && (missing != nil || !os.SameFile(mine, theirs)) {
		err = errHeld
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
