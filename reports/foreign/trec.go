package foreign

import (
	"path/filepath"
	"strings"

	"infbench/datasets/format"
	"infbench/internal/disk"
	"infbench/metrics/trec"
)

// trecRun is a TREC run file: "query Q0 document rank score tag".
type trecRun struct{}

// Name implements reader.
func (trecRun) Name() string { return "trec" }

// Recognises implements reader.
func (trecRun) Recognises(head []byte) bool {
	fields := strings.Fields(firstLine(head))
	return len(fields) >= 6 && isNumber(fields[4])
}

// Read implements reader. The tag of the run names the system.
func (trecRun) Read(path string, _ Options) ([]System, []string, error) {
	var warnings []string
	o := trec.Options{Warn: func(err error) { warnings = append(warnings, err.Error()) }}
	run, tag, err := format.OpenRun(path, o)
	if err != nil {
		return nil, nil, err
	}
	return []System{{Model: tag, Tasks: []Task{{Run: run}}}}, warnings, nil
}

// ReadQrels reads judgments in any layout of format.OpenQrels, or as ranx saves them.
func ReadQrels(path string, o trec.Options) (trec.Qrels, error) {
	path, err := format.QrelsFile(path)
	if err != nil {
		return nil, err
	}
	if ending := filepath.Ext(format.PlainName(path)); !disk.IsStream(path) && ending != ".jsonl" && ending != ".ndjson" {
		head, err := headOf(path)
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(strings.TrimSpace(firstLine(head)), "{") {
			return ranxQrels(path)
		}
	}
	return format.OpenQrels(path, o)
}
