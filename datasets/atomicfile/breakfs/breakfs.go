// Package breakfs is a file system for tests that breaks at one chosen operation,
// as disks and power supplies do. It changes real files, so that everything that
// reads sees what a process would see after the crash.
//
// It is no kinder than POSIX lets a disk be: content is safe when the file was synced
// and a name when its folder was synced since, so that a file is lost with the name of
// any folder above it. Two things it leaves out, which no disk does to files that are
// only appended to: sectors of zeros, and bytes that were cut off and come back.
package breakfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"infbench/datasets/atomicfile"
)

// Mode says how the chosen operation breaks.
type Mode int

// The ways to break.
const (
	// Refuse fails one operation with "no space left on device"; all others work.
	Refuse Mode = iota
	// Tear does half of a write, half of the removal of a tree, and nothing of any
	// other operation; then the process is dead: nothing works any more. What was done
	// before stays.
	Tear
	// Empty is Tear after which files have no content that was not synced, but
	// their names.
	Empty
	// Forget is Empty, and names are as they were when the folder was synced last.
	Forget
)

func (m Mode) String() string {
	return []string{"refuse", "tear", "empty", "forget"}[m]
}

// Modes are all ways to break.
func Modes() []Mode { return []Mode{Refuse, Tear, Empty, Forget} }

// ErrDead is what every operation after a crash returns.
var ErrDead = errors.New("the process is dead")

// FS breaks at one operation. It serves one goroutine at a time in order; use by
// several is safe, but which operation breaks is then theirs to fight out.
type FS struct {
	at   int // which operation breaks, from 1; 0: none
	mode Mode

	mu    sync.Mutex
	count int
	dead  bool
	disk  disk
}

var _ atomicfile.FS = (*FS)(nil)

// New makes a file system that breaks at an operation, counted from 1; at 0 it
// never breaks. trash is a folder of the test's, on the same disk.
func New(at int, mode Mode, trash string) *FS {
	return &FS{at: at, mode: mode, disk: disk{trash: trash, nodes: map[string]*node{}}}
}

// Count is how many operations there were.
func (f *FS) Count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count
}

// Dead says whether the process died: the operation came that was to break, and in a way
// that nobody outlives.
func (f *FS) Dead() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.dead
}

// do counts an operation and does it, or breaks when its time has come; half is what a
// torn operation still does.
func (f *FS) do(half func(), whole func() error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dead {
		return ErrDead
	}
	if f.count++; f.count != f.at {
		return whole()
	}
	if f.mode == Refuse {
		return syscall.ENOSPC
	}
	if half != nil {
		half()
	}
	f.dead = true
	return errors.Join(ErrDead, f.lose())
}

// lose does to the disk what the mode says.
func (f *FS) lose() error {
	switch f.mode {
	case Empty:
		return f.disk.loseContent()
	case Forget:
		return f.disk.lose()
	}
	return nil
}

// PowerLoss lets the power fail now, between two operations.
func (f *FS) PowerLoss() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dead = true
	return f.disk.lose()
}

// Mkdir implements atomicfile.FS.
func (f *FS) Mkdir(dir string) error {
	return f.do(nil, func() error {
		return f.disk.name(dir, func() error { return os.Mkdir(dir, 0o755) })
	})
}

// Create implements atomicfile.FS.
func (f *FS) Create(path string) (made atomicfile.File, err error) {
	err = f.do(nil, func() error {
		made, err = f.create(path)
		return err
	})
	return made, err
}

func (f *FS) create(path string) (atomicfile.File, error) {
	var real *os.File
	err := f.disk.name(path, func() (err error) {
		real, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &file{f, real, f.disk.fresh(path)}, nil
}

// Append implements atomicfile.FS.
func (f *FS) Append(path string, from int64) (opened atomicfile.File, err error) {
	err = f.do(nil, func() error {
		opened, err = f.append(path, from)
		return err
	})
	return opened, err
}

func (f *FS) append(path string, from int64) (atomicfile.File, error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return f.create(path)
	}
	n := f.disk.at(path)
	real, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return nil, err
	}
	if err := real.Truncate(from); err != nil {
		return nil, errors.Join(err, real.Close())
	}
	n.body.synced = min(n.body.synced, from)
	return &file{f, real, n.body}, nil
}

// Link implements atomicfile.FS.
func (f *FS) Link(path, name string) error {
	return f.do(nil, func() error {
		first := f.disk.at(path)
		if err := f.disk.name(name, func() error { return os.Link(path, name) }); err != nil {
			return err
		}
		f.disk.at(name).body = first.body
		return nil
	})
}

// Symlink implements atomicfile.FS.
func (f *FS) Symlink(target, name string) error {
	return f.do(nil, func() error {
		return f.disk.name(name, func() error { return os.Symlink(target, name) })
	})
}

// Rename implements atomicfile.FS.
func (f *FS) Rename(from, to string) error {
	return f.do(nil, func() error { return f.disk.rename(from, to) })
}

// Remove implements atomicfile.FS.
func (f *FS) Remove(path string) error {
	return f.do(nil, func() error { return f.disk.remove(path) })
}

// RemoveAll implements atomicfile.FS.
func (f *FS) RemoveAll(path string) error {
	return f.do(func() { f.disk.removeHalf(path) }, func() error {
		if _, err := os.Lstat(path); err != nil {
			return nil // there is nothing
		}
		return f.disk.away(path)
	})
}

// SyncDir implements atomicfile.FS.
func (f *FS) SyncDir(dir string) error {
	return f.do(nil, func() error {
		if _, err := os.ReadDir(dir); err != nil {
			return err
		}
		clear(f.disk.at(dir).was)
		return nil
	})
}

// file is a file of a file system that breaks.
type file struct {
	fs   *FS
	real *os.File
	body *body
}

// Write implements atomicfile.File.
func (w *file) Write(p []byte) (n int, err error) {
	err = w.fs.do(func() { w.real.Write(p[:len(p)/2]) }, func() error {
		n, err = w.real.Write(p)
		return err
	})
	return n, err
}

// Sync implements atomicfile.File.
func (w *file) Sync() error {
	return w.fs.do(nil, func() error {
		info, err := w.real.Stat()
		if err == nil {
			w.body.synced = info.Size()
		}
		return err
	})
}

// Close implements atomicfile.File. It cannot break: nothing hangs on it.
func (w *file) Close() error { return w.real.Close() }

// absolute is how a disk knows a path.
func absolute(path string) string {
	full, err := filepath.Abs(path)
	if err != nil {
		panic(err) // a test without a working folder
	}
	return full
}
