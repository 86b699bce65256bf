package results

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"infbench/datasets/atomicfile"
)

// FailureFile says why a trial has no numbers yet.
const FailureFile = "failure.json"

// Class says what kind of thing went wrong, and so whether it makes sense to try
// again.
type Class string

// The classes of errors.
const (
	Fault       Class = "fault"         // would happen again
	Transient   Class = "transient"     // a connection, a busy endpoint, a lost device
	OutOfMemory Class = "out of memory" // may fit in smaller pieces
	Killed      Class = "killed"        // the process ended without a word
)

// Failure is the history of a trial that has failed at least once.
type Failure struct {
	Error    string    `json:"error"` // of the first attempt
	Attempts []Attempt `json:"attempts"`
	Forgiven int       `json:"forgiven,omitempty"` // first attempts that no longer count
	Retrying bool      `json:"retrying,omitempty"` // another attempt has begun since the last failure
}

// Attempt is one that failed.
type Attempt struct {
	Class Class  `json:"class"`
	Error string `json:"error"`
}

// maxAttempts is how many attempts are kept: the first, and the latest.
const maxAttempts = 100

// Count says how many attempts that count failed in a way.
func (f *Failure) Count(c Class) int {
	n := 0
	for _, a := range f.Attempts[min(max(f.Forgiven, 0), len(f.Attempts)):] {
		if a.Class == c {
			n++
		}
	}
	return n
}

// ReadFailure reads why a trial failed: the zero Failure where it has not. What
// cannot be read any more is a failure too, of unknown history.
func ReadFailure(dir string) (Failure, error) {
	var f Failure
	path := filepath.Join(dir, FailureFile)
	if err := readJSON(path, &f); errors.Is(err, fs.ErrNotExist) {
		return Failure{}, nil
	} else if _, unreadable := errors.AsType[*fs.PathError](err); unreadable {
		return Failure{}, err
	} else if err != nil {
		return Failure{Error: fmt.Sprintf("failed; why is not known, %v", err)}, nil
	}
	return f, nil
}

// Fail adds an attempt to the history of a trial.
func Fail(fsys atomicfile.FS, dir string, class Class, cause error) error {
	f, err := ReadFailure(dir)
	if err != nil {
		return err
	}
	if len(f.Attempts) == 0 && f.Error == "" {
		f.Error = cause.Error()
	}
	if f.Attempts = append(f.Attempts, Attempt{class, cause.Error()}); len(f.Attempts) > maxAttempts {
		f.Attempts = append(f.Attempts[:1], f.Attempts[len(f.Attempts)-maxAttempts+1:]...)
		f.Forgiven = max(0, f.Forgiven-1)
	}
	f.Retrying = false
	return writeJSON(fsys, filepath.Join(dir, FailureFile), f)
}

// Retry says that another attempt begins; a trial that has not failed is left as
// it is.
func Retry(fsys atomicfile.FS, dir string) (Failure, error) {
	f, err := ReadFailure(dir)
	if err != nil || f.Error == "" || f.Retrying {
		return f, err
	}
	f.Retrying = true
	return f, writeJSON(fsys, filepath.Join(dir, FailureFile), f)
}

// Forgive says that somebody has seen to what went wrong: earlier attempts stay
// on record and count no longer, and the trial waits again.
func Forgive(fsys atomicfile.FS, dir string) error {
	f, err := ReadFailure(dir)
	if err != nil || f.Error == "" {
		return err
	}
	f.Forgiven, f.Retrying = len(f.Attempts), true
	return writeJSON(fsys, filepath.Join(dir, FailureFile), f)
}

// dropFailure removes the history of a trial that has its numbers now.
func dropFailure(fsys atomicfile.FS, dir string) error {
	path := filepath.Join(dir, FailureFile)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fsys.Remove(path)
}
