package results

import (
	"errors"
	"io/fs"

	"infbench/internal/disk"
)

// Speed is one line of speed.jsonl: the time and memory of a training step. Like provenance it
// describes one machine on one day, so it is not in train.jsonl, which has the same bytes
// whenever the trial is repeated.
type Speed struct {
	Step            int     `json:"step"`
	Seconds         float64 `json:"seconds"` // includes compiling in the first step of a run, and evaluations
	TokensPerSecond float64 `json:"tokens_per_second"`
	RSS             int64   `json:"rss_bytes"` // of this process after the step
	PeakRSS         int64   `json:"peak_rss_bytes"`
}

// Speed stores the speed of a trial's training.
func (w Writer) Speed(steps []Speed) error {
	return writeLines(w, SpeedFile, steps)
}

// Speed reads the lines that Writer.Speed stored, or nothing if there is no such file.
func (r Reader) Speed() ([]Speed, error) {
	data, err := disk.ReadFile(r.at.path(SpeedFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var steps []Speed
	err = decodeLines(&steps)(r.at.path(SpeedFile), data)
	return steps, err
}
