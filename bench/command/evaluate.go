package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"infbench/bench/flags"
	"infbench/datasets"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/runners"
	"infbench/runners/catalog"
	"infbench/runners/device"
	"infbench/runners/provenance"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/trial"
	"infbench/training/encoder"
)

// evaluateOptions are the flags of evaluate.
type evaluateOptions struct {
	catalog.ModelOptions
	data     string
	out      string
	world    uint64
	tasks    []string
	measures []string
	dropSelf bool
	estimate bool
	split    trial.ShardOptions
	divided  *trial.ShardSet // nil: not divided into shards

	unchanged  string        // a note that --drop-self changes nothing, or ""
	of         *runs.Trained // the trial that trained the model; nil for other models
	worldGiven bool
}

func evaluateCommand() *cobra.Command {
	var o evaluateOptions
	cmd := &cobra.Command{
		Use:   "evaluate --model MODEL --data DATA",
		Short: "Run one model on one benchmark or collection",
		Long: `Rank with one model, keep the rankings as TREC run files and the value of every
query, and print the means.

MODEL is one of: a name from infbench list models (each BM25, random, constant,
document-order); a HuggingFace model folder; a system that a sweep trained, as RUN:SYSTEM
(runs/demo:uni:P, by label or ID; every seed of it is evaluated, and the numbers go into
the system's row of a board); or a TREC run file (if it covers some tasks only, name them
with --task). A folder whose model reads query and document together (a
*ForSequenceClassification, or a language model with a judge section in infbench.json)
scores the candidates of each query, or the documents that --first finds. MODEL
remote asks an endpoint for vectors: an OpenAI-compatible one at --url, or Cohere's or
Google's with --remote-api; with --cache, a run that was killed or has spent its budget
resumes.

MODEL chat asks the language model --chat-model behind the OpenAI-compatible endpoint at
--url (OpenAI, vLLM, Ollama, llama.cpp) to order the candidates of each query, or the
documents that --first finds: pointwise, graded, pairwise or listwise (--how), at
temperature 0, or as a published reranker is asked (--recipe rank1, rank-r1, reasonrank
and others, or a YAML file). Each answer is stored in --answers before it is used;
--estimate prints the expected questions and sends nothing; --replay answers from such a
folder alone.

DATA is a benchmark name (infbench list) or a folder in BEIR layout: corpus.jsonl,
queries.jsonl and qrels/test.tsv.

The content of data, weights and tokenizer is hashed and stored with the numbers. If the
same inputs are evaluated again, the numbers are added to the earlier ones. A folder --out
with an evaluation of other inputs is refused, and the differences are listed.

--index chroma searches a complete corpus through a Chroma server at --index-url. It does
not compare all vectors: use it for corpora on which exact search takes days. Vectors that
the server lacks are uploaded into a collection that is identified by the content of the
corpus, the model and --index-neighbors, --index-build and --index-search; a run that was
killed goes on. Then 50 queries are also searched exactly, to report which share of the
exact results the index found. That reads every vector once: without --cache the corpus is
encoded twice.

--shards N divides each corpus into N parts that are ranked one after the other and
merged to the same bytes. A run that was killed loses only the current part, and the same
command on several hosts with a shared folder divides the parts among them. --shard I
ranks one part, and merges all if it is the last, for the tasks of an array job:
sbatch --array=1-7 with --shard $SLURM_ARRAY_TASK_ID, or an Indexed Job with
--shard $((JOB_COMPLETION_INDEX+1)). Rerankers and --fuse work on the merged rankings.`,
		Example: `  infbench evaluate --model bm25 --data mini-followir
  infbench evaluate --model bm25 --data path/to/beir/scifact --measure nDCG@10 --measure R@100
  infbench evaluate --model runs/demo:multi:P+I --data mini-mair --out scratch
  infbench evaluate --model path/to/cross-encoder --first bm25 --depth 100 --data mini-bright
  infbench evaluate --model bm25-mair --fuse runs/demo/trials/ID/model --data mini-mair
  infbench evaluate --model remote --url https://api.example/v1 --remote-model e5 --dim 1024 --key-env API_KEY --cache vectors --data mini-bright
  infbench evaluate --model remote --remote-api cohere --remote-model embed-english-v3.0 --dim 1024 --rate 0.34 --key-env CO_API_KEY --cache vectors --data mini-mair
  infbench evaluate --model chat --chat-model llama3.1 --url http://localhost:11434/v1 --how listwise --first bm25 --depth 20 --data mini-mair
  infbench evaluate --model chat --chat-model gpt-4o-mini --url https://api.openai.com/v1 --key-env OPENAI_API_KEY --price 0.15,0.6 --max-cost 2 --first bm25 --data mini-mair
  infbench evaluate --model chat --chat-model rank1-7b --url http://localhost:8080/v1 --recipe rank1 --first bm25 --depth 100 --data mini-mair
  infbench evaluate --model path/to/model --data path/to/beir/large --index chroma --index-url http://localhost:8000 --cache vectors
  infbench evaluate --model bm25-bright --data mini-bright --shards 7
  infbench evaluate --model bm25-bright --data mini-bright --shards 7 --shard 3`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.split.Named, o.worldGiven = cmd.Flags().Changed("shard"), cmd.Flags().Changed("world")
			return evaluate(cmd.Context(), o, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	o.addFlags(cmd)
	flags.Group(cmd.Flags(), flags.AskingFlags, func() {
		cmd.Flags().BoolVar(&o.estimate, "estimate", false, "estimate the questions to a language model, and send nothing")
	})
	flags.Shards(cmd, &o.split)
	return cmd
}

// addFlags declares the flags.
func (o *evaluateOptions) addFlags(cmd *cobra.Command) {
	flags.Model(cmd, &o.ModelOptions)
	f := cmd.Flags()
	flags.Group(f, flags.DataFlags, func() {
		f.StringVar(&o.data, "data", "", "a benchmark name or a folder in BEIR layout")
		f.Uint64Var(&o.world, "world", 1, "seed of the generated world of mini benchmarks")
		f.StringArrayVar(&o.tasks, "task", nil, "only this task, or group of tasks, of the benchmark; may be repeated")
		f.StringArrayVar(&o.measures, "measure", nil, "measure instead of the benchmark's own; may be repeated")
		flags.DropSelf(f, &o.dropSelf)
	})
	flags.Group(f, flags.OutputFlags, func() {
		f.StringVar(&o.out, "out", "", "folder for rankings and scores (default runs/"+cmd.Name()+"/MODEL-DATA-HASH, a hash of their contents)")
	})
}

// scored is the result of an evaluation.
type scored struct {
	name    string // of the model
	record  results.Trial
	remarks []string // for the user
	dir     string
}

// evaluate runs the model that the flags name, or every seed of a trained system.
func evaluate(ctx context.Context, o evaluateOptions, stdout, stderr io.Writer) error {
	if o.Model == "" || o.data == "" {
		return usage.Errorf("evaluate needs --model and --data; see infbench evaluate --help")
	}
	if err := cmp.Or(o.split.Check(), o.checkDivided()); err != nil {
		return err
	}
	seeds, err := o.eachSeed()
	if err != nil {
		return err
	}
	var all []scored
	for i := range seeds {
		made, err := seeds[i].run(ctx, stdout, stderr)
		if err != nil {
			return err
		}
		if made != nil {
			all = append(all, *made)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return printEvaluated(stdout, all)
}

// eachSeed returns the options for each seed of the trained system that --model names; for
// any other model, o alone.
func (o *evaluateOptions) eachSeed() (seeds []evaluateOptions, err error) {
	models, err := runs.Models(o.Model)
	if len(models) == 0 {
		return []evaluateOptions{*o}, err
	}
	for i := range models {
		one := *o
		one.Model, one.of = models[i].Folder, &models[i]
		cell := &models[i].Trial.Cell // which defines how the system is evaluated
		one.Similarity = cmp.Or(o.Similarity, cell.Similarity)
		one.Precision = cmp.Or(o.Precision, encoder.Precision(cell.Precision))
		one.Dims = cmp.Or(o.Dims, cell.Dims)
		if o.out != "" && len(models) > 1 {
			one.out = filepath.Join(o.out, models[i].Trial.ID)
		}
		if !o.worldGiven {
			one.world = cell.World
		}
		seeds = append(seeds, one)
	}
	return seeds, err
}

// run takes a model and a collection to numbers. It returns nil if there are none yet: other
// shards are missing, or nothing was to be asked.
func (o *evaluateOptions) run(ctx context.Context, stdout, stderr io.Writer) (made *scored, err error) {
	clock := provenance.StartClock()
	benchmark, err := o.benchmark()
	if err != nil {
		return nil, err
	}
	o.divided = o.split.New()
	o.Meter = &device.Meter{}
	defer o.Meter.Stop()
	opener := catalog.Opener{ModelOptions: o.ModelOptions, Forecast: o.estimate, Divide: o.divided.Divide}
	defer func() { err = errors.Join(err, opener.Close()) }()
	model, err := opener.Open()
	if err != nil {
		return nil, usage.AsError(err)
	}
	if err := cmp.Or(opener.CheckDims(), opener.CheckTasks(benchmark)); err != nil {
		return nil, err
	}
	if o.estimate {
		asked, err := opener.Estimate(ctx, model, benchmark)
		fmt.Fprintln(stdout, asked)
		return nil, err
	}
	record, err := o.identify(&opener, benchmark, clock.Started())
	if err != nil {
		return nil, err
	}
	record.Provenance.Command = o.split.Command()
	o.nameFolder("evaluate", &record, benchmark)
	tell := func(sentence string) { fmt.Fprintln(stderr, words.Clean(sentence)) }
	for _, doubt := range results.Doubts(benchmark.Name, results.WarningsOf(benchmark)) {
		tell("warning: " + doubt)
	}
	if o.unchanged != "" {
		tell(o.unchanged)
	}
	if ready, err := o.divided.Prepare(ctx, results.At(o.out), &record, benchmark, o.Depth, tell); err != nil || !ready {
		return nil, err
	}
	ctx, at, err := o.folder(ctx, &record, benchmark)
	if err != nil {
		return nil, o.divided.Yield(err)
	}
	defer func() { err = errors.Join(err, at.Release()) }()
	e := o.evaluation(&record, &opener, model, benchmark, clock)
	if err := o.measureOnce(ctx, at.Folder, &e); err != nil {
		return nil, err
	}
	return &scored{name: model.Name(), record: record, remarks: append(opener.Remarks, e.Use), dir: at.Dir}, nil
}

// checkDivided refuses to divide a corpus that a server searches.
func (o *evaluateOptions) checkDivided() error {
	if o.split.Of > 0 && o.HasIndex() {
		return usage.Errorf("--shards %d: the server of --index searches the complete corpus by itself; leave out one of the two", o.split.Of)
	}
	return nil
}

// benchmark loads what the flags name, with its measures.
func (o *evaluateOptions) benchmark() (*datasets.Benchmark, error) {
	b, err := catalog.LoadBenchmark(o.data, o.world, o.tasks...)
	if err != nil {
		return nil, usage.AsError(err)
	}
	if o.dropSelf {
		if o.unchanged, err = catalog.DropSelf(b); err != nil {
			return nil, err
		}
	}
	return b, usage.AsError(catalog.OverrideMeasures(b, o.measures))
}

// identify returns the identity of the numbers: the data as read, the model with its weights,
// and the program.
func (o *evaluateOptions) identify(opened *catalog.Opener, b *datasets.Benchmark, started time.Time) (record results.Trial, err error) {
	record.Provenance = provenance.New(usage.CommandLine(), started)
	if err := o.Describe(&record.Provenance, o.Precision); err != nil {
		return record, err
	}
	described, err := provenance.DescribeBenchmark(b)
	record.Provenance.Benchmarks, record.Config = []results.Benchmark{described}, o.config(opened)
	if o.of == nil || err != nil {
		return record, err
	}
	return record, trial.NoteTraining(&record.Provenance, o.of)
}

// evaluation describes the run once the model is open.
func (o *evaluateOptions) evaluation(record *results.Trial, opener *catalog.Opener, model runners.Retriever, b *datasets.Benchmark, total provenance.Clock) trial.Evaluation {
	return trial.Evaluation{
		Trial: record, Model: model, Opener: opener, Shards: o.divided, Machine: &o.Options,
		Data: []*datasets.Benchmark{b}, Total: total, Done: func() {},
	}
}

// measureOnce measures, unless all shards were already merged, and leaves the values in e.Trial.
func (o *evaluateOptions) measureOnce(ctx context.Context, at results.Folder, e *trial.Evaluation) error {
	was, err := o.divided.Joined(at)
	switch {
	case err != nil:
		return err
	case was != nil:
		*e.Trial = *was
	default:
		if err := o.measure(ctx, at, e); err != nil {
			return err
		}
	}
	return o.divided.Drop(at)
}

// measure evaluates in a temporary folder next to the target and moves the complete result
// there, so that a failure leaves an earlier evaluation unchanged.
func (o *evaluateOptions) measure(ctx context.Context, at results.Folder, e *trial.Evaluation) error {
	made, err := at.Journal().NewFolder()
	if err != nil {
		return err
	}
	if err := e.Into(ctx, made); err != nil {
		if errors.Is(err, runners.ErrBudget) && o.CacheFolder() != "" {
			err = fmt.Errorf("%w; the answers so far are in %s, and the same command goes on from there", err, o.Cache)
		}
		return errors.Join(err, at.Journal().Discard(made))
	}
	return at.Journal().Replace(made)
}

// nameFolder sets the default output folder: one that only the same inputs have.
func (o *evaluateOptions) nameFolder(kind string, record *results.Trial, b *datasets.Benchmark) {
	if o.out == "" {
		o.out = runs.In(kind, results.Identified(o.Name()+"-"+results.FileName(b.Name), results.Identity(record.Config, record.Provenance.Benchmarks)))
	}
}

// folder claims the named folder. Earlier measures of the same inputs are measured again.
func (o *evaluateOptions) folder(ctx context.Context, record *results.Trial, b *datasets.Benchmark) (context.Context, *runs.Output, error) {
	claimed, at, err := runs.ClaimOutput(ctx, o.out)
	if err != nil {
		return ctx, nil, err
	}
	earlier, taken, err := at.Journal().Earlier(record)
	if taken != "" {
		err = usage.Errorf("output folder %s %s; name another with --out", at.Dir, taken)
	}
	if err != nil {
		return ctx, nil, errors.Join(err, at.Release())
	}
	results.KeepScorings(b, earlier)
	return claimed, at, nil
}

// config returns the settings by which reports may group an evaluation. A model that a trial
// trained belongs to the trial's system.
func (o *evaluateOptions) config(opened *catalog.Opener) results.Config {
	c := opened.Config()
	if o.of != nil {
		trained := runs.Config(o.of.Trial)
		for _, key := range []string{results.Similarity, results.EvaluatedIn, results.CutTo} {
			delete(trained, key) // set by the options
		}
		for key, value := range c {
			if !slices.Contains([]string{results.Model, results.Seed, results.Weights, results.Card}, key) {
				trained[key] = value
			}
		}
		c = trained
	}
	c[results.World] = fmt.Sprint(o.world)
	return c
}
