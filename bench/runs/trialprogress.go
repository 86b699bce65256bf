package runs

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"

	"infbench/bench/engine"
)

// ProgressDir holds, for every trial under way, what it has reported so far, one
// JSON object a line. It is for people who look on: nothing depends on it, so it
// is neither synced nor missed when it cannot be written.
const ProgressDir = "progress"

// PhaseStart is the first line of an attempt.
const PhaseStart = "start"

func ProgressPath(runDir, id string) string {
	return filepath.Join(runDir, ProgressDir, id+".jsonl")
}

// RecordProgress passes reports on and writes them down, until closed.
func RecordProgress(runDir, id string, pass func(engine.Progress)) (report func(engine.Progress), close func()) {
	path := ProgressPath(runDir, id)
	os.MkdirAll(filepath.Dir(path), 0o755)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return pass, func() {}
	}
	enc := json.NewEncoder(f)
	enc.Encode(engine.Progress{Phase: PhaseStart})
	return func(p engine.Progress) {
		enc.Encode(p)
		pass(p)
	}, func() { f.Close() }
}

// ReadProgress reads what a trial reported; a line cut short is left out.
func ReadProgress(runDir, id string) []engine.Progress {
	f, err := os.Open(ProgressPath(runDir, id))
	if err != nil {
		return nil
	}
	defer f.Close()
	var all []engine.Progress
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var p engine.Progress
		if json.Unmarshal(lines.Bytes(), &p) == nil {
			all = append(all, p)
		}
	}
	return all
}
