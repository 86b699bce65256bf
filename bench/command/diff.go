package command

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"infbench/bench/output"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/reports/diff"
	"infbench/runners/results"
	"infbench/runners/runs"
)

func diffCommand() *cobra.Command {
	top, format := 0, ""
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Explain why two runs differ",
		Long: `Compare two run folders or HTML reports. First come the possible causes, in order (data
revision, qrels, instruction text, joining order, max length, dtype, pooling, tie policy,
measure version, model and training, seeds, weights and machine), then the numbers that
moved, tested query by query, with the queries that moved most.

RUN:SYSTEM is one system of a run folder, by label or ID: runs/a:uni:P. Systems match if
their configurations are the same apart from seeds, else if they have the same name, else
if each side has only one left. A setting that one side does not record is listed as
unknown, never taken for equal; a report records less than a run folder.`,
		Example: `  infbench diff runs/monday runs/tuesday
  infbench diff runs/demo:uni:P runs/demo:multi:P+I
  infbench diff leaderboard.html runs/demo --format json`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if format != "text" && format != "json" {
				return usage.Errorf("diff: --format %s: want text or json", format)
			}
			return diffSets(args[0], args[1], top, format, cmd.OutOrStdout())
		},
	}
	cmd.Flags().IntVar(&top, "top", 20, "numbers to show")
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	return cmd
}

// diffSets prints why B differs from A.
func diffSets(a, b string, top int, format string, out io.Writer) error {
	if top < 0 {
		return usage.Errorf("diff: --top %d: want 0 or more", top)
	}
	var sets [2][]*results.Experiment
	facts := map[string]results.Facts{}
	for i, name := range []string{a, b} {
		exps, err := loadSet(name)
		if err != nil {
			return err
		}
		if err := runs.AddFacts(exps, facts); err != nil {
			return err
		}
		sets[i] = exps
	}
	c, err := diff.Compare(sets[0], sets[1], true)
	if err != nil {
		return err
	}
	if format == "json" {
		return output.WriteJSON(out, c.JSON(facts))
	}
	fmt.Fprintf(out, "before: %s\nafter:  %s\n\n", words.Clean(a), words.Clean(b))
	return diff.WriteDiff(out, c, facts, top)
}
