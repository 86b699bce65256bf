package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"infbench/internal/disk"
)

// Halt records why a trial was stopped as hopeless, and how far it came. Such a trial has no
// results.
type Halt struct {
	Step       int     `json:"step"`
	Steps      int     `json:"steps"`
	Rival      string  `json:"rival"` // the trial that it cannot catch up with
	Rivals     int     `json:"rivals"`
	Queries    int     `json:"queries"`    // held-out queries with values of both trials
	Difference float64 `json:"difference"` // of the means, below 0 if this trial is worse
	Upper      float64 `json:"upper"`      // upper bound of the difference
	Gain       float64 `json:"gain"`       // the largest gain of a finished trial from this step on
	Alpha      float64 `json:"alpha"`      // for all looks at all trials
}

// Words describes the halt in a sentence, with values of the measure times 100.
func (h Halt) Words() string {
	value := func(v float64) string { return fmt.Sprintf("%.1f", 100*v) }
	return fmt.Sprintf("stopped as hopeless after step %d of %d: ×100, on %d held-out queries %s behind trial %s, at most %s with confidence %v; no finished trial gained more than %s from there on",
		h.Step, h.Steps, h.Queries, value(-h.Difference), h.Rival, value(h.Upper), 1-h.Alpha, value(max(h.Gain, 0)))
}

// sealedHalt is the stored form of a Halt. It has its own checksum because no completion marker
// covers the file and reports show its figures.
type sealedHalt struct {
	Halt
	Sum string `json:"sum"` // SHA-256 of the rest
}

// sum returns the SHA-256 of a Halt.
func (h Halt) sum() string {
	data, err := json.Marshal(h)
	if err != nil {
		return "" // a figure that is not a number, which writing also refuses
	}
	return disk.Sum(data)
}

// HaltMark is the file that marks a trial as stopped.
type HaltMark struct{ at Folder }

// Halt returns the mark of the folder's trial.
func (f Folder) Halt() HaltMark { return HaltMark{f} }

// Set marks a trial as stopped.
func (m HaltMark) Set(h Halt) error {
	return m.at.Writer().json(HaltFile, sealedHalt{h, h.sum()})
}

// Read returns why a trial was stopped. It returns fs.ErrNotExist if the trial was not stopped,
// and ErrDamaged if the file has changed. A trial with a damaged mark does not count as
// stopped: it continues from its checkpoint.
func (m HaltMark) Read() (Halt, error) {
	var h sealedHalt
	data, err := disk.ReadFile(m.at.path(HaltFile))
	if err != nil {
		return Halt{}, err
	}
	if err := decodeJSON(&h)(m.at.path(HaltFile), data); err != nil {
		return Halt{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if h.Sum != h.Halt.sum() {
		return Halt{}, fmt.Errorf("%w: %s was changed", ErrDamaged, m.at.path(HaltFile))
	}
	return h.Halt, nil
}

// Remove removes the mark of a trial that continues after all.
func (m HaltMark) Remove() error {
	if _, err := m.Read(); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return m.at.Files.Remove(m.at.path(HaltFile))
}

// IsSet reports whether the trial is marked as hopeless.
func (m HaltMark) IsSet() bool {
	_, err := m.Read()
	return err == nil
}
