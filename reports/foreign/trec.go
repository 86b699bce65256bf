package foreign

import (
	"fmt"
	"strings"

	"infbench/datasets/format"
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

// ReadQrels reads judgments in the format of TREC or ranx, and returns warnings about doubtful
// lines.
func ReadQrels(path string) (qrels trec.Qrels, warnings []string, err error) {
	head, err := headOf(path)
	if err != nil {
		return nil, nil, err
	}
	if first := firstLine(head); strings.HasPrefix(strings.TrimSpace(first), "{") {
		qrels, err = ranxQrels(path)
		return qrels, nil, err
	}
	o := trec.Options{Warn: func(err error) { warnings = append(warnings, err.Error()) }}
	if qrels, err = format.OpenQrels(path, o); err != nil {
		return nil, nil, fmt.Errorf("judgments: %w", err)
	}
	return qrels, warnings, nil
}
