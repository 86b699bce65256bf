// Package annotate has the verbs data annotate (sheets for people who check a corpus, and a
// comparison of their picks with the judges') and data agreement (how far the raters of a table
// agree). Package datasets/annotate draws samples and reads picks, metrics/agreement computes
// coefficients, and reports/page prints the sheets.
package annotate

import (
	"github.com/spf13/cobra"
)

// Command is the verb data annotate.
func Command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "annotate",
		Short: "Let people check a corpus, and measure how far judges agree with them",
		Long: `Draw a sample of the questions that judges answered, give it to people, and measure
how far people and judges agree, as in the paper's figure 4.

A question is a line of the judged.jsonl of a curated corpus: an instruction, a query
and candidates, exactly one of them right. Each annotator gets a sheet with the same
questions in a different order of questions and passages. Annotators do not get the key.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(sheetCommand(), readCommand())
	return cmd
}
