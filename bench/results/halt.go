package results

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"infbench/datasets/atomicfile"
)

// HaltFile says that a trial was stopped on the way.
const HaltFile = "stopped.json"

// Halt says why a trial was stopped as hopeless, and how far it came. It has no
// numbers.
type Halt struct {
	Step       int     `json:"step"`
	Steps      int     `json:"steps"`
	Rival      string  `json:"rival"` // the trial that it cannot catch up with
	Rivals     int     `json:"rivals"`
	Queries    int     `json:"queries"`    // held-out ones that both have a value for
	Difference float64 `json:"difference"` // of the means
	Upper      float64 `json:"upper"`      // bound of the difference
	Gain       float64 `json:"gain"`       // the largest that a finished trial made from there on
	Alpha      float64 `json:"alpha"`      // of all looks at all trials
}

// Words says it in a sentence.
func (h Halt) Words() string {
	return fmt.Sprintf("stopped as hopeless after step %d of %d: on %d held-out queries %.3f behind trial %s, at most %.3f with confidence %v; no finished trial gained more than %.3f from there on",
		h.Step, h.Steps, h.Queries, -h.Difference, h.Rival, h.Upper, 1-h.Alpha, max(h.Gain, 0))
}

// WriteHalt marks a trial as stopped.
func WriteHalt(fsys atomicfile.FS, dir string, h Halt) error {
	return writeJSON(fsys, filepath.Join(dir, HaltFile), h)
}

// ReadHalt reads why a trial was stopped; fs.ErrNotExist where it was not.
func ReadHalt(dir string) (h Halt, err error) {
	err = readJSON(filepath.Join(dir, HaltFile), &h)
	return h, err
}

// Resume removes the mark of a trial that goes on after all.
func Resume(fsys atomicfile.FS, dir string) error {
	if _, err := ReadHalt(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fsys.Remove(filepath.Join(dir, HaltFile))
}

// ReadEvaluations reads what held-out queries said on the way; nil where they were
// not asked.
func ReadEvaluations(dir string) (list []Evaluation, err error) {
	path := filepath.Join(dir, EvaluationsFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return list, decodeLines(&list)(path, data)
}
