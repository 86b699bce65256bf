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

// options are the flags of check.
type options struct {
	format, base, out string
}

// refusal says that a submission does not pass.
type refusal struct{ text string }

func (e refusal) Error() string { return e.text }
func (e refusal) ExitCode() int { return usage.ExitGate }

func checkCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "check DIR...",
		Short: "Hold submissions to their form, the benchmark and their own claims",
		Long: `Hold submissions to their form, to the benchmark and to their own claims. DIR is a
submission, the folder of a system, or the folder of all. All faults are named at once,
each with its file, and line where it has one:

  form         what submission.yaml lacks or has wrong; other files, links, sizes, names
  coverage     tasks and queries that are missing (unless "partial" says why), queries,
               documents and candidates that the task does not have, documents that come
               twice, rankings deeper than declared, scores that are no numbers
  conventions  the revision of the data, the depth, how p-MRR orders equal scores
  claims       rankings are scored again; a claimed value that lies further off than the
               rounding of four decimals is a fault, named with both numbers
  revisions    of one system only one may be shown: others are named by "replaces"

With --base, a folder of what is published, submissions that are in it unchanged are not
checked again, and a published ranking or score that changed is a fault. With --out what
passes becomes a run folder: report, publish, gate, verify and export read it.

Numbers are 0 to 1 in files, in JSON and in what is said of a value of theirs, and times
100 in tables. It exits with 3 where a submission has faults, with 1 where one could
not be checked.`,
		Example: `  infbench submit check submissions/acme__embed-1/3f2a1c9
  infbench submit check submissions --base published/submissions --format markdown
  infbench submit check submissions --out runs/submissions`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args, time.Now(), cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "text", "text, json or markdown")
	f.StringVar(&o.base, "base", "", "`DIR` of the submissions that are published")
	f.StringVar(&o.out, "out", "", "run folder to write of what passes")
	return cmd
}

// run checks, prints, and writes what passes.
func (o options) run(ctx context.Context, dirs []string, now time.Time, out io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	known, err := knownBenchmarks()
	if err != nil {
		return err
	}
	return o.hold(ctx, &checker{now, known, benches{map[string]*bench{}, map[string]error{}}}, dirs, out)
}

// hold holds submissions to a board.
func (o options) hold(ctx context.Context, k *checker, dirs []string, out io.Writer) error {
	all, err := o.find(dirs)
	if err != nil {
		return err
	}
	done, failed := k.checkAll(ctx, all)
	if err := ctx.Err(); err != nil {
		return err
	}
	settleRevisions(done, all.skipped)
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

// check refuses flags that make no sense.
func (o options) check() error {
	switch {
	case !slices.Contains(formats, o.format):
		return usage.Error{Err: nearest.Unknown("format", o.format, formats)}
	case o.base != "" && o.out != "":
		return usage.Errorf("submit check: --base leaves out what is published, which --out is to hold; give one of them")
	}
	return nil
}

// checkAll looks at every submission that is not published as it is. What could not be
// looked at does not stop the others.
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
			s.holdToPublished(all.published)
			done = append(done, s)
		}
	}
	return done, failed
}

// found are the submissions that were named, and what is published.
type found struct {
	places    []place
	skipped   []place           // published as they are
	published map[string]string // SHA-256 of the files of --base
	faults    []Fault           // of what lies beside them
}

// find lists the submissions of the folders, each once.
func (o options) find(dirs []string) (*found, error) {
	all := &found{}
	seen := map[string]bool{}
	for _, dir := range dirs {
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
	if err := o.findPublished(all, dirs); err != nil {
		return nil, err
	}
	if len(all.places)+len(all.faults) == 0 {
		return nil, usage.Errorf("%s holds no submission: that is a folder ORG__MODEL/REVISION with a %s", words.Listed(dirs), DeclarationFile)
	}
	return all, nil
}

// findPublished reads --base. Where the folder of all was named, what it lacks of that is
// a fault.
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

// write makes a run folder of what passes and is not replaced.
func (o options) write(done []*checked, k *checker) error {
	if o.out == "" {
		return nil
	}
	var systems []adoptedSystem
	for _, s := range done {
		if s.passes() && s.replacedBy == "" {
			systems = append(systems, s.system())
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

// passes says whether nothing speaks against a submission.
func (s *checked) passes() bool { return s.said != nil && s.faults.count() == 0 }

// standing says how far its numbers were checked.
func (s *checked) standing() results.Standing {
	if s.said == nil || len(s.tasks()) == 0 {
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
