package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"infbench/datasets/atomicfile"
	"infbench/metrics/nearest"
	"infbench/metrics/stats"
	"infbench/reports"
)

// studyFile is where the numbers of a study of that kind and name are kept.
func studyFile(kind, name string) string { return filepath.Join("runs", kind, name+".json") }

// checkStudyName refuses a name that cannot be a file's.
func checkStudyName(name string) error {
	if name != safeName(name) {
		return usagef("--keep %q: want letters, digits, '-', '_' and '.'", name)
	}
	return nil
}

// keepStudy writes a study where the view of its kind finds it.
func keepStudy(s *reports.Study, file string) error {
	var err error
	if s.SHA256, err = sumOf(file); err != nil {
		return err
	}
	s.Format, s.File = reports.StudyFormat, filepath.Base(file)
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(studyFile(s.Kind, s.Name), append(data, '\n'))
}

// readStudies reads what is kept of the kind that a view shows.
func readStudies(kind string) ([]*reports.Study, error) {
	files, err := filepath.Glob(studyFile(kind, "*"))
	if err != nil {
		return nil, err
	}
	var out []*reports.Study
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var s reports.Study
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

// pointer is a number that may be undefined, as studies keep it.
func pointer(n stats.Number) *float64 {
	if v, ok := n.Get(); ok {
		return &v
	}
	return nil
}

// ends are those of an interval that may be undefined.
func ends(i stats.Interval) (low, high *float64) {
	if l, h, ok := i.Get(); ok {
		return &l, &h
	}
	return nil, nil
}
