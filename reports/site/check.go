package site

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"infbench/internal/disk"
	"infbench/internal/words"
	"infbench/reports"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// Checked is what checking a site found.
type Checked struct {
	Files     int // that were compared
	Differ    []string
	Unchecked []string
}

// Of returns the folder of a site, given that folder or one of its files that is not a full
// report; "" if path is neither.
func Of(path string, isFolder bool) string {
	dirs := []string{path}
	if !isFolder {
		if text, err := disk.ReadFile(path); err != nil || bytes.Contains(text, []byte(reports.DataStart)) {
			return ""
		}
		dirs = []string{filepath.Dir(path), filepath.Dir(filepath.Dir(path))}
	}
	for _, dir := range dirs {
		index, err := disk.ReadFile(filepath.Join(dir, indexFile))
		if err == nil && bytes.Contains(index, []byte(generator)) {
			return dir
		}
	}
	return ""
}

// Reports lists the full reports that a site keeps, that of its last commit first.
func Reports(dir string) ([]string, error) {
	var out []string
	for _, pattern := range []string{ReportFile, BaselineFile, reportsDir + "/*.html"} {
		found, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

// unknownCommand stands where the command of a trial would, which is not known.
const unknownCommand = "command-of-a-trial-that-is-not-at-hand"

// Check makes the pages and badges of a site again, from the history that lies there and the
// experiments of its full report, and compares them byte by byte; the numbers of the last
// commit in the history must be those of the experiments. Experiments that do not come from
// run folders lack the commands of their trials, which are then not checked. It does not
// check full reports, for which there is package verify.
func Check(dir string, exps []*results.Experiment, fromRuns bool, opts reports.Options) (*Checked, error) {
	f := &Folder{dir: dir}
	history, err := f.History()
	if err != nil {
		return nil, err
	}
	kept, err := f.Kept(history.Commits)
	if err != nil {
		return nil, err
	}
	c := &Checked{}
	if !fromRuns {
		exps = withoutCommands(exps)
		c.Unchecked = append(c.Unchecked, "The command that repeats each trial, on the pages of models")
	}
	files, err := Site(exps, history.Commits, kept, opts)
	if err != nil {
		return nil, fmt.Errorf("make the site again: %w", err)
	}
	made := map[string]bool{}
	for _, file := range files {
		made[file.Name] = true
		if file.Name == ReportFile || strings.HasPrefix(file.Name, reportsDir+"/") {
			continue
		}
		c.Files++
		there, err := disk.ReadFile(f.path(file))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			c.Differ = append(c.Differ, file.Name+" is not there")
		case err != nil:
			return nil, err
		case !alike(string(there), string(file.Data)):
			c.Differ = append(c.Differ, file.Name+" does not follow from the full report and the history")
		}
	}
	if err := c.strays(dir, made); err != nil {
		return nil, err
	}
	return c, c.last(exps, history.Commits)
}

// withoutCommands copies experiments with a mark for the commands of their trials.
func withoutCommands(exps []*results.Experiment) []*results.Experiment {
	out := make([]*results.Experiment, len(exps))
	for i, e := range exps {
		marked := *e
		marked.Trials = slices.Clone(e.Trials)
		for j := range marked.Trials {
			marked.Trials[j].Provenance.Command = unknownCommand
		}
		out[i] = &marked
	}
	return out
}

// alike reports whether a file is what was made again; a text may stand where the command
// of a trial is not known.
func alike(there, made string) bool {
	parts := strings.Split(made, unknownCommand)
	rest, found := strings.CutPrefix(there, parts[0])
	for _, part := range parts[1:] {
		at := strings.IndexByte(rest, '<')
		if !found || at < 0 {
			return false
		}
		rest, found = strings.CutPrefix(rest[at:], part)
	}
	return found && rest == ""
}

// strays finds pages and badges that a site does not have.
func (c *Checked) strays(dir string, made map[string]bool) error {
	for _, sub := range []string{modelsDir, badgesDir} {
		entries, err := disk.ReadDir(filepath.Join(dir, sub))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, e := range entries {
			if name := sub + "/" + e.Name(); !made[name] {
				c.Differ = append(c.Differ, words.Clean(name)+" is of no system of the full report or the history")
			}
		}
	}
	return nil
}

// last compares the numbers of the last commit in the history with those of experiments.
func (c *Checked) last(exps []*results.Experiment, history []Commit) error {
	if len(history) == 0 {
		return nil
	}
	v, err := scores.New(exps)
	if err != nil {
		return err
	}
	was, is := history[len(history)-1], Commit{Values: []CommitValue{}}
	is.measure(v)
	is.keep(was)
	if !reflect.DeepEqual(was.Values, is.Values) || !reflect.DeepEqual(was.Tasks, is.Tasks) || !reflect.DeepEqual(was.Seeds, is.Seeds) {
		c.Differ = append(c.Differ, fmt.Sprintf("%s: the numbers of the last commit, %s, are not those of the full report", HistoryFile, was.Commit))
	}
	return nil
}
