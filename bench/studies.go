package main

import (
	"encoding/json"
	"path/filepath"

	"infbench/bench/results"
	"infbench/bench/runs"
	"infbench/bench/usage"
	"infbench/datasets/atomicfile"
	"infbench/reports"
	"infbench/reports/contrast"
)

// checkStudyName refuses a name that cannot be a file's.
func checkStudyName(name string) error {
	if name != results.FileName(name) {
		return usage.Errorf("--keep %q: want letters, digits, '-', '_' and '.'", name)
	}
	return nil
}

// keepStudy writes a study where the view of its kind finds it.
func keepStudy(s *contrast.Study, file string) error {
	var err error
	if s.SHA256, err = runs.SumOf(file); err != nil {
		return err
	}
	s.Format, s.File = reports.StudyFormat, filepath.Base(file)
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(runs.StudyFile(s.Kind, s.Name), append(data, '\n'))
}
