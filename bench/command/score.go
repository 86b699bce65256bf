package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"infbench/bench/flags"
	"infbench/bench/heap"
	"infbench/bench/output"
	"infbench/datasets/format"
	"infbench/internal/nearest"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/metrics"
	"infbench/metrics/trec"
	"infbench/reports/foreign"
	"infbench/runners/catalog"
	"infbench/runners/results"
)

// scoreFlags are the flags of score.
type scoreFlags struct {
	qrels, run                string
	runBefore, changed        string
	qrelsBefore               string
	runReversed               string
	subtopics, judge, zscores string
	measures                  []string
	format                    string
	perQuery, float32         bool
	complete, judgedOnly      bool
	dropSelf                  bool
	level, depth              int
}

// scoreCommand is the verb score: it scores a run file by any measure, from TREC files alone,
// and prints the values in our formats or as trec_eval does.
func scoreCommand() *cobra.Command {
	var f scoreFlags
	cmd := &cobra.Command{
		Use:   "score QRELS RUN [--measure NAME]...",
		Short: "Score a TREC run file with any measure",
		Long: `Score the run file RUN against the judgments QRELS, in trec_eval's order or named by
--qrels and --run. Runs are in TREC format, judgments too or in a table (BEIR's TSV,
parquet, JSON Lines, CSV), in ranx's JSON, or in a folder with a file qrels or
qrels/test.tsv. Each file may be packed with gzip or zstd.

Measures are named as ir_measures names them (infbench list measures lists them) or as
trec_eval does: map, P.5,10, map_cut_10, official, all_trec. Without --measure the
official set of trec_eval is computed, and p-MRR if there is a pair of runs.
--format trec prints the same as trec_eval; its measures of preference and
judgment-group files (-R prefs, qrels_prefs, qrels_jg) are not supported. The table has
values times 100 and unscaled counts; the other formats scale nothing.

A query counts if it has both a ranking and judgments; with --complete every
judged query counts, with a missing ranking as an empty one. A mean is over the
queries for which the measure is defined.

For pairs of an original and a changed instruction, --run is the run under the
changed one and --run-before that under the original; the changed documents are read from
--changed (one query and document on each line) or found by comparing --qrels-before, the
judgments under the original instruction, with --qrels. If a measure of pairs is
asked for, mteb 2's queries X-og and X-changed are the pair X, in two files or in one.`,
		Example: `  infbench score qrels.txt run.txt --measure nDCG@10 --measure AP
  infbench score --qrels qrels.txt --run run.txt --measure all_trec --per-query --format trec
  infbench score --run changed.run --run-before original.run --changed changed.tsv --measure p-MRR
  infbench score --judge scores.txt --measure INSTFOL
  infbench score --qrels changed.qrels --run changed.run --run-before original.run --qrels-before original.qrels \
    --measure p-MRR --measure "FollowIR(measure=AP@1000,qrels='original')"`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.take(args); err != nil {
				return err
			}
			return f.score(cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	set := cmd.Flags()
	flags.Group(set, flags.DataFlags, func() {
		set.StringVar(&f.qrels, "qrels", "", "judgments `FILE`, or a folder with it")
		set.StringVar(&f.run, "run", "", "run `FILE`; for pairs, the one under the changed instruction")
		set.StringVar(&f.subtopics, "subtopics", "", "judgments `FILE` by aspect (alpha_nDCG, ERR_IA)")
		set.StringVar(&f.judge, "judge", "", "`FILE` of query and a judge's scores without and with the instruction (INSTFOL)")
	})
	flags.Group(set, flags.PairFlags, func() {
		set.StringVar(&f.runBefore, "run-before", "", "run `FILE` under the original instruction")
		set.StringVar(&f.changed, "changed", "", "`FILE` of query and document whose relevance changed")
		set.StringVar(&f.qrelsBefore, "qrels-before", "", "judgments `FILE` under the original instruction")
		set.StringVar(&f.runReversed, "run-reversed", "", "run `FILE` under the reversed instruction (WISE, SICR)")
	})
	flags.Group(set, flags.MeasureFlags, func() {
		set.StringArrayVar(&f.measures, "measure", nil, "`NAME` of a measure, repeatable")
		set.BoolVar(&f.complete, "complete", false, "count every judged query, as trec_eval -c")
		flags.DropSelf(set, &f.dropSelf)
	})
	flags.Group(set, flags.TrecFlags, func() {
		set.IntVar(&f.level, "level", 1, "least `GRADE` that counts as relevant, as trec_eval -l")
		set.BoolVar(&f.judgedOnly, "judged-only", false, "drop documents without a judgment, as trec_eval -J")
		set.IntVar(&f.depth, "depth", 0, "keep that many `RANKS` of each ranking, as trec_eval -M (0: all)")
		set.BoolVar(&f.float32, "float32", false, "rank by float32 scores, as trec_eval 9 and pytrec_eval")
		set.StringVar(&f.zscores, "zscores", "", "`FILE` of query, measure, mean, deviation: print z scores, as trec_eval -Z (--format trec only)")
	})
	flags.Group(set, flags.OutputFlags, func() {
		set.StringVar(&f.format, "format", "table", "table, json, csv or trec")
		set.BoolVar(&f.perQuery, "per-query", false, "print every query, not only the summary (JSON always does)")
	})
	return cmd
}

// take reads the arguments: none, or QRELS and RUN in place of their flags.
func (f *scoreFlags) take(args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case len(args) != 2:
		return usage.Errorf("score: want QRELS RUN, found %d arguments", len(args))
	case f.qrels != "" || f.run != "":
		return usage.Errorf("score: name the files either as QRELS RUN or by --qrels and --run")
	}
	f.qrels, f.run = args[0], args[1]
	return nil
}

// score reads, scores and prints.
func (f scoreFlags) score(stdout, stderr io.Writer) error {
	if err := f.check(); err != nil {
		return err
	}
	asked, err := f.asked()
	if err != nil {
		return usage.Error{Err: err}
	}
	// Nearly all that score allocates lives to the end: collecting at every doubling of the
	// heap cost a quarter of the time and freed nothing. The process's memory limit still
	// triggers collections.
	defer heap.Uncollected()()
	in, tag, err := f.read(asked, stderr)
	if err != nil {
		return err
	}
	for _, note := range dropSelf(f.run, in.Qrels, f.dropSelf, &in.Run, &in.Before, &in.Reversed) {
		fmt.Fprintln(stderr, "infbench:", words.Clean(note))
	}
	pairs := 0
	if f.ofPairs(asked) {
		in, pairs = in.Paired()
	}
	cases, err := in.Cases()
	if err != nil {
		return fmt.Errorf("%s and %s: %w", f.run, f.judgments(), err)
	}
	f.noteQueries(stderr, in, asked, pairs)
	s := scoredRun{cases: cases, asked: asked, tag: tag, qrels: in.Qrels, complete: f.complete}
	if f.zscores != "" {
		if s.zscores, err = format.ReadFile(f.zscores, metrics.ReadZScores); err != nil {
			return err
		}
	}
	s.rows = metrics.ScoreAll(s.measures(), cases)
	s.noteNeeds(stderr)
	if f.format == "trec" {
		s.warnRBP(stderr)
	}
	return s.write(stdout, f.format, f.perQuery)
}

// scoreFormats are the values of score's --format.
var scoreFormats = append(slices.Clone(output.Formats), "trec")

// check finds flags that are invalid or do not go together.
func (f scoreFlags) check() error {
	switch {
	case !slices.Contains(scoreFormats, f.format):
		return usage.Error{Err: nearest.Unknown("format", f.format, scoreFormats)}
	case f.run == "" && f.judge == "":
		return usage.Errorf("score needs --run")
	case f.judgments() == "":
		return usage.Errorf("score needs --qrels (or --changed, --subtopics, --judge for measures that read those)")
	case f.level < 1:
		return usage.Errorf("--level %d: the least grade that counts as relevant is at least 1", f.level)
	case f.zscores != "" && f.format != "trec":
		return usage.Errorf("--zscores needs --format trec")
	case f.depth < 0:
		return usage.Errorf("--depth %d is negative", f.depth)
	case f.qrelsBefore != "" && f.qrels == "":
		return usage.Errorf("--qrels-before needs --qrels to compare with")
	}
	return nil
}

// judgments names the first file of judgments.
func (f scoreFlags) judgments() string {
	for _, file := range []string{f.qrels, f.changed, f.subtopics, f.judge} {
		if file != "" {
			return file
		}
	}
	return ""
}

// asked parses --measure. Each measure is labelled as the user named it; those of a set are
// labelled with their canonical names.
func (f scoreFlags) asked() ([]catalog.AskedMeasure, error) {
	names := f.measures
	if len(names) == 0 {
		names = []string{"official"}
		if f.runBefore != "" {
			names = append(names, metrics.PMRR{}.String())
		}
	}
	var all []catalog.AskedMeasure
	for _, name := range names {
		found, err := catalog.ParseMeasure(name)
		if err != nil {
			return nil, err
		}
		for _, a := range found {
			if !slices.ContainsFunc(all, func(o catalog.AskedMeasure) bool { return o.Label == a.Label && o.Trec.Name == a.Trec.Name }) {
				all = append(all, a)
			}
		}
	}
	return all, f.checkRun(all)
}

// checkRun requires a run if a measure reads one.
func (f scoreFlags) checkRun(asked []catalog.AskedMeasure) error {
	for _, a := range asked {
		switch {
		case f.run != "" || a.Trec.Measure != nil && !metrics.NeedsRun(a.Trec.Measure):
		case len(f.measures) == 0:
			return usage.Errorf("score needs --run")
		default:
			return usage.Errorf("%s needs --run", cmp.Or(a.Label, a.Trec.Name))
		}
	}
	return nil
}

// ofPairs reports whether a requested measure or a named file is of pairs.
func (f scoreFlags) ofPairs(asked []catalog.AskedMeasure) bool {
	return f.runBefore != "" || f.changed != "" || f.qrelsBefore != "" ||
		slices.ContainsFunc(asked, func(a catalog.AskedMeasure) bool { return metrics.NeedsPairs(a.Trec.Measure) })
}

// read opens every named file.
func (f scoreFlags) read(asked []catalog.AskedMeasure, stderr io.Writer) (in metrics.Inputs, tag string, err error) {
	in = metrics.Inputs{Complete: f.complete, Level: f.level, Depth: f.depth, JudgedOnly: f.judgedOnly}
	for _, a := range asked {
		if p, ok := a.Trec.Measure.(metrics.PMRR); ok && p.Insertion {
			in.Arrival = true
		}
	}
	warn := func(err error) { fmt.Fprintln(stderr, "infbench:", words.Clean(err.Error())) }
	run := func(into *trec.Run, tag *string) func(string, trec.Options) error {
		return func(path string, o trec.Options) (err error) {
			*into, *tag, err = format.OpenRun(path, o)
			if f.complete && errors.Is(err, trec.ErrNoRankings) {
				o.Warn(fmt.Errorf("%s: no rankings in this file; every judged query counts as an empty one", path))
				*into, err = trec.Run{}, nil
			}
			return err
		}
	}
	runs := []namedFile{
		{f.run, run(&in.Run, &tag)},
		{f.runBefore, run(&in.Before, new(string))},
		{f.runReversed, run(&in.Reversed, new(string))},
	}
	judgments := []namedFile{
		{f.qrels, func(path string, o trec.Options) (err error) { in.Qrels, err = foreign.ReadQrels(path, o); return err }},
		{f.qrelsBefore, func(path string, o trec.Options) (err error) {
			in.BeforeQrels, err = foreign.ReadQrels(path, o)
			return err
		}},
		{f.changed, func(path string, _ trec.Options) (err error) {
			in.Changed, err = format.ReadFile(path, trec.ReadChanged)
			return err
		}},
		{f.subtopics, func(path string, _ trec.Options) (err error) {
			in.Subtopics, err = format.ReadFile(path, trec.ReadSubtopics)
			return err
		}},
		{f.judge, func(path string, _ trec.Options) (err error) {
			in.Quality, err = format.ReadFile(path, metrics.ReadQuality)
			return err
		}},
	}
	faults := openEach(trec.Options{Float32: f.float32, KeepArrival: in.Arrival, Warn: warn}, slices.Concat(runs, judgments))
	if swapped := faults[len(runs)]; errors.Is(swapped, format.ErrRanking) {
		return in, "", usage.Error{Err: swapped}
	}
	if err := cmp.Or(faults[:len(runs)]...); err != nil {
		return in, "", err
	}
	if (f.changed != "" || f.qrelsBefore != "") && f.runBefore == "" && !metrics.IsTwoSided(in.Run) {
		return in, "", usage.Errorf("--changed and --qrels-before need --run-before, or a --run with queries X-og and X-changed")
	}
	return in, tag, cmp.Or(faults[len(runs):]...)
}

// namedFile is a file that a flag may name, and the function that reads it.
type namedFile struct {
	path string
	open func(path string, o trec.Options) error
}

// openEach opens the named files concurrently; those of a trial are checked against its
// completion marker. It returns the error of each file. Warnings come in the order of reading
// one after the other, up to the first error.
func openEach(o trec.Options, files []namedFile) []error {
	warnings, faults := make([][]error, len(files)), make([]error, len(files))
	var group sync.WaitGroup
	for i, f := range files {
		if f.path == "" {
			continue
		}
		own := o
		own.Warn = func(err error) { warnings[i] = append(warnings[i], err) }
		group.Go(func() {
			if faults[i] = results.Hold(f.path); faults[i] == nil {
				faults[i] = f.open(f.path, own)
			}
		})
	}
	group.Wait()
	for i := range files {
		for _, warning := range warnings[i] {
			o.Warn(warning)
		}
		if faults[i] != nil {
			break
		}
	}
	return faults
}
