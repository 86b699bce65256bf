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
	"infbench/metrics"
	"infbench/metrics/nearest"
	"infbench/runners"
	"infbench/training/encoder"
)

// evaluateOptions are the flags of evaluate.
type evaluateOptions struct {
	model    string
	data     string
	out      string
	world    uint64
	seed     int64
	measures []string
}

func evaluateCommand() *cobra.Command {
	var o evaluateOptions
	cmd := &cobra.Command{
		Use:   "evaluate --model MODEL --data DATA",
		Short: "Run one model on one benchmark or collection",
		Long: `Rank with one model, keep the rankings as TREC run files and the value of every
query, and print the means.

MODEL is bm25, random, constant, document-order, a HuggingFace model folder, or a TREC run file.
DATA is a benchmark name (infbench list) or a folder in BEIR layout: corpus.jsonl,
queries.jsonl and qrels/test.tsv.`,
		Example: `  infbench evaluate --model bm25 --data mini-followir
  infbench evaluate --model bm25 --data path/to/beir/scifact --measure nDCG@10 --measure R@100
  infbench evaluate --model runs/demo/trials/ID/model --data mini-mair --out scratch`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return evaluate(cmd.Context(), o, cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.model, "model", "", "bm25, random, constant, a HuggingFace model folder or a TREC run file")
	f.StringVar(&o.data, "data", "", "a benchmark name or a folder in BEIR layout")
	f.StringVar(&o.out, "out", "", "folder for rankings and scores (default runs/evaluate/MODEL-DATA)")
	f.Uint64Var(&o.world, "world", 1, "seed of the generated world of mini benchmarks")
	f.Int64Var(&o.seed, "seed", 1, "seed of the model random")
	f.StringArrayVar(&o.measures, "measure", nil, "measure instead of the benchmark's own; may be repeated")
	return cmd
}

// evaluate is the straight line from a model and a collection to numbers.
func evaluate(ctx context.Context, o evaluateOptions, stdout io.Writer) error {
	if o.model == "" || o.data == "" {
		return usagef("evaluate needs --model and --data; see infbench evaluate --help")
	}
	started := time.Now()
	benchmark, err := loadBenchmark(o.data, o.world)
	if err != nil {
		return asUsage(err)
	}
	if err := overrideMeasures(benchmark, o.measures); err != nil {
		return asUsage(err)
	}
	model, err := openModel(o.model, o.seed)
	if err != nil {
		return asUsage(err)
	}
	if o.out == "" {
		o.out = filepath.Join("runs", "evaluate", safeName(filepath.Base(o.model))+"-"+safeName(benchmark.Name))
	}
	dir := o.out
	if err := clearEvaluation(dir); err != nil {
		return err
	}
	p := newProvenance(commandLine(), started)
	scores, err := evaluateAll(ctx, model, []*datasets.Benchmark{benchmark}, dir, func() {})
	if err != nil {
		return err
	}
	p.Seconds["total"] = time.Since(started).Seconds()
	p.PeakRSS = peakRSS()
	p.Benchmarks = []results.Benchmark{describeBenchmark(benchmark)}
	settings := map[string]string{"model": o.model, "world": fmt.Sprint(o.world), "seed": fmt.Sprint(o.seed)}
	if err := results.Complete(dir, settings, scores, p); err != nil {
		return err
	}
	if err := printScores(stdout, model.Name(), scores); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "rankings and per-query values: %s\n", dir)
	return nil
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

// openModel opens what --model names.
func openModel(name string, seed int64) (runners.Retriever, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil && isPath(name):
		return nil, fmt.Errorf("open model: %w", err)
	case err != nil:
		return openBaseline(name, seed)
	case info.IsDir():
		return openEncoder(name)
	}
	return runners.OpenRunFile(name)
}

// isPath says whether a name can only be meant as a path.
func isPath(name string) bool {
	return strings.ContainsRune(name, filepath.Separator) || name == "." || name == ".."
}

// openEncoder opens a HuggingFace folder as a dense retriever.
func openEncoder(dir string) (runners.Retriever, error) {
	backend, err := openBackend()
	if err != nil {
		return nil, err
	}
	enc, err := encoder.Open(dir, backend)
	if err != nil {
		return nil, fmt.Errorf("open model %s: %w", dir, err)
	}
	return runners.NewDense(filepath.Clean(dir), enc, runners.DenseOptions{}), nil
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
		results.SettingsFile: true, results.DoneFile: true,
	}
	for _, e := range entries {
		if !ours[e.Name()] {
			return usagef("output folder %s holds %s, which no evaluation wrote; name another with --out", dir, e.Name())
		}
	}
	// The completion marker goes first: what is left behind by a crash is then
	// an unfinished folder, never a finished one with missing files.
	for _, name := range []string{results.DoneFile, results.ScoresFile, results.ProvenanceFile, results.SettingsFile, results.RunsDir} {
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
