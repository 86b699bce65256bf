package results

import "time"

// State says how far a trial has come.
type State string

// The states of a trial, told from its folder alone.
const (
	Done    State = "done"
	Failed  State = "failed"
	Running State = "running"
	Waiting State = "waiting"
)

// Trial is one cell of an experiment as reports read it: what was asked for,
// how it was made, and every per-query value that came out.
type Trial struct {
	ID    string
	State State
	Error string // why a failed trial failed

	// Config is the resolved cell, flattened to dotted keys with values as the
	// YAML prints them: "loss": "uni(P)", "seed": "1", "train.lr": "0.005". The
	// key "model" names what was run: "tiny-bert" (trained), "untrained", "bm25",
	// "random", "constant".
	Config map[string]string

	Results    []Result
	Curve      []Step // nil for trials that train nothing
	Provenance Provenance
}

// Step is one line of train.jsonl.
type Step struct {
	Step         int                `json:"step"`
	Epoch        float64            `json:"epoch"`
	Loss         float64            `json:"loss"`
	Terms        map[string]float64 `json:"terms,omitempty"` // loss per term, where the form separates them
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
}

// Provenance says how a trial was made, so that a stranger can make it again.
type Provenance struct {
	Infbench   string             `json:"infbench"` // version and VCS revision of the binary
	Go         string             `json:"go"`
	OS         string             `json:"os"`
	CPU        string             `json:"cpu"`
	Cores      int                `json:"cores"`
	Backend    string             `json:"backend"` // GoMLX backend and its options
	SIMD       bool               `json:"simd"`
	Modules    map[string]string  `json:"modules"`
	Command    string             `json:"command"` // repeats exactly this cell
	Started    time.Time          `json:"started"`
	Seconds    map[string]float64 `json:"seconds"` // "train", "evaluate", "total"
	PeakRSS    int64              `json:"peak_rss_bytes"`
	Benchmarks []Benchmark        `json:"benchmarks"`
}

// Experiment is a whole run folder: the planned trials in plan order, finished
// or not, so that what is missing can be named.
type Experiment struct {
	Name   string
	Dir    string
	Trials []Trial
}
