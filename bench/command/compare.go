package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"infbench/bench/flags"
	"infbench/bench/output"
	"infbench/datasets/format"
	"infbench/internal/disk"
	"infbench/internal/nearest"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/metrics"
	"infbench/metrics/stats"
	"infbench/metrics/trec"
	"infbench/reports/contrast"
	"infbench/reports/foreign"
	"infbench/runners/catalog"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// compareOptions are the flags of compare.
type compareOptions struct {
	qrels    string
	measures []string
	complete bool
	dropSelf bool
	plan     comparisonPlan
	format   string
}

func compareCommand() *cobra.Command {
	var o compareOptions
	cmd := &cobra.Command{
		Use:   "compare BASELINE RUN... --qrels QRELS",
		Short: "Test whether runs differ from a baseline run",
		Long: `Compare TREC run files, query by query, with the first of them. For each run: mean,
difference with its interval, effect size d_z, queries won, tied and lost, the queries
that moved most, and a paired test. "~" marks a difference that is not significant at
--alpha; p is corrected over the runs compared with the baseline. The rank column
(three runs or more) shows the places that a run may have when all pairs are tested and
runs that do not differ share a place; runs with a letter in common do not differ.

Tests: randomization (default; exact for few queries), t, wilcoxon, sign, and tukey
(randomised Tukey HSD over all runs, which needs no correction). The same seed gives
the same p on every machine.

The table has values and differences times 100; JSON, CSV and --difference are not scaled.
Measures are named as for infbench score. Only judged queries that are in all runs are
compared; --complete scores a missing query as an empty ranking instead.
Runs and judgments may be .gz or .zst. Runs of one system with several seeds are
joined by commas and averaged query by query.

--power estimates the smallest true difference that such a comparison finds in 80 % of
cases (--power=0.9: in 90 %), from the variance of the values over queries, and over seeds
if a system has several. With --difference D, it also estimates how many queries and seeds
are needed to find D.`,
		Example: `  infbench compare bm25.trec dense.trec --qrels qrels.txt --measure nDCG@10
  infbench compare a.trec b.trec c.trec --qrels qrels.txt --measure AP --measure P@10 --test tukey
  infbench compare a.trec b.trec --qrels qrels.txt --correct bh --format json
  infbench compare a1.trec,a2.trec b1.trec,b2.trec --qrels qrels.txt --power --difference 0.02`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(args, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	flags.Group(f, flags.MeasureFlags, func() {
		f.StringVar(&o.qrels, "qrels", "", "judgments (required)")
		f.StringArrayVar(&o.measures, "measure", []string{"nDCG@10"}, "measure; may be repeated")
		f.BoolVar(&o.complete, "complete", false, "score queries that a run lacks as empty rankings")
		flags.DropSelf(f, &o.dropSelf)
	})
	flags.Group(f, flags.TestFlags, func() {
		f.StringVar(&o.plan.Test, "test", "", strings.Join(stats.TestNames(), ", ")+`; default randomization, or t if a system has several runs: only t treats them as replicates`)
		f.StringVar(&o.plan.Correct, "correct", "holm", strings.Join(stats.Corrections(), ", "))
		f.Float64Var(&o.plan.Alpha, "alpha", 0.05, "a corrected p of at most this is significant")
		f.Float64Var(&o.plan.Confidence, "confidence", 0.95, "confidence of the intervals, simultaneous if p is corrected")
		f.IntVar(&o.plan.Permutations, "permutations", 10_000, "number of permutations for randomization and tukey")
		f.Uint64Var(&o.plan.Seed, "seed", 1, "seed of permutations")
		f.Float64Var(&o.plan.Power, "power", 0, "estimate the smallest difference found with this probability")
		f.Lookup("power").NoOptDefVal = "0.8"
		f.Float64Var(&o.plan.Difference, "difference", 0, "with --power: estimate the queries and seeds needed to find this difference, from 0 to 1")
	})
	flags.Group(f, flags.OutputFlags, func() {
		f.IntVar(&o.plan.Moved, "moved", 5, "show this many queries that moved most, for each run")
		f.StringVar(&o.format, "format", "table", strings.Join(output.Formats, ", "))
	})
	return cmd
}

// run compares the runs and prints what the flags ask for.
func (o *compareOptions) run(files []string, out, warnings io.Writer) error {
	measures, err := o.check()
	if err != nil {
		return err
	}
	read := trec.Options{Warn: func(err error) { fmt.Fprintln(warnings, "infbench:", words.Clean(err.Error())) }}
	names, systems := systemsOf(files)
	for _, file := range append(slices.Concat(systems...), o.qrels) {
		if err := cmp.Or(results.Hold(file), checkChosen(file)); err != nil {
			return err
		}
	}
	qrels, err := foreign.ReadQrels(o.qrels, read)
	if err != nil {
		return err
	}
	if err := o.choose(systems); err != nil {
		return err
	}
	scored := make([][]queryScores, len(systems))
	for i, runs := range systems {
		for _, file := range runs {
			run, _, err := format.OpenRun(file, read)
			if err != nil {
				return err
			}
			for _, note := range dropSelf(file, qrels, o.dropSelf, &run) {
				read.Warn(errors.New(note))
			}
			if warning := run.WarnUnjudged(file, o.qrels, qrels.Has); warning != "" {
				read.Warn(errors.New(warning))
			}
			scored[i] = append(scored[i], scoreRun(run, qrels, measures, o.complete))
		}
	}
	var all []comparison
	for m, measure := range measures {
		c, err := o.plan.Systems(measure, m, names, scored, qrels)
		if err != nil {
			return fmt.Errorf("%s: %w", measure, err)
		}
		all = append(all, *c)
	}
	var sheets []output.Sheet
	for _, c := range all {
		sheets = append(sheets, comparisonSheet(&c, *o))
		if o.plan.Power > 0 {
			sheets = append(sheets, powerSheet(&c, o.plan))
		}
		if o.plan.Moved > 0 {
			sheets = append(sheets, movedSheet(&c))
		}
	}
	return output.Print(out, o.format, all, comparisonCSV(all, *o), sheets...)
}

// checkChosen refuses a run of an active sweep that has not run all its cells. A plain test
// of such a run would show too much, so a report does not test it either.
func checkChosen(file string) error {
	chosen, err := runs.ChosenByResults(file)
	if err == nil && chosen {
		err = fmt.Errorf("%s: %s (infbench status, infbench claims)", file, contrast.Chosen)
	}
	return err
}

// check refuses invalid flags and completes the plan.
func (o *compareOptions) check() ([]metrics.Measure, error) {
	if err := output.CheckFormat(o.format); err != nil {
		return nil, err
	}
	switch {
	case o.qrels == "":
		return nil, usage.Errorf("compare: --qrels is required")
	case o.plan.Permutations < 1 || o.plan.Moved < 0:
		return nil, usage.Errorf("--permutations %d, --moved %d: want at least 1 and 0", o.plan.Permutations, o.plan.Moved)
	case !(o.plan.Confidence > 0 && o.plan.Confidence < 1):
		return nil, usage.Errorf("--confidence %v is not between 0 and 1", o.plan.Confidence)
	case !(o.plan.Alpha > 0 && o.plan.Alpha < 1):
		return nil, usage.Errorf("--alpha %v is not between 0 and 1", o.plan.Alpha)
	case !(o.plan.Power >= 0 && o.plan.Power < 1) || o.plan.Power > 0 && o.plan.Power <= o.plan.Alpha:
		return nil, usage.Errorf("--power %v is not between --alpha and 1", o.plan.Power)
	case !(o.plan.Difference >= 0) || o.plan.Difference > 0 && o.plan.Power == 0:
		return nil, usage.Errorf("--difference %v: want a number above 0, and --power", o.plan.Difference)
	case o.plan.Test != "" && !slices.Contains(stats.TestNames(), o.plan.Test):
		return nil, usage.Error{Err: nearest.Unknown("test", o.plan.Test, stats.TestNames())}
	}
	if _, err := stats.ParseCorrection(o.plan.Correct); err != nil {
		return nil, usage.Error{Err: err}
	}
	var measures []metrics.Measure
	for _, name := range o.measures {
		asked, err := catalog.ParseMeasure(name)
		if err != nil {
			return nil, usage.Error{Err: err}
		}
		for _, a := range asked {
			if a.Trec.Measure == nil {
				return nil, usage.Errorf("--measure %s: %s is not a mean over queries, so a test over queries does not apply to it", name, a.Trec.Name)
			}
			if _, err := metrics.Selector(a.Trec.Measure); err != nil {
				return nil, usage.Errorf("--measure %s: %w", name, err)
			}
			measures = append(measures, a.Trec.Measure)
		}
	}
	return measures, nil
}

// choose sets the default test for the systems.
func (o *compareOptions) choose(systems [][]string) error {
	several := slices.ContainsFunc(systems, func(runs []string) bool { return len(runs) > 1 })
	switch {
	case o.plan.Test == "" && several:
		o.plan.Test = "t"
	case o.plan.Test == "":
		o.plan.Test = "randomization"
	case several && o.plan.Test != "t":
		return usage.Errorf("--test %s does not account for replicates (several runs of a system): use --test t", o.plan.Test)
	}
	return nil
}

// systemsOf splits arguments into the runs of each system, at commas unless a file has that
// name, and shortens paths to file names if these still distinguish the systems.
func systemsOf(args []string) (names []string, systems [][]string) {
	for _, arg := range args {
		runs := []string{arg}
		if _, err := disk.Stat(arg); err != nil {
			runs = strings.Split(arg, ",")
		}
		systems = append(systems, runs)
		var short []string
		for _, run := range runs {
			short = append(short, filepath.Base(run))
		}
		names = append(names, strings.Join(short, ","))
	}
	if distinct := slices.Compact(slices.Sorted(slices.Values(names))); len(distinct) < len(names) {
		return args, systems
	}
	return names, systems
}
