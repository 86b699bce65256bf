package command

import (
	"fmt"
	"io"
	"path/filepath"

	"infbench/bench/heap"
	"infbench/internal/disk"
	"infbench/internal/words"
	"infbench/reports"
	"infbench/reports/site"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// verifySite verifies the full reports of a site, the current one with the run folders, and
// compares its other pages and badges with those made from that report and the history.
func (o verifyOptions) verifySite(dir string, out io.Writer) (differ int, unchecked bool, err error) {
	pages, err := site.Reports(dir)
	if err != nil {
		return 0, false, err
	}
	report := filepath.Join(dir, site.ReportFile)
	page, err := disk.ReadFile(report)
	if err != nil {
		return 0, false, err
	}
	d, err := reports.DataOf(page)
	if err != nil {
		return 0, false, err
	}
	for _, name := range pages {
		held := o
		if name != report {
			if held.runs, err = nil, readable(name); err != nil { // reports of other commits
				fmt.Fprintf(out, "%s: not checked: %s\n", words.Clean(name), words.Clean(err.Error()))
				continue
			}
		}
		n, open, err := held.verifyReport(name, out)
		if err != nil {
			return 0, false, fmt.Errorf("%s: %w", name, err)
		}
		differ, unchecked = differ+n, unchecked || open
	}
	exps := d.Experiments()
	if len(o.runs) > 0 {
		if exps, err = o.runsOf(d); err != nil {
			return 0, false, err
		}
	} else if len(d.Left) > 0 {
		fmt.Fprintf(out, "%s: not checked: boards, pages of models and badges: the full report does not carry all of its values: needs the run folders (--runs)\n", words.Clean(dir))
		return differ, true, nil
	}
	options := d.BuildOptions()
	options.Heap = heap.Small
	c, err := site.Check(dir, exps, len(o.runs) > 0, options)
	if err != nil {
		return 0, false, err
	}
	listDifferences(out, dir, c.Differ)
	fmt.Fprintf(out, "%s: %d files besides the full reports, %s\n", words.Clean(dir), c.Files, words.Plural(len(c.Differ), "difference", "differences"))
	for _, what := range c.Unchecked {
		fmt.Fprintf(out, "%s: not checked: %s: needs the run folders (--runs)\n", words.Clean(dir), what)
	}
	return differ + len(c.Differ), unchecked, nil
}

// readable returns the error if this build cannot read a page.
func readable(name string) error {
	page, err := disk.ReadFile(name)
	if err == nil {
		_, err = reports.DataOf(page)
	}
	return err
}

// runsOf reads the run folders that a page was made from.
func (o verifyOptions) runsOf(d *reports.Data) ([]*results.Experiment, error) {
	if len(d.Trials) == 0 {
		return []*results.Experiment{}, nil
	}
	folders, err := runs.Within(o.runs)
	if err != nil {
		return nil, err
	}
	exps, err := runs.LoadAll(folders)
	if err != nil {
		return nil, err
	}
	return shownOn(d, exps)
}
