package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"infbench/bench/heap"
	"infbench/internal/disk"
	"infbench/internal/words"
	"infbench/reports"
	"infbench/reports/verify"
	"infbench/runners/rescore"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// verifyOptions are the flags of verify.
type verifyOptions struct {
	runs, published []string
}

func verifyCommand() *cobra.Command {
	var o verifyOptions
	cmd := &cobra.Command{
		Use:   "verify REPORT.html... | RUN...",
		Short: "Recompute every number of a report or a run folder",
		Long: `Check that numbers are what their sources give.

An HTML report carries all per-query values: it is made again from them, and every
cell, text and chart that differs is named; means and differences are also worked
out by plain sums. --runs adds the run folders, which are verified as by themselves:
the SHA-256 of each trial's completion marker, to which all its files chain, every
value bit for bit, and what a report shows of training, machines and single queries.
--published gives the collections of others that it shows; the paper's tables are
known. Sections that cannot be made again from what is at hand are named.

A run folder is held to the SHA-256 of every file, the log of an active sweep to the
hash that each line has of the one before, and where the data of a
benchmark are at hand, own data where they lay, and have the content that was recorded,
its values are scored again from the saved rankings. What could not be is named.

Exit code 1 where anything differs.`,
		Example: `  infbench verify report.html
  infbench verify report.html --runs runs/demo
  infbench verify runs/demo`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(args, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringArrayVar(&o.runs, "runs", nil, "run folder that the reports were made from, or a folder of such; may be repeated")
	cmd.Flags().StringArrayVar(&o.published, "published", nil, "FOLDER or .tar.gz of MTEB result files that the reports show; may be repeated")
	return cmd
}

// run verifies each file and folder and prints what differs.
func (o verifyOptions) run(args []string, out io.Writer) error {
	differ := 0
	for _, name := range args {
		var n int
		info, err := disk.Stat(name)
		switch {
		case err != nil:
		case info.IsDir():
			n, err = verifyRuns(name, out)
		default:
			n, err = o.verifyReport(name, out)
		}
		if err != nil {
			return fmt.Errorf("verify %s: %w", name, err)
		}
		differ += n
	}
	if differ > 0 {
		return errors.New(words.Plural(differ, "difference", "differences"))
	}
	return nil
}

// differencesShown bounds what is listed of one file or folder.
const differencesShown = 100

// listDifferences prints what differs.
func listDifferences(out io.Writer, name string, differ []string) {
	for i, text := range differ {
		if i == differencesShown {
			fmt.Fprintf(out, "%s: ... and %d more\n", words.Clean(name), len(differ)-i)
			return
		}
		fmt.Fprintf(out, "DIFFERS %s\n", words.Clean(text))
	}
}

// verifyReport holds an HTML report to what it carries, and to run folders.
func (o verifyOptions) verifyReport(name string, out io.Writer) (differ int, err error) {
	page, err := disk.ReadFile(name)
	if err != nil {
		return 0, err
	}
	var exps []*results.Experiment
	if len(o.runs) > 0 {
		folders, err := runs.Within(o.runs)
		if err != nil {
			return 0, err
		}
		if exps, err = runs.LoadAll(folders); err != nil {
			return 0, err
		}
		if exps, err = shownOn(page, exps); err != nil {
			return 0, err
		}
	}
	held := verify.Options{Runs: exps, Heap: heap.Small}
	for _, name := range o.published {
		c, err := readPublished(name)
		if err != nil {
			return 0, err
		}
		held.Published = append(held.Published, c)
	}
	v, err := verify.Page(page, held)
	if err != nil {
		return 0, err
	}
	var list []string
	for _, f := range v.Differ {
		list = append(list, f.String())
	}
	again := rescore.New()
	rescored, err := scoreAgain(again, exps)
	if err != nil {
		return 0, err
	}
	list = append(list, rescored...)
	listDifferences(out, name, list)
	fmt.Fprintf(out, "%s: %d cells, %s", words.Clean(name), v.Cells, words.Plural(len(list), "difference", "differences"))
	if len(exps) > 0 {
		fmt.Fprintf(out, ", %d values scored again", again.Values)
	}
	fmt.Fprintln(out)
	for _, why := range append(v.Unchecked, again.NotChecked()...) {
		fmt.Fprintf(out, "%s: not checked: %s\n", words.Clean(name), words.Clean(why))
	}
	return len(list), nil
}

// scoreAgain scores the saved rankings of finished trials again and lists what differs.
func scoreAgain(c *rescore.Rescorer, exps []*results.Experiment) (differ []string, err error) {
	for _, e := range exps {
		for i := range e.Trials {
			if t := &e.Trials[i]; t.State == results.Done {
				at, err := runs.FolderOf(e, t)
				if err != nil {
					return nil, err
				}
				list, err := c.VerifyTrial(at)
				if err != nil {
					return nil, err
				}
				differ = append(differ, list...)
			}
		}
	}
	return differ, nil
}

// shownOn keeps the experiments that a page reports on, in its order, on which it depends
// of which trials single queries are shown; with what it shows of them beside their
// values.
func shownOn(page []byte, exps []*results.Experiment) ([]*results.Experiment, error) {
	d, err := reports.DataOf(page)
	if err != nil {
		return nil, err
	}
	place := map[string]int{} // of trials on the page
	for i, t := range d.Trials {
		if _, known := place[t.ID]; !known {
			place[t.ID] = i
		}
	}
	kept, first := []*results.Experiment{}, map[*results.Experiment]int{} // not nil: asked for, if none fits
	for _, e := range exps {
		for i := range e.Trials {
			at, shown := place[words.Clean(e.Trials[i].ID)]
			if !shown {
				continue
			}
			if before, known := first[e]; !known {
				kept, first[e] = append(kept, e), at
			} else {
				first[e] = min(before, at)
			}
		}
	}
	slices.SortStableFunc(kept, func(a, b *results.Experiment) int { return cmp.Compare(first[a], first[b]) })
	if len(d.Options.Published) > 0 {
		if err := runs.AddTies(kept); err != nil {
			return nil, err
		}
	}
	return kept, runs.AddQueries(kept)
}

// verifyRuns holds the trials of run folders to their hashes, and their values
// to their rankings.
func verifyRuns(name string, out io.Writer) (differ int, err error) {
	folders, err := runs.Within([]string{name})
	if err != nil {
		return 0, err
	}
	for _, dir := range folders {
		n, err := verifyRun(dir, out)
		if err != nil {
			return 0, err
		}
		differ += n
	}
	return differ, nil
}

// verifyRun checks one run folder.
func verifyRun(dir string, out io.Writer) (differ int, err error) {
	folder := runs.At(dir)
	trials, waiting, err := folder.Reader().Finished()
	if err != nil {
		return 0, err
	}
	if _, err := folder.Rounds().Read(); err != nil { // each line is held to the hash in the next
		return 0, err
	}
	c := rescore.New()
	for _, at := range trials {
		list, err := c.VerifyTrial(at)
		if err != nil {
			return 0, err
		}
		listDifferences(out, dir, list)
		differ += len(list)
	}
	fmt.Fprintf(out, "%s: %d trials, %d values scored again, %s\n", words.Clean(dir), len(trials), c.Values, words.Plural(differ, "difference", "differences"))
	if waiting > 0 {
		fmt.Fprintf(out, "%s: not checked: %d trials that are not finished\n", words.Clean(dir), waiting)
	}
	for _, why := range c.NotChecked() {
		fmt.Fprintf(out, "%s: not checked: %s\n", words.Clean(dir), words.Clean(why))
	}
	return differ, nil
}
