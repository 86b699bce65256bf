package foreign

import (
	"fmt"
	"strings"

	"infbench/metrics"
)

// trecEval is the output of trec_eval, with or without -q: "measure query value", with the query
// "all" for a mean.
type trecEval struct{}

// Name implements reader.
func (trecEval) Name() string { return "trec_eval" }

// Recognises implements reader.
func (trecEval) Recognises(head []byte) bool {
	fields := strings.Fields(firstLine(head))
	if len(fields) != 3 {
		return false
	}
	_, err := metrics.ParseTrec(fields[0])
	return err == nil
}

// Read implements reader. The printed run ID names the system.
func (trecEval) Read(path string, _ Options) ([]System, []string, error) {
	tag := ""
	systems, warnings, err := readValues(path, func(line string) (query, measure, value string, err error) {
		fields := strings.Fields(line)
		if len(fields) != 3 {
			return "", "", "", fmt.Errorf("%d fields, want measure, query and value", len(fields))
		}
		if fields[0] == "runid" || fields[0] == "relstring" {
			if fields[0] == "runid" {
				tag = fields[2]
			}
			return "", "", "", errSkip
		}
		return fields[1], trecMeasure(fields[0]), fields[2], nil
	})
	if tag != "" && len(systems) > 0 {
		systems[0].Model = tag
	}
	return systems, warnings, err
}

// trecMeasure translates trec_eval's name of a measure, or returns it unchanged.
func trecMeasure(name string) string {
	if found, err := metrics.ParseTrec(name); err == nil && len(found) == 1 && found[0].Measure != nil {
		return found[0].Measure.String()
	}
	return name
}
