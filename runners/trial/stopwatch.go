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

// stopwatch times the steps of a training and saves the times in speed.jsonl, including those
// of interrupted runs.
type stopwatch struct {
	at  results.Folder
	now func() time.Time

	last  time.Time // end of the last step
	saved time.Time
	steps []results.Speed
	lost  error // error of saving during training
}

// saveSpeed is the longest time whose figures a crash may lose.
const saveSpeed = time.Minute

// newStopwatch starts timing. It replaces a damaged file of an earlier run: no result depends
// on it.
func newStopwatch(at results.Folder) *stopwatch {
	w := &stopwatch{at: at, now: time.Now}
	w.steps, _ = at.Reader().Speed()
	w.last = w.now()
	w.saved = w.last
	return w
}

// lap records a step that has just ended and returns its tokens per second.
func (w *stopwatch) lap(s training.Step) float64 {
	now := w.now()
	seconds := now.Sub(w.last).Seconds()
	w.last = now
	line := results.Speed{Step: s.Step, Seconds: seconds, RSS: rss(), PeakRSS: device.PeakRSS()}
	if seconds > 0 {
		line.TokensPerSecond = float64(s.Tokens) / seconds
	}
	for len(w.steps) > 0 && w.steps[len(w.steps)-1].Step >= s.Step { // repeated after a crash
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

// rss returns the resident size of this process in bytes; 0 if the system does not report it.
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
