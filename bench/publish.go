package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"infbench/bench/contamination"
	"infbench/bench/runs"
	"infbench/bench/usage"
	"infbench/datasets/atomicfile"
	"infbench/reports"
	"infbench/reports/site"
)

// publishOptions are the flags of publish.
type publishOptions struct {
	commit, date string
}

func publishCommand() *cobra.Command {
	var o publishOptions
	cmd := &cobra.Command{
		Use:   "publish DIR [RUN...]",
		Short: "Write a static site: leaderboard, a page for each model, history",
		Long: `Write a static site into DIR: index.html, a page and a badge (SVG) for each model,
the full report, and history.jsonl. It runs no script, loads nothing and works from
disk as from any host. The same input gives the same bytes.

With --commit the numbers are added to the history in DIR, in their old place where
it has the commit already, and commits with which a number settled elsewhere are
named. Runs are run folders or HTML reports; without RUN, every folder below runs/.`,
		Example: `  infbench publish site runs/demo
  infbench publish site runs/demo --commit 1a2b3c4 --date 2026-01-31T12:00:00Z`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(args[0], args[1:], cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&o.commit, "commit", "", "commit that was measured, to be added to the history")
	cmd.Flags().StringVar(&o.date, "date", "", "its date, shown as given")
	return cmd
}

// run writes the site.
func (o publishOptions) run(dir string, folder []string, out io.Writer) (err error) {
	if o.commit == "" && o.date != "" {
		return usage.Errorf("publish: --date is that of --commit")
	}
	if folder, err = runs.NamedOrAll(folder); err != nil {
		return err
	}
	exps, err := loadSets(folder)
	if err != nil {
		return err
	}
	name := filepath.Join(dir, site.HistoryFile)
	data, err := atomicfile.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	history, err := site.ReadHistory(name, data)
	if err != nil {
		return err
	}
	if o.commit != "" {
		if history, err = site.Record(history, o.commit, o.date, exps); err != nil {
			return usage.Error{Err: fmt.Errorf("publish: %w", err)}
		}
	}
	if err := runs.AddQueries(exps); err != nil {
		return err
	}
	overlaps, err := contamination.Shown(exps)
	if err != nil {
		return err
	}
	files, err := site.Site(exps, history, reports.Options{Overlaps: overlaps})
	if err != nil {
		return err
	}
	return writeExport(dir, files, out)
}
