package foreign

import (
	"encoding/json"
	"fmt"
	"strings"
)

// irMeasures is the output of the command ir_measures: lines of "measure value", or with -q "query
// measure value" and "all measure value", separated by tabs; or the same as JSON Lines, with
// query_id, measure and value.
type irMeasures struct{}

// Name implements reader.
func (irMeasures) Name() string { return "ir_measures" }

// Recognises implements reader.
func (irMeasures) Recognises(head []byte) bool {
	_, measure, _, err := irLine(firstLine(head))
	if err != nil {
		return false
	}
	_, ok := known(measure)
	return ok
}

// allQueries marks the line of a mean in ir_measures and trec_eval.
const allQueries = "all"

// Read implements reader.
func (irMeasures) Read(path string, _ Options) ([]System, []string, error) {
	return readValues(path, irLine)
}

// irLine splits a line; the query of a mean is "all".
func irLine(line string) (query, measure, value string, err error) {
	if strings.HasPrefix(strings.TrimSpace(line), "{") {
		return irObject(line)
	}
	fields := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
	if len(fields) == 2 {
		fields = append([]string{allQueries}, fields...)
	}
	if len(fields) != 3 {
		return "", "", "", fmt.Errorf("%d fields between tabs, want measure and value, or query, measure and value", len(fields))
	}
	return fields[0], strings.TrimSpace(fields[1]), strings.TrimSpace(fields[2]), nil
}

// irObject reads a line of JSON.
func irObject(line string) (query, measure, value string, err error) {
	var object struct {
		Query   *string      `json:"query_id"`
		Measure string       `json:"measure"`
		Value   *json.Number `json:"value"`
	}
	if err := json.Unmarshal([]byte(line), &object); err != nil {
		return "", "", "", err
	}
	if object.Measure == "" || object.Value == nil {
		return "", "", "", fmt.Errorf("want an object with measure and value, and query_id unless it is a mean")
	}
	query = allQueries
	if object.Query != nil {
		query = *object.Query
	}
	return query, object.Measure, object.Value.String(), nil
}
