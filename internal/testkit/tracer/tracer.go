// Package tracer runs a command as the kernel sees it and breaks one of its system calls
// on files: the process is killed before the call, the call is refused, or it moves fewer
// bytes than were asked for. After a kill the power may fail as well. Calls are counted
// over all threads and child processes, so that the n-th call of one run is the n-th of
// the next as long as the program does the same; strace --inject counts each thread
// alone. Linux on amd64 only (see Supported). It is not a sandbox: what a command writes
// is written.
package tracer

import (
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Kind says what a system call does to a file.
type Kind int

// What calls are told apart by. Changes are those after which the disk is another: also
// a sync.
const (
	Open   Kind = iota + 1 // for reading
	Find                   // what a path leads to
	Look                   // at what is open: its size and times, the names in a folder
	Read                   // the bytes of a file
	Create                 // a file or link, a folder; also opening to write
	Write                  // the bytes of a file
	Change                 // rename, removal, truncation, times, permissions
	Sync
)

// Readings and Changings are the kinds that read and that change.
var (
	Readings  = []Kind{Open, Find, Look, Read}
	Changings = []Kind{Create, Write, Change, Sync}
)

// Call is one system call on a file.
type Call struct {
	Kind Kind
	Name string // openat, write...
	Path string // absolute; of two, the one that a thing gets
}

// Damage is what happens to a call.
type Damage struct {
	Kill  bool          // all processes end before it, as by kill -9; after it where Part is set
	Power Power         // when all processes have ended, the power fails, even if no call was broken
	Error syscall.Errno // the call is not made and gives this
	Part  float64       // a read or write of this part of the bytes, at least one; 0 is all
	End   bool          // a read that finds the end of the file
	Stays bool          // the calls after it that count are broken alike
}

// Power says what a power loss takes that was not synced. As POSIX allows, the bytes of a
// file survive once the file was synced, and a name once its folder was synced after it
// was made. A file is therefore lost with the name of any folder above it. Two things are
// not simulated: sectors of zeros, and bytes that were cut off or written over and return.
type Power int

// What a power loss takes.
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
	Under  []string // absolute folders whose files count
	Kinds  []Kind   // of the calls that count
	At     int      // which call is broken, from 1; 0 none
	Damage Damage
	After  time.Duration  // where positive: a signal is sent then, to the command alone
	Signal syscall.Signal // SIGKILL to all of its processes
	Limit  time.Duration  // then all its processes are killed, and Outcome says so
}

// Outcome is how a command ended.
type Outcome struct {
	Code    int            // exit code; -1 where a signal ended it
	Signal  syscall.Signal // what ended it
	Calls   []Call         // those that count, in their order
	Broken  *Call          // what was broken; nil where it came to no such call
	Sent    bool           // whether the signal of After found it running
	Took    time.Duration
	Lasted  time.Duration // from the signal to the end
	Overdue bool          // it was killed for Limit
}

// counts says whether a call is one of those that the fault is about.
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
