package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"infbench/bench/results"
	"infbench/datasets"
	"infbench/datasets/atomicfile"
	"infbench/metrics"
	"infbench/metrics/nearest"
	"infbench/runners"
)

// evaluateOptions are the flags of evaluate.
type evaluateOptions struct {
	modelOptions
	data     string
	out      string
	world    uint64
	tasks    []string
	measures []string
}

func evaluateCommand() *cobra.Command {
	var o evaluateOptions
	cmd := &cobra.Command{
		Use:   "evaluate --model MODEL --data DATA",
		Short: "Run one model on one benchmark or collection",
		Long: `Rank with one model, keep the rankings as TREC run files and the value of every
query, and print the means.

MODEL is a name that infbench list models shows (each BM25, random, constant, document-order),
a HuggingFace model folder, or a TREC run file. A folder whose model reads query and
document together (a *ForSequenceClassification, or a language model with a judge section
in infbench.json) scores the candidates of each query, or what --first finds. MODEL
remote asks an endpoint for vectors: an OpenAI-compatible one at --url, or Cohere's or
Google's with --remote-api; with --cache a run that was killed or has spent its budget
goes on where it stopped.

DATA is a benchmark name (infbench list) or a folder in BEIR layout: corpus.jsonl,
queries.jsonl and qrels/test.tsv.`,
		Example: `  infbench evaluate --model bm25 --data mini-followir
  infbench evaluate --model bm25 --data path/to/beir/scifact --measure nDCG@10 --measure R@100
  infbench evaluate --model runs/demo/trials/ID/model --data mini-mair --out scratch
  infbench evaluate --model path/to/cross-encoder --first bm25 --depth 100 --data mini-bright
  infbench evaluate --model bm25-mair --fuse runs/demo/trials/ID/model --data mini-mair
  infbench evaluate --model remote --url https://api.example/v1 --remote-model e5 --dim 1024 --key-env API_KEY --cache vectors --data mini-bright
  infbench evaluate --model remote --remote-api cohere --remote-model embed-english-v3.0 --dim 1024 --rate 0.34 --key-env CO_API_KEY --cache vectors --data mini-mair`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return evaluate(cmd.Context(), o, cmd.OutOrStdout())
		},
	}
	o.addFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.data, "data", "", "a benchmark name or a folder in BEIR layout")
	f.StringVar(&o.out, "out", "", "folder for rankings and scores (default runs/evaluate/MODEL-DATA)")
	f.Uint64Var(&o.world, "world", 1, "seed of the generated world of mini benchmarks")
	f.StringArrayVar(&o.tasks, "task", nil, "only this task, or group of tasks, of the benchmark; may be repeated")
	f.StringArrayVar(&o.measures, "measure", nil, "measure instead of the benchmark's own; may be repeated")
	return cmd
}

// evaluate is the straight line from a model and a collection to numbers.
func evaluate(ctx context.Context, o evaluateOptions, stdout io.Writer) (err error) {
	if o.model == "" || o.data == "" {
		return usagef("evaluate needs --model and --data; see infbench evaluate --help")
	}
	started := time.Now()
	benchmark, err := loadBenchmark(o.data, o.world, o.tasks...)
	if err != nil {
		return asUsage(err)
	}
	if err := overrideMeasures(benchmark, o.measures); err != nil {
		return asUsage(err)
	}
	opener := modelOpener{modelOptions: o.modelOptions}
	defer func() { err = errors.Join(err, opener.close()) }()
	model, err := opener.open()
	if err != nil {
		return asUsage(err)
	}
	if err := opener.checkTasks(benchmark); err != nil {
		return err
	}
	if o.out == "" {
		o.out = filepath.Join("runs", "evaluate", o.name()+"-"+safeName(benchmark.Name))
	}
	dir := o.out
	if err := clearEvaluation(dir); err != nil {
		return err
	}
	p := newProvenance(commandLine(), started)
	if err := o.describe(&p); err != nil {
		return err
	}
	scores, err := evaluateAll(ctx, atomicfile.OS{}, model, []*datasets.Benchmark{benchmark}, dir, plainRuns, func() {})
	if errors.Is(err, runners.ErrBudget) && o.cacheFolder() != "" {
		return fmt.Errorf("%w; what was answered is in %s, and the same command goes on from there", err, o.cache)
	}
	if err != nil {
		return err
	}
	p.Seconds["total"] = time.Since(started).Seconds()
	p.PeakRSS = peakRSS()
	p.Benchmarks = []results.Benchmark{describeBenchmark(benchmark)}
	if err := results.Complete(atomicfile.OS{}, dir, o.settings(), scores, p); err != nil {
		return err
	}
	if err := printScores(stdout, model.Name(), scores); err != nil {
		return err
	}
	if source, err := datasets.FindSource(benchmark.Name); err == nil {
		fmt.Fprintf(stdout, "protocol: %s\n", source.Protocol)
	}
	fmt.Fprintf(stdout, "%srankings and per-query values: %s\n", opener.use(), dir)
	return nil
}

// settings are what reports may group an evaluation by.
func (o *evaluateOptions) settings() map[string]string {
	s := o.modelOptions.settings()
	s["world"] = fmt.Sprint(o.world)
	if len(o.tasks) > 0 {
		s["tasks"] = strings.Join(o.tasks, "+")
	}
	return s
}

// overrideMeasures replaces what a benchmark measures by the named measures, on
// every side its tasks have.
func overrideMeasures(b *datasets.Benchmark, measures []string) error {
	if len(measures) == 0 {
		return nil
	}
	for i := range b.Tasks {
		t := &b.Tasks[i]
		sides := []datasets.Side{datasets.None}
		if len(t.Pairs) > 0 {
			// None is the pair itself, where measures such as p-MRR apply.
			sides = []datasets.Side{datasets.None, datasets.Original, datasets.Changed}
		}
		t.Scorings = nil
		for _, name := range measures {
			m, err := metrics.Parse(name)
			if err != nil {
				return err
			}
			if _, ok := m.(metrics.Summarizer); ok {
				return usagef("--measure %s is no mean over queries; infbench score has it for a saved run", name)
			}
			for _, side := range sides {
				t.Scorings = append(t.Scorings, datasets.Scoring{Measure: m.String(), Side: side})
			}
		}
	}
	return nil
}

// clearEvaluation removes what an earlier evaluation left in dir, and refuses a
// folder that holds anything else.
func clearEvaluation(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read output folder: %w", err)
	}
	ours := map[string]bool{
		results.RunsDir: true, results.ScoresFile: true, results.ProvenanceFile: true,
		results.SettingsFile: true, results.DoneFile: true, results.QueriesDir: true,
	}
	for _, e := range entries {
		if !ours[e.Name()] {
			return usagef("output folder %s holds %s, which no evaluation wrote; name another with --out", dir, e.Name())
		}
	}
	// The completion marker goes first: what is left behind by a crash is then
	// an unfinished folder, never a finished one with missing files.
	for _, name := range []string{results.DoneFile, results.ScoresFile, results.ProvenanceFile, results.SettingsFile, results.QueriesDir, results.RunsDir} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("clear earlier evaluation: %w", err)
		}
	}
	return nil
}

// commandLine is this process's command, quoted for a shell.
func commandLine() string {
	words := []string{"infbench"}
	for _, a := range os.Args[1:] {
		words = append(words, shellQuote(a))
	}
	return strings.Join(words, " ")
}

// shellQuote quotes a word for a POSIX shell where it must be.
func shellQuote(s string) string {
	plain := s != ""
	for _, r := range s {
		plain = plain && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./=:@,+", r))
	}
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// asUsage marks an unknown name as a mistake in the command line.
func asUsage(err error) error {
	var unknown *nearest.UnknownError
	if errors.As(err, &unknown) {
		return usageError{err}
	}
	return err
}
