package data

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"infbench/bench/flags"
	"infbench/bench/output"
	"infbench/datasets"
	"infbench/datasets/mixture"
	"infbench/internal/usage"
	"infbench/runners"
	"infbench/runners/catalog"
)

// mineOptions are the flags of data mine.
type mineOptions struct {
	catalog.ModelOptions
	data, rescore, out string
	world              uint64
	count, skip, depth int
	margin, pick       string
	most, least        float64
	seed               uint64
}

// mineCommand is the verb data mine: a model finds hard negatives for the rows of training
// data. Package datasets decides which of its candidates are negatives.
func mineCommand() *cobra.Command {
	var o mineOptions
	cmd := &cobra.Command{
		Use:   "mine --data DATA --model MODEL",
		Short: "Find hard negatives for training data",
		Long: `Rank the passages of training data for each instruction with its query, and keep the
best passages that are not answers. Passages of the same query under another instruction
are candidates like any other. --margin never removes a negative of the record itself:
to a model that ignores instructions it looks like an answer.

--margin 5% removes passages that score above 95 % of the positive, --margin 0.1 those
that score less than 0.1 below it; with several positives the lowest counts. --skip
leaves out the best of the rest, --depth is how many of those are considered. With
--rescore a model that reads query and passage together scores all of them, and the
bounds apply to its scores: the logit of a model with one label, the log probability of
relevance with two.

The result is training data: one line per row, with its negatives, best first, and the
scores of its passage and of each negative (train.negatives; train.distill with teacher
scores). Rows with too few negatives are kept and counted.`,
		Example: `  infbench data mine --data mini-infir --model bm25 --negatives 4 --out scratch/mined.jsonl
  infbench data mine --data msmarco --model intfloat/e5-base-v2 --negatives 8 --margin 5% --depth 100 --rescore castorini/monot5-base-msmarco-10k --out mined.jsonl`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.OutOrStdout())
		},
	}
	flags.Encoder(cmd, &o.ModelOptions)
	f := cmd.Flags()
	flags.Group(f, flags.DataFlags, func() {
		f.StringVar(&o.data, "data", "", "training data: a corpus, a file, a folder, a mixture")
		f.Uint64Var(&o.world, "world", 1, "seed of the generated world of mini data")
	})
	flags.Group(f, flags.MiningFlags, func() {
		f.IntVar(&o.count, "negatives", 8, "maximum number of negatives of a row")
		f.IntVar(&o.skip, "skip", 0, "number of best eligible passages to leave out")
		f.IntVar(&o.depth, "depth", 0, "number of eligible passages to consider (default: as many as needed, or ten times the negatives with a bound)")
		f.StringVar(&o.margin, "margin", "", "how far a negative must score below the positive: 5% of its score, or a number")
		f.Float64Var(&o.most, "max-score", math.Inf(1), "largest score of a negative")
		f.Float64Var(&o.least, "min-score", math.Inf(-1), "smallest score of a negative")
		f.StringVar(&o.pick, "pick", "top", "how to pick from the eligible passages: top or random")
		f.Uint64Var(&o.seed, "seed", 1, "seed of --pick random")
		f.StringVar(&o.rescore, "rescore", "", "model that scores query and passage together; its scores count")
	})
	flags.Group(f, flags.OutputFlags, func() { f.StringVar(&o.out, "out", "mined.jsonl", "file to write") })
	return cmd
}

// run reads training data, finds negatives and writes both to a file.
func (o *mineOptions) run(ctx context.Context, stdout io.Writer) (err error) {
	how, err := o.options()
	if err != nil {
		return err
	}
	file := output.File{Path: o.out, Kind: output.JSONLines, Inputs: append(mixture.NamesIn(o.data), o.Model, o.rescore)}
	if err := file.Check(); err != nil {
		return err
	}
	set, err := collect(o.data, o.world)
	if err != nil {
		return usage.AsError(err)
	}
	finder := catalog.Opener{ModelOptions: o.ModelOptions}
	judge := catalog.Opener{ModelOptions: o.ModelOptions}
	defer func() { err = errors.Join(err, finder.Close(), judge.Close()) }()
	model, err := finder.Open()
	if err != nil {
		return usage.AsError(err)
	}
	if finder.Candidates {
		return usage.Errorf("--model %s scores pairs: give a model that finds passages, and this one as --rescore", o.Model)
	}
	scorer := runners.Retriever(model)
	if o.rescore != "" {
		judge.Model = o.rescore
		if scorer, err = judge.Open(); err != nil {
			return usage.AsError(err)
		}
		if !judge.Candidates {
			return usage.Errorf("--rescore %s finds passages by itself: give a model that reads query and passage together", o.rescore)
		}
	}
	found, err := set.search(ctx, model, scorer, how)
	if err != nil {
		return err
	}
	picked := make([][]datasets.MiningScored, len(found)) // negatives of each query, for all its rows
	for q := range found {
		picked[q] = how.Pick(found[q], set.most)
	}
	var lines []line
	for i := range set.rows {
		lines = append(lines, set.line(i, picked[set.rows[i].query], found))
	}
	if err := file.Write(func(w io.Writer) error { return writeLines(w, lines) }); err != nil {
		return err
	}
	_, err = fmt.Fprintln(stdout, summary(o.out, lines, o.count))
	return err
}

// options reads the flags that select negatives.
func (o *mineOptions) options() (datasets.MiningOptions, error) {
	how := datasets.MiningOptions{Count: o.count, Skip: o.skip, Depth: o.depth}
	switch {
	case o.data == "" || o.Model == "":
		return how, usage.Errorf("data mine needs --data and --model; see infbench data mine --help")
	case o.count < 1 || o.skip < 0 || o.depth < 0:
		return how, usage.Errorf("--negatives %d, --skip %d, --depth %d: want at least 1, 0 and 0", o.count, o.skip, o.depth)
	case o.depth > 0 && o.depth <= o.skip:
		return how, usage.Errorf("--depth %d: --skip %d leaves nothing to consider", o.depth, o.skip)
	case o.pick != "top" && o.pick != "random":
		return how, usage.Errorf("--pick %s: want top or random", o.pick)
	case math.IsNaN(o.most) || math.IsNaN(o.least) || o.least > o.most:
		return how, usage.Errorf("--min-score %v, --max-score %v: no score is between them", o.least, o.most)
	}
	if o.pick == "random" {
		how.Random = rand.New(rand.NewPCG(o.seed, 0))
	}
	if !math.IsInf(o.most, 1) {
		how.Max = &o.most
	}
	if !math.IsInf(o.least, -1) {
		how.Min = &o.least
	}
	return how, o.readMargin(&how)
}

// readMargin reads "5%" or "0.1".
func (o *mineOptions) readMargin(how *datasets.MiningOptions) error {
	if o.margin == "" {
		return nil
	}
	text, relative := strings.CutSuffix(o.margin, "%")
	margin, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(margin) || math.IsInf(margin, 0) {
		return usage.Errorf("--margin %s: want a share of the positive's score, such as 5%%, or a number", o.margin)
	}
	if how.Relative = relative; relative {
		margin /= 100
	}
	how.Margin = &margin
	return nil
}
