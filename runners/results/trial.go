package results

import (
	"time"

	"infbench/datasets"
)

// State is the progress of a trial.
type State string

// States of a trial, derived from its folder.
const (
	Done      State = "done"
	Failed    State = "failed"
	Running   State = "running"
	Waiting   State = "waiting"
	Abandoned State = "abandoned" // its process has died: it waits, and will continue from its checkpoint
	Stopped   State = "stopped"   // as hopeless, during training: it has no results and will have none
)

// Trial is one cell of an experiment as reports read it: its configuration, how it was made,
// and every per-query value.
type Trial struct {
	ID    string
	State State
	Error string // why a failed trial failed, or how far a stopped one came and why it stopped

	// Config is the resolved cell, flattened to dotted keys with values as the YAML prints
	// them: "loss": "uni(P)", "seed": "1", "train.lr": "0.005". The key "model" names the
	// system: "tiny-bert" (trained), "untrained", "bm25", "random", "constant".
	Config Config

	Labels []ValueLabel `json:",omitempty"` // of values in Config, from the plan; for people

	Results     []Result
	Curve       []Step        // nil for trials that train nothing
	Validation  []Result      // on held-out queries; nil without any
	Evaluations []Evaluation  // on held-out queries during training; nil without any
	Probe       []Probed      // with other instructions; nil without a probe
	Queries     []QueryRecord // of single queries, if requested (ReadQueries)
	Ties        []Ties        // effect on p-MRR, if requested (Reader.Ties)
	Weights     string        // SHA-256 of the trained weights, joined for several files; "" without any
	Marker      string        // SHA-256 of the completion marker, which covers all files; "" unless done
	Parameters  int64         // of the model, in use; 0: unknown
	Provenance  Provenance
	Selection   Selection // the zero value: the configuration was not selected

	// Active means that the trial's sweep chose cells by the results of others and is
	// incomplete. The choice of cells depends on the results, so only the sweep's own tests are
	// valid.
	Active bool `json:",omitempty"`
}

// OnTest is the value of Selection.On for a selection by the reported numbers.
const OnTest = "test"

// Selection describes how the configuration of a trial was selected as the best of several.
type Selection struct {
	On      string // "validation", or "test": the reported numbers are optimistic
	Measure string // the measure of the selection
	Among   int    // number of configurations
	Per     string `json:",omitempty"` // settings with a separate selection for each combination, joined by commas; "": not recorded
}

// Fair reports whether a configuration was selected on something else than the reported
// numbers.
func (s Selection) Fair() bool { return s.On != "" && s.On != OnTest }

// Evaluation is one line of evaluations.jsonl: the mean over held-out queries after a step.
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
	Terms        map[string]float64 `json:"terms,omitempty"` // loss of each term; in the forms uni and pair they add up to Loss
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

	// Content has the hashes of each task's content; imports do not record it.
	Content map[string]datasets.ContentHashes `json:"content,omitempty"`
	Path    string                            `json:"path,omitempty"`    // of a collection read from a folder
	Private bool                              `json:"private,omitempty"` // its texts must never be shown

	// DropSelf means that documents with a query's own ID were not ranked for it
	// (datasets.Task.DropSelf).
	DropSelf bool `json:"drop_self,omitempty"`

	// Groups are the groups by which each task is averaged, outermost first. For MAIR: the
	// domain, the published task that it may be a split of, the sub-task. nil without groups.
	Groups map[string][]string `json:"groups,omitempty"`

	// Controls are tasks on which nothing should change (datasets.Task).
	Controls []string `json:"controls,omitempty"`

	// Defeats are the models that each task is built to defeat (datasets.Task).
	Defeats map[string][]string `json:"defeats,omitempty"`

	// Warnings are the doubts about each task's data; nil without any.
	Warnings map[string][]string `json:"warnings,omitempty"`
}

// Published returns the published task to which a task belongs: itself, unless it is a split of
// another.
func (b *Benchmark) Published(task string) string {
	if groups := b.Groups[task]; len(groups) > 1 {
		return groups[1]
	}
	return task
}

// Provenance describes how a trial was made, so that anyone can make it again.
type Provenance struct {
	Infbench       string             `json:"infbench"`          // version and VCS revision of the binary
	Source         string             `json:"source,omitempty"`  // hash that identifies the sources, see runners/provenance
	Address        string             `json:"address,omitempty"` // of the sources on the web, if the build states it
	Go             string             `json:"go"`
	OS             string             `json:"os"`
	CPU            string             `json:"cpu"`
	Cores          int                `json:"cores"`
	Backend        string             `json:"backend"`                // GoMLX backend and its options, including the device
	Memory         int64              `json:"memory_bytes,omitempty"` // for vectors and batches
	Modules        map[string]string  `json:"modules"`
	Build          map[string]string  `json:"build,omitempty"`       // how the binary was built, by Go's names
	Host           string             `json:"host,omitempty"`        // machine that ran it
	Devices        []string           `json:"devices,omitempty"`     // accelerators of that machine
	Driver         string             `json:"driver,omitempty"`      // version of the accelerators' driver
	Environ        map[string]string  `json:"environment,omitempty"` // variables that can affect computations, if set
	Inputs         map[string]string  `json:"inputs,omitempty"`      // data and models -> revision or hash of the content
	Seed           int64              `json:"seed,omitempty"`
	Chunk          int                `json:"chunk,omitempty"`          // sequences trained at a time, if memory ran out with the cell's own number
	Removed        *Removed           `json:"removed,omitempty"`        // records removed from the training data; nil if the cell did not ask for it
	Trained        *Trained           `json:"trained,omitempty"`        // size of the training; nil for models not trained here
	TrainedBy      *TrainedBy         `json:"trained_by,omitempty"`     // the trial whose model this one evaluates; nil if it trained its own
	Deviations     []Deviation        `json:"deviations,omitempty"`     // of scores not computed in float32
	Approximations []Approximation    `json:"approximations,omitempty"` // by servers that do not compare all documents
	Readings       []string           `json:"readings,omitempty"`       // how models without a single vector for each text read and compare texts
	Shards         []Shard            `json:"shards,omitempty"`         // ranked separately and joined; nil if one process ranked all
	Chat           *Chat              `json:"chat,omitempty"`           // questions to a language model; nil without any
	Attempts       []Attempt          `json:"attempts,omitempty"`       // earlier failed attempts
	Command        string             `json:"command"`                  // repeats exactly this cell
	Imported       string             `json:"imported,omitempty"`       // format of the imported files in Inputs; nothing was run
	Started        time.Time          `json:"started"`
	Seconds        map[string]float64 `json:"seconds"`               // "train", "evaluate", "total", wall-clock time
	CPUSeconds     map[string]float64 `json:"cpu_seconds,omitempty"` // processor time, by the same names
	PeakRSS        int64              `json:"peak_rss_bytes"`
	Benchmarks     []Benchmark        `json:"benchmarks"`
	HeldTo         *Forgetting        `json:"held_to,omitempty"`    // by the plan of the run
	Submission     *Submission        `json:"submission,omitempty"` // that brought the numbers; nil for numbers measured or imported here

	// Accelerator describes the XLA device; nil for the Go backend.
	Accelerator *Accelerator `json:"accelerator,omitempty"`
}

// Removed counts the training records that were removed because they share texts with the
// tests.
type Removed struct {
	Records int `json:"records"`
	Of      int `json:"of"`
}

// Trained is the size of a training.
type Trained struct {
	Records int `json:"records"` // used for training
	Of      int `json:"of"`      // in its data, after judgment
	Rows    int `json:"rows"`    // made from the records
	Steps   int `json:"steps"`   // planned
}

// TrainedBy is the trial that trained a model which another trial evaluates, and its program.
type TrainedBy struct {
	Trial    string `json:"trial"` // ID
	Infbench string `json:"infbench"`
	Source   string `json:"source,omitempty"`
	Backend  string `json:"backend"`
	Command  string `json:"command"` // repeats it
}

// Experiment is a complete run folder: the planned trials in plan order, finished or not, so
// that missing ones can be named.
type Experiment struct {
	Name   string
	Dir    string
	Trials []Trial
	Notes  []string // remarks on the experiment, in sentences

	// Planned means that Trials are all trials of the plan, finished or not: a trial that is
	// not among them was not planned.
	Planned bool

	Forgetting *Forgetting // the plan's limit on forgetting; nil without one
	Question   string      // the experiment's question; "" if the plan has none
	File       string      // content of the experiment file at planning; "" if it was not saved
	Set        []string    // "key=value" of the command line, not in the file
	Active     *ActiveLog  // choice of cells by results; nil without one
}

// Forgetting limits how much trained systems may lose of earlier abilities: on these benchmarks
// they may score at most the margin below their starting weights.
type Forgetting struct {
	Collections []string `json:"collections"` // benchmarks by name
	Measure     string   `json:"measure"`
	Margin      float64  `json:"margin"` // in the unit of the measure
}
