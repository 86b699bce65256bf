package data

import (
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"infbench/bench/catalog"
	"infbench/bench/results"
	"infbench/bench/runs"
	"infbench/bench/sheet"
	"infbench/bench/usage"
	"infbench/datasets"
	"infbench/datasets/atomicfile"
	"infbench/datasets/overlap"
)

func overlapCommand() *cobra.Command {
	var words int
	var world uint64
	var out string
	cmd := &cobra.Command{
		Use:   "overlap TRAIN TEST",
		Short: "Count how much of a benchmark stands in a training corpus",
		Long: `Count the queries and documents of each task that a training corpus holds word
for word, and those that share a run of --words words with it (13: what the GPT-3
report uses). The counts are kept in a JSON file that report shows beside the
scores.`,
		Example: "  infbench data overlap mini-infir mini-followir\n  infbench data overlap train.jsonl path/to/beir/scifact --words 8",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return countOverlap(cmd.OutOrStdout(), args[0], args[1], world, words, out)
		},
	}
	cmd.Flags().IntVar(&words, "words", overlap.Words, "words in a run")
	cmd.Flags().Uint64Var(&world, "world", 1, "seed of the generated world of mini data")
	cmd.Flags().StringVar(&out, "out", "", "JSON file of the counts (default runs/overlap/TRAIN-TEST.json)")
	return cmd
}

// countOverlap compares a training corpus with a benchmark.
func countOverlap(w io.Writer, train, test string, world uint64, words int, out string) error {
	if words < 1 {
		return usage.Errorf("--words: want at least 1, found %d", words)
	}
	triplets, err := catalog.OpenTriplets(train, world)
	if err != nil {
		return usage.AsError(err)
	}
	b, err := catalog.LoadBenchmark(test, world)
	if err != nil {
		return usage.AsError(err)
	}
	counts, err := overlap.Check(trainingTexts(triplets), testTexts(b), words)
	if err != nil {
		return err
	}
	if out == "" {
		out = runs.OverlapFile(results.FileName(filepath.Base(train)) + "-" + results.FileName(b.Name))
	}
	kept := runs.Overlap{Train: train, Test: b.Name, Words: words, Counts: counts}
	if err := atomicfile.WriteJSONTo(atomicfile.OS{}, out, kept); err != nil {
		return err
	}
	s := sheet.Sheet{
		Title: fmt.Sprintf("%s in %s, runs of %d words", b.Name, train, words), Left: 1,
		Head:  []string{"texts", "n", "word for word", "share a run", "runs shared"},
		Notes: []string{"counts: " + out},
	}
	for _, c := range counts {
		s.Rows = append(s.Rows, []string{
			c.Group, strconv.Itoa(c.Texts), strconv.Itoa(c.Exact), strconv.Itoa(c.Partial),
			fmt.Sprintf("%d of %d", c.Shared, c.Grams),
		})
	}
	return s.WriteTable(w)
}

// trainingTexts streams every text of a training corpus once.
func trainingTexts(triplets iter.Seq2[datasets.Triplet, error]) iter.Seq2[overlap.Text, error] {
	return func(yield func(overlap.Text, error) bool) {
		for t, err := range triplets {
			if err != nil {
				yield(overlap.Text{}, err)
				return
			}
			for text := range catalog.TripletTexts(t) {
				if !yield(overlap.Text{ID: t.ID, Text: text}, nil) {
					return
				}
			}
		}
	}
}

// testTexts streams the queries, instructions and documents of every task.
func testTexts(b *datasets.Benchmark) iter.Seq2[overlap.Text, error] {
	return func(yield func(overlap.Text, error) bool) {
		for _, t := range b.Tasks {
			for _, q := range t.Queries {
				if !yield(overlap.Text{Group: t.Name + " queries", ID: q.ID, Text: q.Text}, nil) {
					return
				}
				if q.Instruction != "" && !yield(overlap.Text{Group: t.Name + " instructions", ID: q.ID, Text: q.Instruction}, nil) {
					return
				}
			}
			for d, err := range t.Corpus.Documents() {
				if !yield(overlap.Text{Group: t.Name + " documents", ID: d.ID, Text: d.Text}, err) || err != nil {
					return
				}
			}
		}
	}
}
