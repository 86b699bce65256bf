package data

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"infbench/bench/output"
	"infbench/datasets"
	"infbench/datasets/mixture"
	"infbench/internal/disk"
	"infbench/internal/usage"
	"infbench/runners/contamination"
	"infbench/runners/results"
	"infbench/runners/runs"
)

func overlapCommand() *cobra.Command {
	var words int
	var world uint64
	var out string
	cmd := &cobra.Command{
		Use:   "overlap TRAIN TEST",
		Short: "Count the queries and documents of a benchmark that are in a training corpus",
		Long: `Count the queries and documents of each task that occur word for word in a training
corpus, and those that share a run of --words words with it (13: as in the GPT-3
report). The counts are saved in a JSON file that report shows next to the scores.`,
		Example: "  infbench data overlap mini-infir mini-followir\n  infbench data overlap train.jsonl path/to/beir/scifact --words 8",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return countOverlap(cmd.OutOrStdout(), args[0], args[1], world, words, out)
		},
	}
	cmd.Flags().IntVar(&words, "words", datasets.OverlapWords, "words in a run")
	cmd.Flags().Uint64Var(&world, "world", 1, "seed of the generated world of mini data")
	cmd.Flags().StringVar(&out, "out", "", "JSON file of the counts (default runs/overlap/TRAIN-TEST.json)")
	return cmd
}

// countOverlap compares a training corpus with a benchmark.
func countOverlap(w io.Writer, train, test string, world uint64, words int, out string) error {
	if words < 1 {
		return usage.Errorf("--words: want at least 1, found %d", words)
	}
	file := output.File{Path: out, Kind: output.JSON, Inputs: append(mixture.NamesIn(train), test)}
	if err := file.Check(); out != "" && err != nil {
		return err
	}
	kept, err := contamination.Count(train, test, world, words)
	if err != nil {
		return usage.AsError(err)
	}
	if out == "" {
		name := filepath.Base(train)
		if strings.Contains(train, " + ") {
			name = kept.Label
		}
		file.Path = runs.OverlapFile(results.FileName(name) + "-" + results.FileName(kept.Test))
	}
	data, err := disk.EncodeSealed(kept)
	if err != nil {
		return err
	}
	if err := file.WriteBytes(data); err != nil {
		return err
	}
	s := output.Sheet{
		Title: fmt.Sprintf("%s in %s, runs of %d words", kept.Test, train, words), Left: 1,
		Head:  []string{"texts", "n", "word for word", "share a run", "runs shared"},
		Notes: []string{"counts: " + file.Path},
	}
	for _, c := range kept.Counts {
		s.Rows = append(s.Rows, []string{
			c.Group, strconv.Itoa(c.Texts), strconv.Itoa(c.Exact), strconv.Itoa(c.Partial),
			fmt.Sprintf("%d of %d", c.Shared, c.Grams),
		})
	}
	return s.WriteTable(w)
}
