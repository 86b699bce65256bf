package command

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"infbench/bench/flags"
	"infbench/bench/heap"
	"infbench/datasets"
	"infbench/internal/disk"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/reports"
	"infbench/reports/export"
	"infbench/runners/catalog"
	"infbench/runners/probe"
	"infbench/runners/provenance"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// probeOptions are the flags of probe: those of evaluate, and the choice of queries and
// variants.
type probeOptions struct {
	evaluateOptions
	queries  int
	draw     uint64
	variants string
}

func probeCommand() *cobra.Command {
	var o probeOptions
	cmd := &cobra.Command{
		Use:   "probe [MODEL DATA]",
		Short: "Does a model use the instructions it is given?",
		Long: `Ask each query again with other instructions, and test how the results change: without an
instruction, with that of another query of the task, with the same one in another frame or
in other words, and with one that asks for something else. MODEL and DATA are those of
evaluate, by flag or as two arguments.

For generated data, the world writes the other instructions. For other data, frames are
put around each instruction, the second instructions of pairs are used, and the rest is
read from --variants, one JSON object a line:
{"query": "12", "kind": "paraphrase", "instruction": "..."}, where kind is rewording,
paraphrase or contradiction, with "task" if several tasks have the query.

All rankings are scored against the judgments of the query's own instruction, with the
first measure of the task that applies to single queries (or --measure). The documents are
encoded once. The results are stored like an evaluation, in runs/probe, and report shows
them.`,
		Example: `  infbench probe bm25 mini-followir
  infbench probe --model runs/demo/trials/ID/model --data mini-mair
  infbench probe path/to/model path/to/beir/collection --variants rewritten.jsonl --queries 200
  infbench report runs/probe/NAME runs/probe/OTHER --format html --out probe.html`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.named(args); err != nil {
				return err
			}
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	o.addFlags(cmd)
	f := cmd.Flags()
	flags.Group(f, flags.MeasureFlags, func() {
		f.IntVar(&o.queries, "queries", 500, "number of queries to probe in each task, drawn at random; a pair counts once; 0: all")
		f.Uint64Var(&o.draw, "draw", 1, "seed for drawing the queries and the other queries' instructions")
		f.StringVar(&o.variants, "variants", "", "file of instructions written for the queries")
	})
	return cmd
}

// named takes the arguments without a flag.
func (o *probeOptions) named(args []string) error {
	for i, into := range []*string{&o.Model, &o.data} {
		if i >= len(args) {
			break
		}
		if *into != "" && *into != args[i] {
			return usage.Errorf("probe is given %q and %q: name model and data once", *into, args[i])
		}
		*into = args[i]
	}
	if o.Model == "" || o.data == "" {
		return usage.Errorf("probe needs a model and data; see infbench probe --help")
	}
	model, err := runs.ModelFolder(o.Model)
	if err != nil {
		return err
	}
	o.Model = model
	if o.queries < 0 {
		return usage.Errorf("--queries %d: want 0 for all, or more", o.queries)
	}
	return nil
}

// run is evaluate with a model that is asked more questions.
func (o *probeOptions) run(ctx context.Context, stdout, stderr io.Writer) (err error) {
	clock := provenance.StartClock()
	benchmark, err := o.benchmark()
	if err != nil {
		return err
	}
	if o.unchanged != "" {
		fmt.Fprintln(stderr, "infbench:", words.Clean(o.unchanged))
	}
	asked, sum, err := o.ask(benchmark)
	if err != nil {
		return err
	}
	opener := catalog.Opener{ModelOptions: o.ModelOptions}
	defer func() { err = errors.Join(err, opener.Close()) }()
	if asked.Retriever, err = opener.Open(); err != nil {
		return usage.AsError(err)
	}
	if err := opener.CheckTasks(benchmark); err != nil {
		return err
	}
	record, err := o.identify(&opener, benchmark, clock.Started())
	if err != nil {
		return err
	}
	record.Config[results.Probe] = fmt.Sprintf("%d queries a task, draw %d%s", o.queries, o.draw, sum)
	o.nameFolder("probe", &record, benchmark)
	ctx, at, err := o.folder(ctx, &record, benchmark)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, at.Release()) }()
	e := o.evaluation(&record, &opener, asked, benchmark, clock)
	if err := o.measure(ctx, at.Folder, &e); err != nil {
		return err
	}
	if err := printProbe(stdout, at.Folder); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%srankings and per-query values: %s\n", e.Use, at.Dir)
	return nil
}

// ask returns the probe without its model, and the hash of the variants file if there is one.
func (o *probeOptions) ask(b *datasets.Benchmark) (asked *probe.Probe, sum string, err error) {
	if err := probe.Check(b); err != nil {
		return nil, "", err
	}
	for i := range b.Tasks {
		if _, err := probe.Main(&b.Tasks[i]); err != nil {
			return nil, "", usage.Error{Err: err}
		}
	}
	asked = &probe.Probe{Benchmark: b.Name, Options: probe.Options{Seed: o.draw, Items: o.queries}}
	if o.variants == "" {
		asked.Variants, _ = datasets.MiniVariants(b.Name, o.world)
		return asked, "", nil
	}
	if asked.Variants, err = probe.ReadVariants(o.variants, b); err != nil {
		return nil, "", err
	}
	hash, _, err := disk.SHA256(o.variants)
	return asked, fmt.Sprintf(", variants %.12s", hash), err
}

// printProbe prints the section that reports have for a folder.
func printProbe(w io.Writer, at results.Folder) error {
	exp, err := runs.At(at.Dir).Reader().Load()
	if err != nil {
		return err
	}
	r, err := reports.Build([]*results.Experiment{exp}, reports.Options{Heap: heap.Small})
	if err != nil {
		return err
	}
	shown := &reports.Report{Title: r.Title}
	for _, b := range r.Boards {
		if s := r.Section(b.ID + reports.ProbeSection); s != nil {
			shown.Sections = append(shown.Sections, *s)
		}
	}
	return export.WriteTerminal(w, shown)
}
