package disk

import (
	"context"
	"errors"
	"fmt"

	"os"
	"path/filepath"
	"time"
)

// errHeld means that another process has the lock.
var errHeld = errors.New("locked by another process")

// Pauses between two attempts to get a lock that another process holds.
const (
	firstPause   = 5 * time.Millisecond
	longestPause = 250 * time.Millisecond
)

// Lock waits until only this process holds the lock at path, or until ctx ends. It creates the
// folder of path. The file stays; release frees the lock, and so does the kernel when the process
// is killed. The lock is exclusive (flock), like that of Python's filelock, so that tools in both
// languages wait for each other. Removing the file lets another process in: only the holder may do
// so, just before release, once nothing needs protection any more.
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

// attempt locks a file without waiting. A file that was removed before it was locked does not
// count, since others lock another.
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
