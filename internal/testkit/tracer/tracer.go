// Package tracer runs a command under ptrace and breaks one of its system calls on files: the
// process is killed before the call, the call fails, or it moves fewer bytes than requested.
// After a kill the power may also fail. Calls are counted over all threads and child
// processes, so that the n-th call of one run is the n-th of the next if the program does the
// same; strace --inject counts each thread separately. Linux on amd64 only (see Supported).
// It is not a sandbox: writes of a command are real.
package tracer

import (
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Kind is the effect of a system call on a file.
type Kind int

// The kinds of calls. Create and later kinds change the disk; a sync does too.
const (
	Open   Kind = iota + 1 // for reading
	Find                   // resolve a path
	Look                   // inspect an open file: its size and times, or the names in a folder
	Read                   // bytes of a file
	Create                 // a file, link or folder; also opening to write
	Write                  // bytes of a file
	Change                 // rename, removal, truncation, times, permissions
	Sync
)

// Readings and Changings are the kinds that read and the kinds that change the disk.
var (
	Readings  = []Kind{Open, Find, Look, Read}
	Changings = []Kind{Create, Write, Change, Sync}
)

// Call is one system call on a file.
type Call struct {
	Kind Kind
	Name string // openat, write...
	Path string // absolute; for two paths, the new one
}

// Damage is the fault of a call.
type Damage struct {
	Kill  bool          // all processes are killed before the call, as by kill -9; after it if Part is set
	Power Power         // after all processes ended, the power fails, even if no call was broken
	Error syscall.Errno // the call is not made and returns this error
	Part  float64       // a read or write moves this part of the bytes, at least one; 0: all
	End   bool          // a read returns end of file
	Stays bool          // later matching calls are broken in the same way
}

// Power selects which data without sync a power loss destroys. As POSIX allows, the bytes of
// a file survive once the file was synced, and a name once its folder was synced after the
// name was created. So a file is lost if the name of any folder above it is. Two effects are
// not simulated: sectors of zeros, and the return of bytes that were truncated or
// overwritten.
type Power int

// The data that a power loss destroys.
const (
	LoseContent Power = iota + 1 // bytes that were not synced; all names survive
	LoseAll                      // also changes of names in folders that were not synced afterwards
)

// Kinds returns the kinds of calls that change what survives a power loss. Losing power
// before each of them, and after the end, covers every case.
func (p Power) Kinds() []Kind {
	if p == LoseAll {
		return []Kind{Sync}
	}
	return []Kind{Create, Change, Sync}
}

// Fault breaks one call of a command.
type Fault struct {
	Under  []string // absolute paths of folders whose files count
	Kinds  []Kind   // kinds of the calls that count
	At     int      // number of the call to break, from 1; 0: none
	Damage Damage
	After  time.Duration  // if positive, Signal is sent then, to the command alone
	Signal syscall.Signal // SIGKILL goes to all its processes
	Limit  time.Duration  // all processes are killed then, and Outcome reports it
}

// Outcome describes how a command ended.
type Outcome struct {
	Code    int            // exit code; -1 if a signal ended it
	Signal  syscall.Signal // the signal that ended it
	Calls   []Call         // the calls that count, in order
	Broken  *Call          // the broken call; nil if it was not reached
	Sent    bool           // whether the command still ran at the signal of After
	Took    time.Duration
	Lasted  time.Duration // from the signal to the end
	Overdue bool          // whether it was killed because of Limit
}

// counts reports whether the fault applies to a call.
func (f *Fault) counts(c Call) bool {
	for _, kind := range f.Kinds {
		if c.Kind == kind {
			return f.under(c.Path)
		}
	}
	return false
}

func (f *Fault) under(path string) bool {
	for _, dir := range f.Under {
		if rel, err := filepath.Rel(dir, path); err == nil && rel != ".." && !strings.HasPrefix(rel, "../") {
			return true
		}
	}
	return false
}
