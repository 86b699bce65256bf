package command

import (
	"fmt"
	"path/filepath"
	"strings"

	"infbench/internal/disk"
	"infbench/reports"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// loadSets reads run folders and HTML reports.
func loadSets(names []string) ([]*results.Experiment, error) {
	var out []*results.Experiment
	for _, name := range names {
		exps, err := loadSet(name)
		if err != nil {
			return nil, err
		}
		out = append(out, exps...)
	}
	return out, nil
}

// loadSet reads a run folder, or the values that an HTML report carries.
func loadSet(name string) ([]*results.Experiment, error) {
	if !strings.EqualFold(filepath.Ext(name), ".html") {
		return runs.LoadAll([]string{name})
	}
	data, err := readReportData(name)
	if err != nil {
		return nil, err
	}
	if len(data.Left) > 0 {
		return nil, fmt.Errorf("%s carries only a part of its values; give the run folders instead", name)
	}
	return data.Experiments(), nil
}

// readReportData reads what an HTML report carries.
func readReportData(name string) (*reports.Data, error) {
	page, err := disk.ReadFile(name)
	if err != nil {
		return nil, err
	}
	d, err := reports.ReadData(page)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return d, nil
}
