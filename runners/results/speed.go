package results

import (
	"errors"
	"io/fs"

	"infbench/internal/disk"
)

// Speed is one line of speed.jsonl: what a step of training took. Like provenance
// it tells of one machine and one day, which is why it is no part of train.jsonl:
// that has the same bytes whenever the trial is repeated.
type Speed struct {
	Step            int     `json:"step"`
	Seconds         float64 `json:"seconds"` // the first of a run compiles, evaluations count too
	TokensPerSecond float64 `json:"tokens_per_second"`
	RSS             int64   `json:"rss_bytes"` // of this process after the step
	PeakRSS         int64   `json:"peak_rss_bytes"`
}

// Speed stores how fast a trial's training went.
func (w Writer) Speed(steps []Speed) error {
	return writeLines(w, SpeedFile, steps)
}

// Speed reads what Writer.Speed stored, nothing where there is no such file.
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
