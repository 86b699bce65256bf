package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"syscall"
	"time"

	"infbench/internal/disk"
)

// Lease is a trial that this process has claimed.
type Lease struct {
	folder     Leases
	id         string
	generation int
	counter    int64 // position of the heartbeat in the file
	beating    sync.WaitGroup
	stop       chan struct{}
	lost       chan struct{} // closed once another process has the trial
	forget     func()        // unregisters the release at an early end of the process
}

func (l *Lease) path() string { return l.folder.path(l.id, l.generation) }

// create creates the lease file. It returns fs.ErrExist if another process did so before.
func (l *Lease) create() error {
	owner, err := json.Marshal(l.folder.Self)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(l.path(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	l.counter = int64(len(owner)) + 1
	_, err = f.Write(fmt.Appendf(owner, "\n%020d\n", 0))
	// An empty lease, which a loss of power could leave, would block the trial for Patience.
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		err = errors.Join(err, os.Remove(l.path()))
	}
	return err
}

// heartbeat raises the counter until the lease is given back or lost. It overwrites the same
// bytes, which works on a full disk, too. If it cannot write it tries again: only another
// process can take the lease away.
func (l *Lease) heartbeat() {
	for n := 1; ; n++ {
		select {
		case <-l.stop:
			return
		case <-time.After(l.folder.beat()):
		}
		if l.taken() {
			close(l.lost)
			return
		}
		if f, err := os.OpenFile(l.path(), os.O_WRONLY, 0); err == nil {
			f.WriteAt(fmt.Appendf(nil, "%020d", n), l.counter)
			f.Close()
		}
	}
}

// taken reports whether another process has taken over the trial, or somebody has removed the
// lease.
func (l *Lease) taken() bool {
	_, own := os.Lstat(l.path())
	_, next := os.Lstat(l.folder.path(l.id, l.generation+1))
	return next == nil || errors.Is(own, fs.ErrNotExist) || errors.Is(own, syscall.ESTALE)
}

// Context returns a context that ends when the lease is lost, with ErrLost as its cause.
func (l *Lease) Context(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-l.lost:
			cancel(ErrLost)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// Release gives the trial back.
func (l *Lease) Release() error {
	if l.forget != nil {
		l.forget()
	}
	close(l.stop)
	l.beating.Wait()
	return l.giveBack()
}

// giveBack removes the lease file, unless it belongs to another process by now.
func (l *Lease) giveBack() error {
	if l.taken() {
		return nil
	}
	return l.remove()
}

// remove removes the lease file. It is not an error if a process that considered this one dead
// has done so.
func (l *Lease) remove() error {
	if err := os.Remove(l.path()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Fence returns a file system that refuses every change once the lease is lost: a process that
// wakes up after a long sleep writes nothing more. It checks each time before a file gets its
// final name.
func (l *Lease) Fence(fsys disk.FS) disk.FS { return fenced{fsys, l} }

type fenced struct {
	disk.FS
	lease *Lease
}

// Create implements disk.FS.
func (f fenced) Create(path string) (disk.File, error) {
	if f.lease.taken() {
		return nil, ErrLost
	}
	return f.FS.Create(path)
}

// Link implements disk.FS.
func (f fenced) Link(path, name string) error {
	if f.lease.taken() {
		return ErrLost
	}
	return f.FS.Link(path, name)
}

// Rename implements disk.FS.
func (f fenced) Rename(from, to string) error {
	if f.lease.taken() {
		return ErrLost
	}
	return f.FS.Rename(from, to)
}

// Remove implements disk.FS.
func (f fenced) Remove(path string) error {
	if f.lease.taken() {
		return ErrLost
	}
	return f.FS.Remove(path)
}

// RemoveAll implements disk.FS.
func (f fenced) RemoveAll(path string) error {
	if f.lease.taken() {
		return ErrLost
	}
	return f.FS.RemoveAll(path)
}
