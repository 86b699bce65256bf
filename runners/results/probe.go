package results

import (
	"errors"
	"io/fs"
	"path/filepath"

	"infbench/metrics/trec"
)

// ProbeFile holds what a model did with a query when its instruction was another, or
// none.
const ProbeFile = "probe.jsonl"

// Probed is one line of it: a query as it was asked once.
type Probed struct {
	Benchmark   string   `json:"benchmark"`
	Task        string   `json:"task"`
	Item        string   `json:"item"` // the pair of a paired query, else the query: what is independent of others
	Query       string   `json:"query"`
	Kind        string   `json:"kind"`  // how it was asked: AskedOwn and so on
	Asked       string   `json:"asked"` // the ID that it has among the rankings of a probe
	Instruction string   `json:"instruction"`
	Types       []string `json:"types"`   // of what the query's own instruction asks for
	Measure     string   `json:"measure"` // against the judgments of the own instruction
	Value       *float64 `json:"value"`   // nil where it is undefined
	Overlap     float64  `json:"overlap"` // of its ranking with that under the own instruction, 1 where they are one
}

// Probe stores what was asked otherwise.
func (w Writer) Probe(lines []Probed) error { return writeLines(w, ProbeFile, lines) }

// askedDir holds the rankings of what was asked otherwise, a packed file a task.
const askedDir = "asked"

func (f Folder) askedPath(benchmark, task string) string {
	return filepath.Join(askedDir, TaskFile(benchmark, task)+packedRun)
}

// Asked stores the rankings of what was asked otherwise, by Probed.Asked.
func (w Writer) Asked(benchmark, task string, run trec.Run, model string) error {
	return w.packedRun(w.at.askedPath(benchmark, task), run, model)
}

// Asked reads what Writer.Asked stored; nothing where it did not.
func (r Reader) Asked(benchmark, task string) (trec.Run, error) {
	run, _, err := openRun(r.at.path(r.at.askedPath(benchmark, task)))
	if errors.Is(err, fs.ErrNotExist) {
		return trec.Run{}, nil
	}
	return run, err
}
