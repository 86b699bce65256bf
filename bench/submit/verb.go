package submit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"infbench/datasets"
	"infbench/internal/nearest"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// options are the flags of submit check.
type options struct {
	format, base, out string
}

// refusal is the error of a refused submission.
type refusal struct{ text string }

func (e refusal) Error() string { return e.text }
func (e refusal) ExitCode() int { return usage.ExitGate }

func checkCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "check DIR...",
		Short: "Check submissions against their format, the benchmark and their own claims",
		Long: `Check submissions against their format, the benchmark and their own claims. DIR is a
submission, the folder of a system, or the folder of all submissions; it may also be a
run folder of the board. All faults are listed at once, each with its file, and its line
if there is one:

  form         missing or wrong keys of submission.yaml; other files, links, sizes, names
  coverage     tasks and queries that are missing (unless "partial" gives a reason);
               queries, documents and candidates that the task does not have; documents
               that occur twice, rankings deeper than declared, invalid scores
  conventions  the revision of the data, the depth, the order of equal scores in p-MRR
  claims       rankings are scored again; a claimed value that differs by more than the
               rounding to four decimals is a fault, listed with both numbers
  revisions    only one revision of a system may be shown: it "replaces" the others

A note names the row of the board, submitted or in a run folder, whose rankings a
submission repeats.

With --base, a folder of published submissions, unchanged submissions are not checked
again, and a changed ranking or score of a published one is a fault. --out writes the
valid submissions to a run folder, which report, publish, gate, verify and export read.

Numbers are from 0 to 1 in files, in JSON and in faults, and times 100 in tables. The
exit code is 3 if a submission has faults, and 1 if one could not be checked.`,
		Example: `  infbench submit check submissions/acme__embed-1/3f2a1c9
  infbench submit check submissions --base published/submissions --format markdown
  infbench submit check submissions runs/board --out runs/submissions`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args, time.Now(), cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "text", "text, json or markdown")
	f.StringVar(&o.base, "base", "", "`DIR` of the published submissions")
	f.StringVar(&o.out, "out", "", "run folder to write, with the valid submissions")
	return cmd
}

// run checks submissions, prints the results, and writes the valid ones.
func (o options) run(ctx context.Context, dirs []string, now time.Time, out io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	known, err := knownBenchmarks()
	if err != nil {
		return err
	}
	return o.checkFolders(ctx, &checker{now, known, benches{map[string]*bench{}, map[string]error{}}}, dirs, out)
}

// checkFolders checks the submissions in folders against a board.
func (o options) checkFolders(ctx context.Context, k *checker, dirs []string, out io.Writer) error {
	all, err := o.find(dirs)
	if err != nil {
		return err
	}
	done, failed := k.checkAll(ctx, all)
	if err := ctx.Err(); err != nil {
		return err
	}
	settleRevisions(done, all.skipped)
	if err := nameCopies(done, all); err != nil {
		return err
	}
	summary := summaryOf(done, all)
	if err := summary.print(out, o.format); err != nil {
		return err
	}
	if failed != nil {
		return failed
	}
	if err := o.write(done, k); err != nil {
		return err
	}
	if n := summary.Refused; n > 0 {
		return refusal{words.Plural(n, "submission is", "submissions are") + " refused"}
	}
	return nil
}

// check returns an error for flags that do not go together.
func (o options) check() error {
	switch {
	case !slices.Contains(formats, o.format):
		return usage.Error{Err: nearest.Unknown("format", o.format, formats)}
	case o.base != "" && o.out != "":
		return usage.Errorf("submit check: --base skips published submissions, but --out must have them; give only one of the two")
	}
	return nil
}

// checkAll checks every submission that is not already published with the same files. An error
// in one does not stop the others.
func (k *checker) checkAll(ctx context.Context, all *found) (done []*checked, failed error) {
	for _, at := range all.places {
		switch {
		case ctx.Err() != nil:
			return done, failed
		case unchanged(all.published, at):
			all.skipped = append(all.skipped, at)
			continue
		}
		s, err := k.check(at)
		failed = errors.Join(failed, err)
		if s != nil {
			s.checkPublished(all.published)
			done = append(done, s)
		}
	}
	return done, failed
}

// found are the submissions to check and the published ones.
type found struct {
	places    []place
	skipped   []place           // published with the same files
	published map[string]string // SHA-256 of the files of --base
	faults    []Fault           // faults of other files next to submissions
	board     []string          // run folders of the board
}

// find lists the submissions in the folders, each once.
func (o options) find(dirs []string) (*found, error) {
	all := &found{}
	seen := map[string]bool{}
	var top []string
	for _, dir := range dirs {
		if runs.At(dir).IsRun() {
			all.board = append(all.board, dir)
			continue
		}
		top = append(top, dir)
		places, faults, err := placesIn(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, usage.Errorf("submit check: %w", err)
		}
		if err != nil {
			return nil, err
		}
		all.faults = append(all.faults, faults...)
		for _, at := range places {
			if abs, err := filepath.Abs(at.dir); err == nil && !seen[abs] {
				seen[abs] = true
				all.places = append(all.places, at)
			}
		}
	}
	if err := o.findPublished(all, top); err != nil {
		return nil, err
	}
	if len(all.places)+len(all.faults) == 0 {
		return nil, usage.Errorf("%s has no submission: that is a folder ORG__MODEL/REVISION with a %s", words.Listed(dirs), DeclarationFile)
	}
	return all, nil
}

// findPublished reads --base. If the folder of all submissions was named, every published one
// must be in it.
func (o options) findPublished(all *found, dirs []string) (err error) {
	if o.base == "" {
		return nil
	}
	if all.published, err = publishedIn(o.base); err != nil {
		return fmt.Errorf("--base: %w", err)
	}
	if len(dirs) == 1 && isTop(dirs[0]) {
		all.faults = append(all.faults, gone(filepath.ToSlash(filepath.Clean(dirs[0])), all.published, all.places)...)
	}
	return nil
}

// write makes a run folder from the valid submissions that are not replaced.
func (o options) write(done []*checked, k *checker) error {
	if o.out == "" {
		return nil
	}
	var systems []adoptedSystem
	for _, s := range done {
		if s.passes() && s.replacedBy == "" {
			systems = append(systems, s.systems()...)
		}
	}
	if len(systems) == 0 {
		return nil
	}
	loaded := map[string]*datasets.Benchmark{}
	for name, b := range k.benches.loaded {
		loaded[name] = b.Benchmark
	}
	return adopt(runs.At(o.out), filepath.Base(filepath.Clean(o.out)), systems, loaded)
}

// passes reports whether a submission has no faults.
func (s *checked) passes() bool { return s.declaration != nil && s.faults.count() == 0 }

// standing reports how far the numbers were checked.
func (s *checked) standing() results.Standing {
	if s.declaration == nil || len(s.tasks()) == 0 {
		return results.Measured
	}
	claimed := 0
	for _, at := range s.tasks() {
		if s.runs[at] == nil {
			claimed++
		}
	}
	return results.StandingOf(claimed, len(s.tasks()))
}
