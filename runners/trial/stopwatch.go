package trial

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"time"

	"infbench/runners/device"
	"infbench/runners/results"
	"infbench/training"
)

// stopwatch times the steps of a training and keeps their figures in speed.jsonl,
// those of interrupted runs included.
type stopwatch struct {
	at  results.Folder
	now func() time.Time

	last  time.Time // when the last step ended
	saved time.Time
	steps []results.Speed
	lost  error // figures that could not be saved on the way
}

// saveSpeed is how long a crash's figures may be lost.
const saveSpeed = time.Minute

// newStopwatch starts timing. A damaged file of an earlier run is begun anew: no
// number hangs on it.
func newStopwatch(at results.Folder) *stopwatch {
	w := &stopwatch{at: at, now: time.Now}
	w.steps, _ = at.Reader().Speed()
	w.last = w.now()
	w.saved = w.last
	return w
}

// lap takes the figures of a step that has just ended and returns its tokens a
// second.
func (w *stopwatch) lap(s training.Step) float64 {
	now := w.now()
	seconds := now.Sub(w.last).Seconds()
	w.last = now
	line := results.Speed{Step: s.Step, Seconds: seconds, RSS: rss(), PeakRSS: device.PeakRSS()}
	if seconds > 0 {
		line.TokensPerSecond = float64(s.Tokens) / seconds
	}
	for len(w.steps) > 0 && w.steps[len(w.steps)-1].Step >= s.Step { // done again after a crash
		w.steps = w.steps[:len(w.steps)-1]
	}
	w.steps = append(w.steps, line)
	if now.Sub(w.saved) >= saveSpeed {
		w.lost = errors.Join(w.lost, w.save())
	}
	return line.TokensPerSecond
}

// save writes speed.jsonl.
func (w *stopwatch) save() error {
	w.saved = w.now()
	return w.at.Writer().Speed(w.steps)
}

// rss is the resident size of this process, in bytes; 0 where the system does not
// say.
func rss() int64 {
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(data))
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
