package runs

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"time"

	"infbench/internal/disk"
	"infbench/runners/engine"
	"infbench/runners/results"
)

// ProgressLog is the progress reports of a running trial so far, one JSON object on each line.
// It only serves people who watch: nothing depends on it, so it is not synced, and failures to
// write it are ignored.
type ProgressLog struct {
	at Folder
	id string
}

// Progress returns the log of a trial.
func (f Folder) Progress(id string) ProgressLog { return ProgressLog{f, id} }

const (
	PhaseStart    = "start" // the first line of an attempt
	PhaseTrain    = "train"
	PhaseOpen     = "open the data" // between training and evaluation
	PhaseEvaluate = "evaluate"
	PhaseSave     = "save"    // after the last task
	StoppedPhase  = "stopped" // the last line of a trial that was stopped as hopeless
)

// Path returns the path of the log.
func (l ProgressLog) Path() string { return l.at.path(l.name()) }

func (l ProgressLog) name() string { return filepath.Join(ProgressDir, l.id+".jsonl") }

// Report is a line of the log.
type Report struct {
	engine.Progress
	Step *results.Step `json:"step,omitempty"` // all values of a training step; nil for steps without details
}

// detailedSteps is the largest number of steps, spread over the training, that are reported in
// full. For the others the loss is enough, and the file stays small.
const detailedSteps = 1000

// Reporter writes a trial's reports to the log and passes them on.
type Reporter struct {
	pass func(engine.Progress)
	file *os.File // nil if it cannot be written

	first engine.Progress // the first report of the current phase
	since time.Time       // its time
}

// Record begins the log of an attempt.
func (l ProgressLog) Record(pass func(engine.Progress)) *Reporter {
	file, err := disk.OpenInside(l.at.Dir, l.name(), os.O_WRONLY|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return &Reporter{pass: pass}
	}
	r := &Reporter{pass: pass, file: file}
	r.write(Report{Progress: engine.Progress{Phase: PhaseStart}})
	return r
}

// Report reports the trial's progress.
func (r *Reporter) Report(p engine.Progress) {
	p = r.timed(p)
	r.write(Report{Progress: p})
	r.pass(p)
}

// Step reports a training step.
func (r *Reporter) Step(p engine.Progress, s results.Step) {
	p = r.timed(p)
	line := Report{Progress: p}
	if p.Done%max(1, p.Total/detailedSteps) == 0 {
		line.Step = &s
	}
	r.write(line)
	r.pass(p)
}

// timed adds to a report how long its phase has taken since the phase's first report.
func (r *Reporter) timed(p engine.Progress) engine.Progress {
	if p.Phase != r.first.Phase || r.since.IsZero() {
		r.first, r.since = p, time.Now()
	}
	p.From, p.Spent = r.first.Done, math.Round(time.Since(r.since).Seconds()*1000)/1000
	return p
}

// write adds a line and ignores errors.
func (r *Reporter) write(line Report) {
	if r.file != nil {
		json.NewEncoder(r.file).Encode(line)
	}
}

// Close ends the attempt.
func (r *Reporter) Close() {
	if r.file != nil {
		r.file.Close()
	}
}

// Drop removes the log of a finished trial.
func (l ProgressLog) Drop() { os.Remove(l.Path()) }

// Read returns the reports of the trial. It leaves out a truncated line.
func (l ProgressLog) Read() []engine.Progress {
	file, err := disk.Open(l.Path())
	if err != nil {
		return nil
	}
	defer file.Close()
	var all []engine.Progress
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var p engine.Progress
		if json.Unmarshal(lines.Bytes(), &p) == nil {
			all = append(all, p)
		}
	}
	return all
}
