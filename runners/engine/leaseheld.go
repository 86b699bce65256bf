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
	counter    int64 // where the heartbeat stands in the file
	beating    sync.WaitGroup
	stop       chan struct{}
	lost       chan struct{} // closed once another process has the trial
	forget     func()        // that it is given back should the process be ended early
}

func (l *Lease) path() string { return l.folder.path(l.id, l.generation) }

// create makes the lease file; fs.ErrExist where another process did before.
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
	// One that says nothing, after a loss of power too, would be held by nobody for as long
	// as Patience.
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		err = errors.Join(err, os.Remove(l.path()))
	}
	return err
}

// heartbeat raises the counter until the lease is given back or lost. It writes
// over the same bytes, which works on a full disk too; where it cannot write it
// tries again, and the lease is lost only to another process.
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

// taken says whether another process has followed this one, or somebody removed
// the lease.
func (l *Lease) taken() bool {
	_, own := os.Lstat(l.path())
	_, next := os.Lstat(l.folder.path(l.id, l.generation+1))
	return next == nil || errors.Is(own, fs.ErrNotExist) || errors.Is(own, syscall.ESTALE)
}

// Context returns a context that ends, with ErrLost as its cause, when the lease
// is lost.
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

// giveBack removes the lease file, unless it is another's by now.
func (l *Lease) giveBack() error {
	if l.taken() {
		return nil
	}
	return l.remove()
}

// remove removes the lease file, unless another, that took this process for dead, did.
func (l *Lease) remove() error {
	if err := os.Remove(l.path()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Fence returns a file system that refuses to change anything once the lease is
// lost: a process that was asleep for long and wakes up writes no more. It looks
// each time before something gets its final name.
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
