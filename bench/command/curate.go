package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"infbench/bench/flags"
	"infbench/bench/output"
	"infbench/datasets/curate"
	"infbench/internal/usage"
	"infbench/runners/catalog"
	"infbench/runners/device"
	"infbench/runners/runs"
)

// curateOptions are the flags of curate.
type curateOptions struct {
	out, answers, format, keep string
	from                       string
	plan                       bool
	parallel                   int
	device                     device.Options // of models that score pairs
}

// curateCommand is the verb curate: it makes the corpus that a file describes, in a folder.
func curateCommand() *cobra.Command {
	var o curateOptions
	cmd := &cobra.Command{
		Use:   "curate FILE.yaml",
		Short: "Make a training corpus as InF-IR was made",
		Long: `Make a training corpus from pairs of a query and a passage: an instruction for each
pair, a poisoned instruction and a poisoned query, passages for both, rule filters, and
judges who must find the right passage in all three scenarios.

FILE.yaml sets the seeds, poisons, author, judges and filters. The folder --out gets a
file for each stage (seeds, instructions, poisoned, passages, filtered, judged), then
train.jsonl and train.parquet (the records that the judges keep) and unfiltered.jsonl and
unfiltered.parquet (all judged records) in the field names of InF-IR. An experiment uses
them as data:. funnel.json counts the removed records by stage and reason; done.json,
written last, holds the hashes. Every record names who wrote and who approved its texts.

Every answer is on disk before it is used. If the command is stopped or killed, the same
command goes on; if the corpus is done, it prints the funnel. --from remakes a stage and
those after it.

An author or judge is either offline (by rules, for the generated world only; its texts are
synthetic), or a model behind an OpenAI-compatible endpoint. A judge can also be a model
that scores pairs (rerank: MODEL, a cross-encoder or FollowIR-7B), which runs on --device:
it picks the passage with the highest probability of relevance, and is unsure unless
exactly one is above one half. prompts: {instruction, poisoned_instruction,
poisoned_query, passage} of the author and {verdict} of a judge replace the built-in ones.
--plan estimates the questions, tokens and cost before anything is sent.`,
		Example: `  infbench curate bench/corpora/mini.yaml --out corpus
  infbench curate paper.yaml --plan
  infbench curate paper.yaml --from judged`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args[0], cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.out, "out", "", "folder of the corpus (default corpora/NAME of the file)")
	f.BoolVar(&o.plan, "plan", false, "estimate questions, tokens and cost, and make nothing")
	f.StringVar(&o.from, "from", "", "make this stage and all later ones again: "+stageNames())
	f.IntVar(&o.parallel, "parallel", 8, "questions in flight, for each endpoint")
	f.StringVar(&o.answers, "answers", catalog.ChatAnswers, "folder that keeps the answers of language models so that no question is paid for twice, or off")
	flags.Device(cmd, &o.device)
	f.StringVar(&o.format, "format", "table", strings.Join(output.Formats, ", "))
	f.StringVar(&o.keep, "keep", "", "NAME of the funnel in runs/funnel, for report --view funnel")
	return cmd
}

func stageNames() string {
	var names []string
	for _, s := range curate.Stages() {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

// run makes the corpus of a file, or estimates the cost.
func (o *curateOptions) run(ctx context.Context, path string, out, progress io.Writer) error {
	var from curate.Stage
	if err := cmp.Or(output.CheckFormat(o.format), runs.CheckName(o.keep)); err != nil {
		return err
	}
	if err := from.UnmarshalText([]byte(o.from)); err != nil {
		return usage.Errorf("--from: %w", err)
	}
	if o.parallel < 1 {
		return usage.Errorf("--parallel %d: want at least 1", o.parallel)
	}
	f, err := readCorpusSpec(path)
	if err != nil {
		return err
	}
	corpus, err := o.corpus(f)
	if err != nil {
		return err
	}
	corpus.Notice = func(text string) { fmt.Fprintln(progress, text) }
	if o.plan {
		return o.printPlan(corpus, out)
	}
	funnel, err := o.make(ctx, f, corpus, from)
	if err != nil {
		return err
	}
	return o.print(f, corpus, funnel, out)
}

// corpus combines a file with its data and its models.
func (o *curateOptions) corpus(f *corpusSpec) (*curate.Corpus, error) {
	limits, err := f.newBudget()
	if err != nil {
		return nil, err
	}
	v := voiceOpener{f: f, budget: limits, parallel: o.parallel, dry: o.plan, device: o.device}
	if o.answers != device.NoCache {
		v.cache = o.answers
	}
	author, err := v.author()
	if err != nil {
		return nil, err
	}
	judges, err := v.judges()
	if err != nil {
		return nil, err
	}
	tests, err := f.tests()
	if err != nil {
		return nil, err
	}
	if err := f.resolve(); err != nil {
		return nil, err
	}
	bounds := func(b []int) curate.Lengths { return curate.Lengths{Least: b[0], Most: b[1]} }
	return &curate.Corpus{
		Dir: cmp.Or(o.out, filepath.Join("corpora", f.Name)), Seed: f.Seed, Pairs: f.pairs(), Tests: tests,
		Poisons: f.Poisons, Author: author, Judges: judges, Active: f.Active, Keep: f.Keep, Distractors: f.Distractors,
		Filters: curate.Filters{Language: f.Filters.Language, Alike: f.Filters.Alike,
			Instruction: bounds(f.Filters.Instruction), Query: bounds(f.Filters.Query), Passage: bounds(f.Filters.Passage)},
		AtATime: o.parallel * (1 + len(f.Judges)), Fatal: curate.FatalAnswer,
	}, nil
}

// make makes the missing stages, one process at a time in a folder.
func (o *curateOptions) make(ctx context.Context, f *corpusSpec, c *curate.Corpus, from curate.Stage) (_ *curate.Funnel, err error) {
	settings, err := f.encode()
	if err != nil {
		return nil, err
	}
	ctx, at, err := runs.ClaimOutput(ctx, c.Dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, at.Release()) }()
	if err := curate.Claim(c.Dir, settings); err != nil {
		return nil, err
	}
	if from == "" {
		if done, err := curate.Finished(c.Dir); err != nil || done {
			if err != nil {
				return nil, err
			}
			return curate.ReadFunnel(c.Dir)
		}
	}
	for _, judge := range c.Judges {
		if j, ok := judge.(*catalog.PairJudge); ok { // before anything is paid for
			defer func() { err = errors.Join(err, j.Close()) }()
			if err := j.Open(); err != nil {
				return nil, usage.AsError(err)
			}
		}
	}
	funnel, err := c.Make(ctx, from)
	if err != nil {
		return nil, err
	}
	return funnel, curate.Finish(c.Dir)
}
