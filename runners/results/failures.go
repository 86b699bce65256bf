package results

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"infbench/internal/disk"
)

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

// IsForgiven says whether Forgive was the last that was heard of a failed trial: an
// attempt that was to follow has not ended.
func (f *Failure) IsForgiven() bool { return f.Retrying && f.Forgiven == len(f.Attempts) }

// Failures is where a trial keeps why it has failed.
type Failures struct{ at Folder }

// Failures are those of the folder's trial.
func (f Folder) Failures() Failures { return Failures{f} }

// Read returns why a trial failed: the zero Failure where it has not. What
// cannot be read any more is a failure too, of unknown history.
func (f Failures) Read() (Failure, error) {
	var past Failure
	data, err := disk.ReadFile(f.at.path(FailureFile))
	if errors.Is(err, fs.ErrNotExist) {
		return Failure{}, nil
	}
	if err != nil {
		return Failure{}, err
	}
	if err := disk.DecodeSealed(f.at.path(FailureFile), data, &past); err != nil {
		return Failure{Error: fmt.Sprintf("failed; why is not known, %v", err)}, nil
	}
	return past, nil
}

// ErrComplete says that a trial has its numbers: no failure is written beside them.
var ErrComplete = errors.New("the trial is complete")

// Add adds an attempt to the history of a trial.
func (f Failures) Add(class Class, cause error) error {
	if marked, err := f.at.Marker().Exists(); err != nil {
		return err
	} else if marked {
		return ErrComplete
	}
	past, err := f.Read()
	if err != nil {
		return err
	}
	if len(past.Attempts) == 0 && past.Error == "" {
		past.Error = cause.Error()
	}
	if past.Attempts = append(past.Attempts, Attempt{class, cause.Error()}); len(past.Attempts) > maxAttempts {
		past.Attempts = append(past.Attempts[:1], past.Attempts[len(past.Attempts)-maxAttempts+1:]...)
		past.Forgiven = max(0, past.Forgiven-1)
	}
	past.Retrying = false
	return disk.WriteSealed(f.at.Files, f.at.path(FailureFile), past)
}

// Retry says that another attempt begins; a trial that has not failed is left as
// it is.
func (f Failures) Retry() (Failure, error) {
	past, err := f.Read()
	if err != nil || past.Error == "" || past.Retrying {
		return past, err
	}
	if marked, err := f.at.Marker().Exists(); marked || err != nil {
		return past, err
	}
	past.Retrying = true
	return past, disk.WriteSealed(f.at.Files, f.at.path(FailureFile), past)
}

// Forgive says that somebody has seen to what went wrong: earlier attempts stay
// on record and count no longer, and the trial waits again.
func (f Failures) Forgive() error {
	past, err := f.Read()
	if err != nil || past.Error == "" {
		return err
	}
	if marked, err := f.at.Marker().Exists(); marked || err != nil {
		return err
	}
	past.Forgiven, past.Retrying = len(past.Attempts), true
	return disk.WriteSealed(f.at.Files, f.at.path(FailureFile), past)
}

// drop removes the history of a trial that has its numbers now.
func (f Failures) drop() error {
	if _, err := os.Lstat(f.at.path(FailureFile)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(f.at.Files.Remove(f.at.path(FailureFile)), f.at.Files.SyncDir(f.at.Dir))
}
