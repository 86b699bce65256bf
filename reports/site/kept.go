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

// Kept lists the commits of a history whose full report lies in the folder.
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

// Prune removes, after a site was put, the full reports of past commits that it no longer
// keeps, and no other file.
func (f *Folder) Prune(site []export.File, history []Commit) error {
	entries, err := disk.ReadDir(filepath.Join(f.dir, reportsDir))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	index := site[len(site)-1].Data // names all that are kept
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

// Last reads the full report of the last commit; nil where there is none.
func (f *Folder) Last() ([]byte, error) { return f.page(ReportFile) }

// Baseline reads what the next commit is held to: the full report of the last commit
// that a gate let pass by itself, which is the last one of all unless something else was
// put aside.
func (f *Folder) Baseline() ([]byte, error) {
	data, err := f.page(BaselineFile)
	if data == nil && err == nil {
		return f.Last()
	}
	return data, err
}

// DropBaseline removes what Baseline was put aside: the last report is it.
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
