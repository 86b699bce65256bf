package results

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"infbench/internal/disk"
)

// Class is the kind of an error. It decides whether it makes sense to try again.
type Class string

// Classes of errors.
const (
	Fault       Class = "fault"         // would happen again
	Transient   Class = "transient"     // a connection, a busy endpoint, a lost device
	OutOfMemory Class = "out of memory" // may fit in smaller pieces
	Killed      Class = "killed"        // the process died without a record
)

// Failure is the history of a trial that has failed at least once.
type Failure struct {
	Error      string    `json:"error"` // of the first attempt
	Attempts   []Attempt `json:"attempts"`
	Discounted int       `json:"forgiven,omitempty"` // how many of the first attempts no longer count
	Retrying   bool      `json:"retrying,omitempty"` // another attempt has begun since the last failure
}

// Attempt is a failed attempt.
type Attempt struct {
	Class Class  `json:"class"`
	Error string `json:"error"`
}

// maxAttempts is the largest number of attempts in the record: the first, and the latest.
const maxAttempts = 100

// Count returns how many attempts that still count failed with a class.
func (f *Failure) Count(c Class) int {
	n := 0
	for _, a := range f.Attempts[min(max(f.Discounted, 0), len(f.Attempts)):] {
		if a.Class == c {
			n++
		}
	}
	return n
}

// IsReset reports whether Reset was the last change to a failed trial: no later attempt
// has ended.
func (f *Failure) IsReset() bool { return f.Retrying && f.Discounted == len(f.Attempts) }

// Failures is the record of a trial's failures.
type Failures struct{ at Folder }

// Failures returns the record of the folder's trial.
func (f Folder) Failures() Failures { return Failures{f} }

// Read returns why a trial failed, or the zero Failure. An unreadable record is a failure, too,
// of unknown history.
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
		return Failure{Error: fmt.Sprintf("failed; the reason is unknown, %v", err)}, nil
	}
	return past, nil
}

// ErrComplete means that a trial has its results: a failure cannot be added to it.
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
		past.Discounted = max(0, past.Discounted-1)
	}
	past.Retrying = false
	return disk.WriteSealed(f.at.Files, f.at.path(FailureFile), past)
}

// Retry records that another attempt begins. It does not change a trial that has not failed.
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

// Reset records that the user has fixed the cause of the failures. Earlier attempts stay in
// the record but no longer count, and the trial waits again.
func (f Failures) Reset() error {
	past, err := f.Read()
	if err != nil || past.Error == "" {
		return err
	}
	if marked, err := f.at.Marker().Exists(); marked || err != nil {
		return err
	}
	past.Discounted, past.Retrying = len(past.Attempts), true
	return disk.WriteSealed(f.at.Files, f.at.path(FailureFile), past)
}

// drop removes the history of a trial that has its results now.
func (f Failures) drop() error {
	if _, err := os.Lstat(f.at.path(FailureFile)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(f.at.Files.Remove(f.at.path(FailureFile)), f.at.Files.SyncDir(f.at.Dir))
}
