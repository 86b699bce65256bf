package runs

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"

	"infbench/bench/engine"
	"infbench/datasets/atomicfile"
)

// What trials under way have reported so far, one JSON object a line. It is for
// people who look on: nothing depends on it, so it is neither synced nor missed
// when it cannot be written.

const (
	PhaseStart   = "start"   // the first line of an attempt
	StoppedPhase = "stopped" // the last of a trial that was stopped as hopeless
)

func (f Folder) progressPath(id string) string {
	return filepath.Join(f.path(ProgressDir), id+".jsonl")
}

// RecordProgress passes reports on and writes them down, until closed.
func (f Folder) RecordProgress(id string, pass func(engine.Progress)) (report func(engine.Progress), close func()) {
	path := f.progressPath(id)
	atomicfile.MkdirAll(atomicfile.OS{}, filepath.Dir(path))
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return pass, func() {}
	}
	enc := json.NewEncoder(file)
	enc.Encode(engine.Progress{Phase: PhaseStart})
	return func(p engine.Progress) {
		enc.Encode(p)
		pass(p)
	}, func() { file.Close() }
}

// DropProgress removes what a finished trial reported.
func (f Folder) DropProgress(id string) { os.Remove(f.progressPath(id)) }

// Progress reads what a trial reported; a line cut short is left out.
func (f Folder) Progress(id string) []engine.Progress {
	file, err := atomicfile.Open(f.progressPath(id))
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
