package runs

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"infbench/metrics/nearest"
	"infbench/metrics/stats"
	"infbench/reports"
	"infbench/reports/contrast"
)

// StudyFile is where the numbers of a study of that kind and name are kept.
func StudyFile(kind, name string) string { return filepath.Join("runs", kind, name+".json") }

// ReadStudies reads what is kept of the kind that a view shows.
func ReadStudies(kind string) ([]*contrast.Study, error) {
	files, err := filepath.Glob(StudyFile(kind, "*"))
	if err != nil {
		return nil, err
	}
	var out []*contrast.Study
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var s contrast.Study
		if err := json.Unmarshal(data, &s); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if s.Format != reports.StudyFormat || s.Kind != kind {
			return nil, fmt.Errorf("%s: %w", path, nearest.Unknown("format of "+kind, s.Format+" "+s.Kind, []string{reports.StudyFormat + " " + kind}))
		}
		out = append(out, &s)
	}
	return out, nil
}

// Pointer is a number that may be undefined, as studies keep it.
func Pointer(n stats.Number) *float64 {
	if v, ok := n.Get(); ok {
		return &v
	}
	return nil
}

// Ends are those of an interval that may be undefined.
func Ends(i stats.Interval) (low, high *float64) {
	if l, h, ok := i.Get(); ok {
		return &l, &h
	}
	return nil, nil
}
