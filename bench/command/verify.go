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
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/reports"
	"infbench/reports/site"
	"infbench/reports/verify"
	"infbench/runners/contamination"
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
		Use:   "verify REPORT.html... | RUN... | SITE...",
		Short: "Recompute every number of a report, a run folder or a site",
		Long: `Check that numbers follow from their sources.

An HTML report carries all per-query values: it is made again from them, and every
cell, text and chart that differs is named; means and differences are also computed
by plain sums. --runs adds the run folders, which are verified too.
Then everything on the page must follow from them: values bit for bit, titles, settings,
hashes, machines, counts of contamination, texts of queries. --published gives the
published collections that a report shows; the paper's tables are built in. Studies of data
are compared with those stored below runs/. Everything that cannot be recomputed is
listed by heading, and so is everything the author gave, such as claims, or dates and
machines as the run folders record them.

The last line is the SHA-256 of all values, which a report shows at its end. It does not
depend on layout or order, so a paper can cite it.

In a run folder, every file is compared with its SHA-256, and every line of an active
sweep's log with the hash in the next line. If the data of a benchmark are on this machine
(your own data at their old path) with the recorded content, its values are scored again
from the saved rankings, and the counts of test texts in training data are counted again.
Everything that could not be checked is listed.

A site of infbench publish is verified by its full reports. Its other pages and badges must
follow from the report of the last commit and the history.

Exit code 1 if anything differs; 4 if nothing does, but a number of a board, test or
claim could not be computed again.`,
		Example: `  infbench verify report.html
  infbench verify report.html --runs runs/demo
  infbench verify runs/demo
  infbench verify site --runs runs/demo`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(args, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringArrayVar(&o.runs, "runs", nil, "run folder that the reports were made from, or a folder of such; may be repeated")
	cmd.Flags().StringArrayVar(&o.published, "published", nil, "FOLDER or .tar.gz of MTEB result files that the reports show; may be repeated")
	return cmd
}

// run verifies each file and folder and prints the differences.
func (o verifyOptions) run(args []string, out io.Writer) error {
	differ, unchecked := 0, false
	for _, name := range args {
		var n int
		var open bool
		info, err := disk.Stat(name)
		switch {
		case err != nil:
		case site.Of(name, info.IsDir()) != "":
			n, open, err = o.verifySite(site.Of(name, info.IsDir()), out)
		case info.IsDir():
			n, err = verifyRuns(name, out)
		default:
			n, open, err = o.verifyReport(name, out)
		}
		if err != nil {
			return fmt.Errorf("verify %s: %w", name, err)
		}
		differ += n
		unchecked = unchecked || open
	}
	switch {
	case differ > 0:
		return errors.New(words.Plural(differ, "difference", "differences"))
	case unchecked:
		return usage.Unchecked{Err: errors.New("no difference, but some numbers of a board, test or claim could not be checked")}
	}
	return nil
}

// differencesShown is the maximum number of differences listed for one file or folder.
const differencesShown = 100

// listDifferences prints the differences.
func listDifferences(out io.Writer, name string, differ []string) {
	for i, text := range differ {
		if i == differencesShown {
			fmt.Fprintf(out, "%s: ... and %d more\n", words.Clean(name), len(differ)-i)
			return
		}
		fmt.Fprintf(out, "DIFFERS %s\n", words.Clean(text))
	}
}

// verifyReport compares an HTML report with the values it carries, and with run folders.
// unchecked reports whether some numbers could not be checked.
func (o verifyOptions) verifyReport(name string, out io.Writer) (differ int, unchecked bool, err error) {
	page, err := disk.ReadFile(name)
	if err != nil {
		return 0, false, err
	}
	held := verify.Options{Heap: heap.Small}
	again := rescore.New()
	var list, open []string
	if len(o.runs) > 0 {
		if list, open, err = o.fromRuns(page, &held, again); err != nil {
			return 0, false, err
		}
	}
	for _, name := range o.published {
		c, err := readPublished(name)
		if err != nil {
			return 0, false, err
		}
		held.Published = append(held.Published, c)
	}
	v, err := verify.Page(page, held)
	if err != nil {
		return 0, false, err
	}
	var all []string
	for _, f := range v.Differ {
		all = append(all, f.String())
	}
	all = append(all, list...)
	listDifferences(out, name, all)
	fmt.Fprintf(out, "%s: %d cells, %s", words.Clean(name), v.Cells, words.Plural(len(all), "difference", "differences"))
	if len(held.Runs) > 0 {
		fmt.Fprintf(out, ", %d values scored again", again.Values)
	}
	fmt.Fprintln(out)
	for _, why := range slices.Concat(v.Unchecked, open, again.NotChecked()) {
		fmt.Fprintf(out, "%s: not checked: %s\n", words.Clean(name), words.Clean(why))
	}
	if len(held.Runs) > 0 {
		v.Given = append(v.Given, recorded)
	}
	for _, what := range v.Given {
		fmt.Fprintf(out, "%s: given by the author: %s\n", words.Clean(name), words.Clean(what))
	}
	if v.Digest != "" {
		fmt.Fprintf(out, "%s: SHA-256 of all values: %s\n", words.Clean(name), v.Digest)
	}
	return len(all), v.Numbers, nil
}

// fromRuns reads the sources of a page from the run folders and the studies next to them, and
// verifies those folders.
func (o verifyOptions) fromRuns(page []byte, into *verify.Options, again *rescore.Rescorer) (differ, unchecked []string, err error) {
	d, err := reports.DataOf(page)
	if err != nil {
		return nil, nil, err
	}
	if into.Runs, err = o.runsOf(d); err != nil {
		return nil, nil, err
	}
	if len(d.Options.Published) > 0 {
		into.Repositories = cardRepositories(into.Runs)
	}
	for _, kind := range reports.StudyViews() {
		if !slices.ContainsFunc(d.Options.Studies, func(s *results.Study) bool { return s.Kind == kind }) {
			continue
		}
		kept, err := runs.ReadStudies(kind)
		if err != nil {
			return nil, nil, err
		}
		into.Studies = append(into.Studies, kept...)
	}
	if differ, err = scoreAgain(again, into.Runs); err != nil {
		return nil, nil, err
	}
	for _, e := range into.Runs {
		counted, err := contamination.Again(runs.At(e.Dir))
		if err != nil {
			return nil, nil, err
		}
		into.Overlaps = append(into.Overlaps, counted.Shown...)
		differ, unchecked = append(differ, counted.Differ...), append(unchecked, counted.Unchecked...)
	}
	others, err := runs.ReadOverlaps()
	for _, c := range others {
		if slices.Contains(d.Options.Overlaps, c) {
			into.Overlaps = append(into.Overlaps, c)
		}
	}
	return differ, unchecked, err
}

// recorded names the contents of run folders that cannot be recomputed.
const recorded = "dates, programs, machines, commands and experiment files, as the run folders record them"

// scoreAgain scores the saved rankings of finished trials again and lists the differences.
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

// shownOn keeps the experiments that a page reports on, in its order. That order decides
// which trials show single queries; those queries are kept, too.
func shownOn(d *reports.Data, exps []*results.Experiment) ([]*results.Experiment, error) {
	place := map[string]int{} // of trials on the page
	for i, t := range d.Trials {
		if _, known := place[t.ID]; !known {
			place[t.ID] = i
		}
	}
	kept, first := []*results.Experiment{}, map[*results.Experiment]int{} // not nil, so that "none fits" differs from "not asked for"
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

// verifyRuns checks the trials of run folders against their hashes, and their values against
// their rankings.
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
	if _, err := folder.Rounds().Read(); err != nil { // each line is checked by the hash in the next
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
	counted, err := contamination.Again(folder)
	if err != nil {
		return 0, err
	}
	listDifferences(out, dir, counted.Differ)
	differ += len(counted.Differ)
	fmt.Fprintf(out, "%s: %d trials, %d values scored again, %s\n", words.Clean(dir), len(trials), c.Values, words.Plural(differ, "difference", "differences"))
	if waiting > 0 {
		fmt.Fprintf(out, "%s: not checked: %d trials that are not finished\n", words.Clean(dir), waiting)
	}
	for _, why := range append(c.NotChecked(), counted.Unchecked...) {
		fmt.Fprintf(out, "%s: not checked: %s\n", words.Clean(dir), words.Clean(why))
	}
	if differ > 0 || len(trials) == 0 {
		return differ, nil
	}
	fmt.Fprintf(out, "%s: given by the author: %s\n", words.Clean(dir), recorded)
	exps, err := runs.LoadAll([]string{dir})
	if err != nil {
		return 0, err
	}
	digest, err := reports.DigestOf(exps)
	if digest != "" {
		fmt.Fprintf(out, "%s: SHA-256 of all values: %s\n", words.Clean(dir), digest)
	}
	return 0, err
}
