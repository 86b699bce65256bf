// Package breakfs is a file system for tests that breaks at one chosen operation,
// as disks and power supplies do. It changes real files, so that everything that
// reads sees what a process would see after the crash.
package breakfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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
	// Tear does half of a write and nothing of any other operation; then the
	// process is dead: nothing works any more. What was done before stays.
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
	at    int // which operation breaks, from 1; 0: none
	mode  Mode
	trash string // folder on the same disk that keeps what may come back

	mu     sync.Mutex
	count  int
	dead   bool
	synced map[string]int64 // file -> bytes that are safe
	undo   []change         // of names, since the folder of each was synced
}

// change is a change of a name that a power loss may undo.
type change struct {
	dir  string
	undo func() error
}

var _ atomicfile.FS = (*FS)(nil)

// New makes a file system that breaks at an operation, counted from 1; at 0 it
// never breaks. trash is a folder of the test's, on the same disk.
func New(at int, mode Mode, trash string) *FS {
	return &FS{at: at, mode: mode, trash: trash, synced: map[string]int64{}}
}

// Count is how many operations there were.
func (f *FS) Count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count
}

// step counts an operation and breaks when its time has come; half is what a torn
// operation still does.
func (f *FS) step(half func()) error {
	if f.dead {
		return ErrDead
	}
	if f.count++; f.count != f.at {
		return nil
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

// lose does to the disk what a power loss does.
func (f *FS) lose() error {
	if f.mode == Tear {
		return nil
	}
	for path, size := range f.synced {
		if err := os.Truncate(path, size); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("lose content: %w", err)
		}
	}
	if f.mode == Empty {
		return nil
	}
	for i := len(f.undo) - 1; i >= 0; i-- {
		if err := f.undo[i].undo(); err != nil {
			return fmt.Errorf("lose names: %w", err)
		}
	}
	return nil
}

// note remembers how to undo a change of a name.
func (f *FS) note(path string, undo func() error) {
	f.undo = append(f.undo, change{filepath.Dir(path), undo})
}

// away moves what is at path to the trash and returns how to bring it back.
func (f *FS) away(path string) (back func() error, err error) {
	kept := filepath.Join(f.trash, fmt.Sprint(len(f.undo), "-", f.count))
	return func() error { return os.Rename(kept, path) }, os.Rename(path, kept)
}

// MkdirAll implements atomicfile.FS.
func (f *FS) MkdirAll(dir string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.step(nil); err != nil {
		return err
	}
	for missing := dir; ; missing = filepath.Dir(missing) {
		if _, err := os.Lstat(filepath.Dir(missing)); err == nil {
			if _, err := os.Lstat(missing); err != nil {
				f.note(missing, func() error { return os.RemoveAll(missing) })
			}
			break
		}
	}
	return os.MkdirAll(dir, 0o755)
}

// Create implements atomicfile.FS.
func (f *FS) Create(path string) (atomicfile.File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.step(nil); err != nil {
		return nil, err
	}
	real, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	f.synced[path] = 0
	f.note(path, func() error { return os.Remove(path) })
	return &file{f, real, path}, nil
}

// Rename implements atomicfile.FS.
func (f *FS) Rename(from, to string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.step(nil); err != nil {
		return err
	}
	replaced := func() error { return nil }
	if info, err := os.Lstat(to); err == nil && !info.IsDir() {
		if replaced, err = f.away(to); err != nil {
			return err
		}
	}
	if err := os.Rename(from, to); err != nil {
		return err
	}
	f.move(from, to)
	f.note(to, func() error { return errors.Join(os.Rename(to, from), replaced()) })
	return nil
}

// move follows files whose name, or whose folder's name, changed.
func (f *FS) move(from, to string) {
	for path, size := range f.synced {
		if rest, inside := strings.CutPrefix(path, from+string(filepath.Separator)); inside {
			delete(f.synced, path)
			f.synced[filepath.Join(to, rest)] = size
		} else if path == from {
			delete(f.synced, path)
			f.synced[to] = size
		}
	}
}

// Remove implements atomicfile.FS.
func (f *FS) Remove(path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.step(nil); err != nil {
		return err
	}
	return f.remove(path)
}

// RemoveAll implements atomicfile.FS.
func (f *FS) RemoveAll(path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.step(nil); err != nil {
		return err
	}
	if err := f.remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (f *FS) remove(path string) error {
	back, err := f.away(path)
	if err == nil {
		f.note(path, back)
	}
	return err
}

// SyncDir implements atomicfile.FS.
func (f *FS) SyncDir(dir string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.step(nil); err != nil {
		return err
	}
	var left []change
	for _, c := range f.undo {
		if c.dir != dir {
			left = append(left, c)
		}
	}
	f.undo = left
	return nil
}

// file is a file of a file system that breaks.
type file struct {
	fs   *FS
	real *os.File
	path string // as it was made; files are synced before they are renamed
}

// Write implements atomicfile.File.
func (w *file) Write(p []byte) (int, error) {
	w.fs.mu.Lock()
	defer w.fs.mu.Unlock()
	if err := w.fs.step(func() { w.real.Write(p[:len(p)/2]) }); err != nil {
		return 0, err
	}
	return w.real.Write(p)
}

// Sync implements atomicfile.File.
func (w *file) Sync() error {
	w.fs.mu.Lock()
	defer w.fs.mu.Unlock()
	if err := w.fs.step(nil); err != nil {
		return err
	}
	info, err := w.real.Stat()
	if err == nil {
		w.fs.synced[w.path] = info.Size()
	}
	return err
}

// Close implements atomicfile.File. It cannot break: nothing hangs on it.
func (w *file) Close() error { return w.real.Close() }
