package results

import (
	"time"

	"infbench/datasets"
)

// State says how far a trial has come.
type State string

// The states of a trial, told from its folder alone.
const (
	Done      State = "done"
	Failed    State = "failed"
	Running   State = "running"
	Waiting   State = "waiting"
	Abandoned State = "abandoned" // begun by a process that is no more: it waits, and goes on where it was
	Stopped   State = "stopped"   // as hopeless, on the way: it has no numbers and will have none
)

// Trial is one cell of an experiment as reports read it: what was asked for,
// how it was made, and every per-query value that came out.
type Trial struct {
	ID    string
	State State
	Error string // why a failed trial failed, or how far a stopped one came and why

	// Config is the resolved cell, flattened to dotted keys with values as the
	// YAML prints them: "loss": "uni(P)", "seed": "1", "train.lr": "0.005". The
	// key "model" names what was run: "tiny-bert" (trained), "untrained", "bm25",
	// "random", "constant".
	Config Config

	Results     []Result
	Curve       []Step        // nil for trials that train nothing
	Validation  []Result      // on held-out queries; nil where there are none
	Evaluations []Evaluation  // what those said on the way; nil where they were not asked
	Probe       []Probed      // what it did when instructions were others; nil where that was not asked
	Queries     []QueryRecord // what it says of single queries, where it was asked for (ReadQueries)
	Ties        []Ties        // what they decide of p-MRR, where it was asked for (Reader.Ties)
	Weights     string        // SHA-256 of the weights that training left, joined where they are several files; "" where there are none
	Marker      string        // SHA-256 of the completion marker, to which all files chain; "" where not done
	Parameters  int64         // of the model, in use; 0: unknown
	Provenance  Provenance
	Selection   Selection // the zero value: its configuration was not picked

	// Active says that its sweep chose cells by the results of others and is not whole:
	// which there are depends on what they show, so that no test but the sweep's own holds.
	Active bool `json:",omitempty"`
}

// OnTest is the Selection.On of a pick by the numbers that are shown.
const OnTest = "test"

// Selection says that the configuration of a trial was picked as the best of
// several.
type Selection struct {
	On      string // "validation", or "test": the numbers it is shown with are too high
	Measure string // by which
	Among   int    // of how many configurations
	Per     string `json:",omitempty"` // the settings that have a pick for each combination, joined by commas; "": not recorded
}

// Fair reports whether a configuration was picked on something else than the
// numbers that it is shown with.
func (s Selection) Fair() bool { return s.On != "" && s.On != OnTest }

// Evaluation is one line of evaluations.jsonl: the mean over held-out queries
// after a step.
type Evaluation struct {
	Step  int     `json:"step"`
	Value float64 `json:"value"`
	Best  bool    `json:"best,omitempty"` // training ended with these weights
}

// Step is one line of train.jsonl.
type Step struct {
	Step         int                `json:"step"`
	Epoch        float64            `json:"epoch"`
	Loss         float64            `json:"loss"`
	Terms        map[string]float64 `json:"terms,omitempty"` // loss of each term by itself; in the uni form they add up to Loss
	GradNorm     float64            `json:"grad_norm"`
	LearningRate float64            `json:"lr"`
	Accuracy     float64            `json:"accuracy"` // in-batch: positive ranked first
	MRR          float64            `json:"mrr"`      // in-batch reciprocal rank of the positive
	Tokens       int                `json:"tokens"`   // tokens of this step, padding left out
}

// Benchmark describes one benchmark that a trial was evaluated on.
type Benchmark struct {
	Name      string            `json:"name"`
	Synthetic bool              `json:"synthetic"`
	Source    string            `json:"source"`
	Revision  string            `json:"revision"`
	Licence   string            `json:"licence,omitempty"`
	Tasks     map[string]string `json:"tasks"` // task name -> protocol notes

	// Content is what each task was read as; imports do not record it.
	Content map[string]datasets.ContentHashes `json:"content,omitempty"`
	Path    string                            `json:"path,omitempty"`    // of a collection that was read from a folder
	Private bool                              `json:"private,omitempty"` // its texts must never be shown

	// DropSelf says that documents with a query's own ID were not ranked for it (datasets.Task.DropSelf).
	DropSelf bool `json:"drop_self,omitempty"`

	// Groups are what each task is averaged under, outermost first: of MAIR the
	// domain, the published task of which it may be a split, the sub-task. nil where
	// there are none.
	Groups map[string][]string `json:"groups,omitempty"`

	// Controls are tasks on which nothing may move (datasets.Task).
	Controls []string `json:"controls,omitempty"`

	// Defeats are the models that each task is made to defeat (datasets.Task).
	Defeats map[string][]string `json:"defeats,omitempty"`

	// Warnings are what is doubtful about each task as it was read; nil where nothing is.
	Warnings map[string][]string `json:"warnings,omitempty"`
}

// Published is the task that a task is published as: itself, unless it is a split of
// one.
func (b *Benchmark) Published(task string) string {
	if groups := b.Groups[task]; len(groups) > 1 {
		return groups[1]
	}
	return task
}

// Provenance says how a trial was made, so that a stranger can make it again.
type Provenance struct {
	Infbench       string             `json:"infbench"`         // version and VCS revision of the binary
	Source         string             `json:"source,omitempty"` // hash that no build of other sources has, see runners/provenance
	Go             string             `json:"go"`
	OS             string             `json:"os"`
	CPU            string             `json:"cpu"`
	Cores          int                `json:"cores"`
	Backend        string             `json:"backend"`                // GoMLX backend and its options, the device among them
	Memory         int64              `json:"memory_bytes,omitempty"` // for vectors and batches
	Modules        map[string]string  `json:"modules"`
	Build          map[string]string  `json:"build,omitempty"`       // how the binary was built, by Go's names
	Host           string             `json:"host,omitempty"`        // where it ran
	Devices        []string           `json:"devices,omitempty"`     // accelerators of that machine
	Driver         string             `json:"driver,omitempty"`      // of the accelerators
	Environ        map[string]string  `json:"environment,omitempty"` // variables that can change how things run, where set
	Inputs         map[string]string  `json:"inputs,omitempty"`      // data and models -> what pins their content
	Seed           int64              `json:"seed,omitempty"`
	Chunk          int                `json:"chunk,omitempty"`          // sequences trained at a time, where memory ran out with the cell's own
	Removed        *Removed           `json:"removed,omitempty"`        // from the training data before training; nil where nothing was asked
	Trained        *Trained           `json:"trained,omitempty"`        // on how much; nil of what was not trained here
	TrainedBy      *TrainedBy         `json:"trained_by,omitempty"`     // the trial whose model this one evaluates; nil of one that trained its own
	Deviations     []Deviation        `json:"deviations,omitempty"`     // of scores that were not computed in float32
	Approximations []Approximation    `json:"approximations,omitempty"` // by servers that do not compare all documents
	Readings       []string           `json:"readings,omitempty"`       // how models that have no one vector for a text read and compare them
	Shards         []Shard            `json:"shards,omitempty"`         // that were ranked apart and joined; nil where one process ranked all
	Chat           *Chat              `json:"chat,omitempty"`           // what a language model was asked; nil where none was
	Attempts       []Attempt          `json:"attempts,omitempty"`       // that failed before
	Command        string             `json:"command"`                  // repeats exactly this cell
	Imported       string             `json:"imported,omitempty"`       // format that the numbers were taken over from, of the files in Inputs; nothing was run
	Started        time.Time          `json:"started"`
	Seconds        map[string]float64 `json:"seconds"`               // "train", "evaluate", "total", of the wall clock
	CPUSeconds     map[string]float64 `json:"cpu_seconds,omitempty"` // of the processors, by the same names
	PeakRSS        int64              `json:"peak_rss_bytes"`
	Benchmarks     []Benchmark        `json:"benchmarks"`
	HeldTo         *Forgetting        `json:"held_to,omitempty"`    // by the plan that it ran under
	Submission     *Submission        `json:"submission,omitempty"` // that brought the numbers; nil of what was measured or imported here

	// Accelerator is what computed on a device of XLA's; nil of the Go backend.
	Accelerator *Accelerator `json:"accelerator,omitempty"`
}

// Removed counts the training records that were taken out because they share texts with
// the tests.
type Removed struct {
	Records int `json:"records"`
	Of      int `json:"of"`
}

// Trained counts what training went through.
type Trained struct {
	Records int `json:"records"` // that it was trained on
	Of      int `json:"of"`      // of its data, as judged
	Rows    int `json:"rows"`    // that the records made
	Steps   int `json:"steps"`   // planned
}

// TrainedBy is the trial that trained a model which another one evaluates, and by what.
type TrainedBy struct {
	Trial    string `json:"trial"` // ID
	Infbench string `json:"infbench"`
	Source   string `json:"source,omitempty"`
	Backend  string `json:"backend"`
	Command  string `json:"command"` // repeats it
}

// Experiment is a whole run folder: the planned trials in plan order, finished
// or not, so that what is missing can be named.
type Experiment struct {
	Name   string
	Dir    string
	Trials []Trial
	Notes  []string // what must be said of all of it, in sentences

	// Planned says that Trials are all that its plan asks for, finished or not: what is
	// not among them was not asked for.
	Planned bool

	Forgetting *Forgetting // what its plan asks of what was trained; nil where nothing
	Question   string      // what it is to answer; "" where the plan does not say
	File       string      // the experiment file as it was at planning; "" where none was kept
	Set        []string    // "key=value" of the command line, which the file does not have
	Active     *ActiveLog  // what chose its cells as results came in; nil where nothing did
}

// Forgetting is what trained systems are held to on what they could do before: there
// they lie no further below their start than the margin.
type Forgetting struct {
	Collections []string `json:"collections"` // benchmarks by name
	Measure     string   `json:"measure"`
	Margin      float64  `json:"margin"` // in the unit of the measure
}
