// Package annotate has the verbs data annotate (sheets for people who check a corpus, and
// the study of what they and the judges picked) and data agreement (how far the raters of
// a table agree). Package datasets/annotate draws samples and reads picks,
// metrics/agreement computes coefficients, reports/page prints the sheets.
package annotate

import (
	"github.com/spf13/cobra"
)

// Command is the verb.
func Command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "annotate",
		Short: "Let people check a corpus, and measure how far judges agree with them",
		Long: `Draw a sample of the questions that judges answered, lay it before people, and
measure how far people and judges agree, as the paper's figure 4.

A question is a line of the judged.jsonl of a curated corpus: an instruction, a query
and candidates of which one answers. Each annotator gets a sheet of the same
questions, with questions and passages in an order of its own; the key stays behind.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(sheetCommand(), readCommand())
	return cmd
}
