package command

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"infbench/bench/heap"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/reports"
	"infbench/reports/site"
	"infbench/runners/contamination"
	"infbench/runners/runs"
)

// publishOptions are the flags of publish.
type publishOptions struct {
	commit, date    string
	before          string // the next commit in the history after the published one
	rules, accepted string
}

func publishCommand() *cobra.Command {
	var o publishOptions
	cmd := &cobra.Command{
		Use:   "publish DIR [RUN...]",
		Short: "Write a static site: leaderboard, a page for each model, history",
		Long: `Write a static site into DIR: index.html, a page and a badge (SVG) for each model,
the full report, and history.jsonl. It runs no script, loads nothing, and works from
disk as well as from any host. The same input gives the same bytes.

With --commit, the numbers are added to the history in DIR, or replaced if it has the
commit already; --before inserts them ahead of a later commit that was measured first.
The pages always show the last commit of the history, with its differences from the commit
before. Steps and slow drifts of a number are marked, by a sequential test (see infbench
gate --help); full reports are kept of the last commit and of at most 12 marked ones. With
--rule, the gate's outcome is stored and shown. Every commit is published, but the
baseline of the next one (baseline.html, else report.html) stays the last commit that
passed the gate by itself. So a drop fails until it is fixed or permanently accepted. The
next commits are also checked against that baseline after an undecided commit, until the
history decides. Each line of the history has the SHA-256 of the one before, and
history.sha256 that of the complete file: a history that was changed, reordered or cut is
refused, with the line. Runs are run folders or HTML reports; without RUN, every folder
below runs/.`,
		Example: `  infbench publish site runs/demo
  infbench publish site runs/demo --commit 1a2b3c4 --date 2026-01-31T12:00:00Z
  infbench publish site runs/demo --commit 1a2b3c4 --rule .github/gate.yaml --accepted .github/accepted.yaml`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args[0], args[1:], cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&o.commit, "commit", "", "measured commit, to be added to the history")
	cmd.Flags().StringVar(&o.date, "date", "", "its date, shown as given")
	cmd.Flags().StringVar(&o.before, "before", "", "insert before this commit of the history, which was measured first; the pages still show the last commit")
	cmd.Flags().StringVar(&o.rules, "rule", "", "rules of infbench gate to check the commit against")
	cmd.Flags().StringVar(&o.accepted, "accepted", "", "with --rule: file of accepted changes (see infbench gate accept); may be missing")
	return cmd
}

// check refuses flags that make no sense.
func (o publishOptions) check() error {
	switch {
	case o.commit != "" && o.accepted != "" && o.rules == "":
		return errors.New("--accepted is for --rule")
	case o.commit != "":
		return site.CheckName(o.commit)
	case o.before != "":
		return errors.New("--before is for --commit")
	case o.date != "":
		return errors.New("--date is for --commit")
	case o.rules != "":
		return errors.New("--rule is for --commit")
	case o.accepted != "":
		return errors.New("--accepted is for --rule")
	}
	return nil
}

// run writes the site.
func (o publishOptions) run(ctx context.Context, dir string, folder []string, out io.Writer) (err error) {
	if err := o.check(); err != nil {
		return usage.Errorf("publish: %w", err)
	}
	if folder, err = runs.NamedOrAll(folder); err != nil {
		return err
	}
	exps, err := loadSets(folder)
	if err != nil {
		return err
	}
	at, err := site.Claim(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, at.Release()) }()
	history, err := at.History()
	if err != nil {
		return err
	}
	p := push{publishOptions: o, at: at, results: exps}
	if o.commit != "" {
		if history.Commits, err = p.record(history.Commits); err != nil {
			return err
		}
	}
	if p.late(history.Commits) { // the pages show the last commit
		if exps = p.last; exps == nil {
			fmt.Fprintf(out, "%s: only %s is written: the page of the last commit does not carry all of its results\n", words.Clean(dir), site.HistoryFile)
			return p.putHistory(history.Commits)
		}
	}
	if err := runs.AddQueries(exps); err != nil {
		return err
	}
	overlaps, err := contamination.Shown(exps)
	if err != nil {
		return err
	}
	kept, err := at.Kept(history.Commits)
	if err != nil {
		return err
	}
	files, err := site.Site(exps, history.Commits, kept, reports.Options{Overlaps: overlaps, Heap: heap.Small})
	if err != nil {
		return err
	}
	if err := p.put(files, history.Commits); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %s\n", words.Clean(dir), words.Plural(len(files), "file", "files"))
	if p.judged != nil {
		fmt.Fprintln(out, p.judged.Summary())
	}
	return nil
}
