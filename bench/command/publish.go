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
	before          string // the commit of the history that commit goes before
	rules, accepted string
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
it has the commit already, and with --before ahead of a later commit that was measured
first; the pages are always about the last commit of the history. They stand there with what differs from the commit before. Steps and slow
drifts of a number are named, by a sequential test (see infbench gate --help); full reports are kept of the last commit,
and of at most 12 at which something was named. With --rule what the gate says of the
commit is kept and shown: nothing keeps a commit from being published, but the baseline of
the next one (baseline.html, else report.html) stays what the gate last let pass by
itself, so that a drop fails until it is mended or accepted for good; one that is
undecided is held to it as well until the history tells. Each line of the history has the SHA-256 of the one before, and history.sha256
that of the whole: a history that was changed, reordered or cut is refused, with the
line. Runs are run folders or HTML reports; without RUN, every folder below runs/.`,
		Example: `  infbench publish site runs/demo
  infbench publish site runs/demo --commit 1a2b3c4 --date 2026-01-31T12:00:00Z
  infbench publish site runs/demo --commit 1a2b3c4 --rule .github/gate.yaml --accepted .github/accepted.yaml`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args[0], args[1:], cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&o.commit, "commit", "", "commit that was measured, to be added to the history")
	cmd.Flags().StringVar(&o.date, "date", "", "its date, shown as given")
	cmd.Flags().StringVar(&o.before, "before", "", "commit of the history that came after that of --commit and was measured first; the pages stay those of the last")
	cmd.Flags().StringVar(&o.rules, "rule", "", "rules of infbench gate that the commit is held to")
	cmd.Flags().StringVar(&o.accepted, "accepted", "", "with --rule: file of what was accepted (see infbench gate accept); none where it is not there")
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
		return errors.New("--date is that of --commit")
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
	if p.late(history.Commits) { // the pages are about the last commit
		if exps = p.last; exps == nil {
			fmt.Fprintf(out, "%s: %s alone: the page of the last commit does not carry all of its results\n", words.Clean(dir), site.HistoryFile)
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
	fmt.Fprintf(out, "%s: %d files\n", words.Clean(dir), len(files))
	if p.judged != nil {
		fmt.Fprintln(out, p.judged.Summary())
	}
	return nil
}
