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

// Checked is the result of checking a site.
type Checked struct {
	Files     int // number of compared files
	Differ    []string
	Unchecked []string
}

// Of returns the folder of a site for that folder or for one of its files other than full reports;
// "" if path is neither. //plain:ok its name
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

// Reports lists the full reports that a site keeps, that of the latest commit first.
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

// unknownCommand replaces the unknown command of a trial.
const unknownCommand = "command-of-a-trial-that-is-not-at-hand"

// Check makes the pages and badges of a site again, from its history and the experiments of its
// full report, and compares them byte by byte. The numbers of the last commit in the history must
// be those of the experiments. Experiments that do not come from run folders lack the commands of
// their trials, which are then not checked. Check does not check full reports; package verify does.
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
			c.Differ = append(c.Differ, file.Name+" is missing")
		case err != nil:
			return nil, err
		case !alike(string(there), string(file.Data)):
			c.Differ = append(c.Differ, file.Name+" does not follow from the full report and the history")
		}
	}
	if err := c.unexpected(dir, made); err != nil {
		return nil, err
	}
	return c, c.last(exps, history.Commits)
}

// withoutCommands copies experiments and replaces the commands of their trials by a mark.
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

// alike reports whether a file equals the newly made one, where any text may replace an unknown
// command.
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

// unexpected finds pages and badges that do not belong to a site.
func (c *Checked) unexpected(dir string, made map[string]bool) error {
	for _, sub := range []string{modelsDir, badgesDir} {
		entries, err := disk.ReadDir(filepath.Join(dir, sub))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, e := range entries {
			if name := sub + "/" + e.Name(); !made[name] {
				c.Differ = append(c.Differ, words.Clean(name)+" belongs to no system of the full report or the history")
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
