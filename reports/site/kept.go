package site

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"infbench/internal/disk"
	"infbench/reports/export"
)

// Kept lists the commits of a history whose full report is in the folder.
func (f *Folder) Kept(history []Commit) ([]string, error) {
	var out []string
	for _, c := range history {
		switch _, err := disk.Stat(filepath.Join(f.dir, filepath.FromSlash(keptReport(c.Commit)))); {
		case err == nil:
			out = append(out, c.Commit)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
	}
	return out, nil
}

// Prune removes the full reports of past commits that a newly written site no longer keeps, and no
// other files.
func (f *Folder) Prune(site []export.File, history []Commit) error {
	entries, err := disk.ReadDir(filepath.Join(f.dir, reportsDir))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	index := site[len(site)-1].Data // it names all kept reports
	for _, e := range entries {
		name := reportsDir + "/" + e.Name()
		ours := slices.ContainsFunc(history, func(c Commit) bool { return keptReport(c.Commit) == name })
		if ours && e.Type().IsRegular() && !bytes.Contains(index, []byte(name)) {
			if err := f.files.Remove(filepath.Join(f.dir, reportsDir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// Last reads the full report of the last commit; nil if there is none.
func (f *Folder) Last() ([]byte, error) { return f.page(ReportFile) }

// Baseline reads the report with which the next commit is compared: that of the last commit that
// passed the gate by itself, without an acceptance. That is the report of the last commit, unless a
// separate baseline was saved.
func (f *Folder) Baseline() ([]byte, error) {
	data, err := f.page(BaselineFile)
	if data == nil && err == nil {
		return f.Last()
	}
	return data, err
}

// DropBaseline removes a separate baseline, which makes the last report the baseline.
func (f *Folder) DropBaseline() error {
	err := f.files.Remove(filepath.Join(f.dir, BaselineFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (f *Folder) page(name string) ([]byte, error) {
	data, err := disk.ReadFile(filepath.Join(f.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}
