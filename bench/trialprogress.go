package main

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"

	"infbench/bench/engine"
)

// progressDir holds, for every trial under way, what it has reported so far, one
// JSON object a line. It is for people who look on: nothing depends on it, so it
// is neither synced nor missed when it cannot be written.
const progressDir = "progress"

// phaseStart is the first line of an attempt.
const phaseStart = "start"

func progressPath(runDir, id string) string {
	return filepath.Join(runDir, progressDir, id+".jsonl")
}

// recordProgress passes reports on and writes them down, until closed.
func recordProgress(runDir, id string, pass func(engine.Progress)) (report func(engine.Progress), close func()) {
	path := progressPath(runDir, id)
	os.MkdirAll(filepath.Dir(path), 0o755)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return pass, func() {}
	}
	enc := json.NewEncoder(f)
	enc.Encode(engine.Progress{Phase: phaseStart})
	return func(p engine.Progress) {
		enc.Encode(p)
		pass(p)
	}, func() { f.Close() }
}

// readProgress reads what a trial reported; a line cut short is left out.
func readProgress(runDir, id string) []engine.Progress {
	f, err := os.Open(progressPath(runDir, id))
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
