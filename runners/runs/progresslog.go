package runs

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"

	"infbench/internal/disk"
	"infbench/runners/engine"
	"infbench/runners/results"
)

// ProgressLog is what a trial under way has reported so far, one JSON object a line. It
// is for people who look on: nothing depends on it, so it is neither synced nor missed
// when it cannot be written.
type ProgressLog struct {
	at Folder
	id string
}

// Progress is the log of a trial.
func (f Folder) Progress(id string) ProgressLog { return ProgressLog{f, id} }

const (
	PhaseStart   = "start"   // the first line of an attempt
	StoppedPhase = "stopped" // the last of a trial that was stopped as hopeless
)

// Path is where the trial reports.
func (l ProgressLog) Path() string { return l.at.path(l.name()) }

func (l ProgressLog) name() string { return filepath.Join(ProgressDir, l.id+".jsonl") }

// Report is a line of what a trial reported.
type Report struct {
	engine.Progress
	Step *results.Step `json:"step,omitempty"` // all of a training step; nil where it is not told
}

// detailedSteps is of how many steps of a training all is reported, spread over it, at
// most: of the others the loss is enough, and the file stays small.
const detailedSteps = 1000

// Reporter writes down what a trial reports and passes it on.
type Reporter struct {
	pass func(engine.Progress)
	file *os.File // nil where it cannot be written
}

// Record begins to write down an attempt.
func (l ProgressLog) Record(pass func(engine.Progress)) *Reporter {
	file, err := disk.OpenInside(l.at.Dir, l.name(), os.O_WRONLY|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return &Reporter{pass: pass}
	}
	r := &Reporter{pass, file}
	r.write(Report{Progress: engine.Progress{Phase: PhaseStart}})
	return r
}

// Report tells how far the trial is.
func (r *Reporter) Report(p engine.Progress) {
	r.write(Report{Progress: p})
	r.pass(p)
}

// Step tells of a training step.
func (r *Reporter) Step(p engine.Progress, s results.Step) {
	line := Report{Progress: p}
	if p.Done%max(1, p.Total/detailedSteps) == 0 {
		line.Step = &s
	}
	r.write(line)
	r.pass(p)
}

// write adds a line; one that cannot be written is not missed.
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

// Drop removes what a finished trial reported.
func (l ProgressLog) Drop() { os.Remove(l.Path()) }

// Read returns what the trial reported; a line cut short is left out.
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
