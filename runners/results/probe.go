package results

import (
	"errors"
	"io/fs"
	"path/filepath"

	"infbench/metrics/trec"
)

// ProbeFile contains a model's results for queries with another instruction, or without one.
const ProbeFile = "probe.jsonl"

// Probed is one line of ProbeFile: a query with one instruction.
type Probed struct {
	Benchmark   string   `json:"benchmark"`
	Task        string   `json:"task"`
	Item        string   `json:"item"` // independent unit: the pair of a paired query, else the query
	Query       string   `json:"query"`
	Kind        string   `json:"kind"`  // kind of instruction: AskedOwn and so on
	Asked       string   `json:"asked"` // ID in the rankings of the probe
	Instruction string   `json:"instruction"`
	Types       []string `json:"types"`   // types of the query's own instruction
	Measure     string   `json:"measure"` // by the judgments for the own instruction
	Value       *float64 `json:"value"`   // nil: undefined
	Overlap     float64  `json:"overlap"` // of its ranking with the one for the own instruction; 1 if they are equal
}

// Probe stores the results of a probe.
func (w Writer) Probe(lines []Probed) error { return writeLines(w, ProbeFile, lines) }

// askedDir has the rankings of a probe, a packed file for each task.
const askedDir = "asked"

func (f Folder) askedPath(benchmark, task string) string {
	return filepath.Join(askedDir, TaskFile(benchmark, task)+packedRun)
}

// Asked stores the rankings of a probe, by Probed.Asked.
func (w Writer) Asked(benchmark, task string, run trec.Run, model string) error {
	return w.packedRun(w.at.askedPath(benchmark, task), run, model)
}

// Asked reads the rankings that Writer.Asked stored, if any.
func (r Reader) Asked(benchmark, task string) (trec.Run, error) {
	run, _, err := openRun(r.at.path(r.at.askedPath(benchmark, task)))
	if errors.Is(err, fs.ErrNotExist) {
		return trec.Run{}, nil
	}
	return run, err
}
