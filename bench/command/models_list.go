package command

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"infbench/bench/output"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/training/encoder"
)

// modelsCommand is the verb models: the cards of known models, and verbs that fetch, check
// and merge model folders.
func modelsCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "models [NAME]",
		Short: "List the cards of known models, show one, fetch, check and push models",
		Long: `List the cards of known models, or show all of one card, including its open questions.
Each card records where a published model comes from and how its texts are
prompted, pooled and cut, with sources. Cards contain no weights: fetch those (models
fetch), give the folder the card's settings, check it.`,
		Example: "  infbench models\n  infbench models --format json\n  infbench models e5-base-v2",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := output.CheckFormat(format); err != nil {
				return err
			}
			if len(args) == 1 {
				card, err := encoder.CardOf(args[0])
				if err != nil {
					return usage.Error{Err: err}
				}
				return writeCard(cmd.OutOrStdout(), &card, format)
			}
			cards, err := encoder.Cards()
			if err != nil {
				return err
			}
			return writeCards(cmd.OutOrStdout(), cards, format)
		},
	}
	cmd.Flags().StringVar(&format, "format", "table", "table, json or csv")
	cmd.AddCommand(modelsSettingsCommand(), modelsFetchCommand(), modelsCheckCommand(), modelsMergeCommand(), modelsPushCommand())
	return cmd
}

// writeCards prints all cards: the columns that distinguish models or, as JSON, everything.
func writeCards(w io.Writer, cards []encoder.Card, format string) error {
	rows := output.Sheet{
		Title: fmt.Sprintf("%d models", len(cards)),
		Head:  []string{"name", "kind", "architecture", "size", "pooling", "query and instruction", "licence"},
		Left:  7,
		Notes: []string{"-: unknown; to see all of a card: infbench models NAME"},
	}
	for _, c := range cards {
		rows.Rows = append(rows.Rows, []string{
			c.Name, c.Kind, cmp.Or(c.Architecture, "-"), cmp.Or(c.Size, "-"), cmp.Or(string(c.Pooling), "-"), cmp.Or(oneLine(c.Query), "-"), cmp.Or(c.Licence, "-"),
		})
	}
	return output.Print(w, format, cards, rows)
}

func modelsSettingsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "settings NAME",
		Short: "Print the infbench.json that makes a model folder follow a card",
		Long: `Prints the infbench.json with which evaluate prompts, pools and cuts texts as
the card says, and asks a language model that judges. It overrides all other
files of the folder.`,
		Example: "  infbench models settings e5-base-v2 > models/e5-base-v2/infbench.json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			card, err := encoder.CardOf(args[0])
			if err != nil {
				return usage.Error{Err: err}
			}
			data, err := card.Settings()
			if err != nil {
				return usage.Error{Err: err}
			}
			_, err = cmd.OutOrStdout().Write(data)
			return err
		},
	}
}

// writeCard prints the known settings of one card and lists the unknown ones.
func writeCard(w io.Writer, c *encoder.Card, format string) error {
	rows := output.Sheet{Title: c.Name, Head: []string{"field", "value"}, Rows: cardRows(c)}
	if unknown := c.Unknown(); len(unknown) > 0 {
		rows.Notes = []string{"not known: " + strings.Join(unknown, ", ")}
	}
	return writeFields(w, format, c, rows)
}

// writeFields prints a sheet of fields and values as lines, because values are too long for
// columns; or v as JSON; or the sheet as CSV.
func writeFields(w io.Writer, format string, v any, s output.Sheet) error {
	if format != "table" {
		return output.Print(w, format, v, s)
	}
	width := 0
	for _, row := range s.Rows {
		width = max(width, len(row[0]))
	}
	var b strings.Builder
	fmt.Fprintln(&b, words.Clean(s.Title))
	for _, row := range s.Rows {
		fmt.Fprintf(&b, "  %-*s  %s\n", width, row[0], words.Clean(row[1]))
	}
	for _, note := range s.Notes {
		fmt.Fprintln(&b, "note:", words.Clean(note))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// cardRows lists the known fields of a card.
func cardRows(c *encoder.Card) [][]string {
	var rows [][]string
	add := func(field, value string) {
		if value != "" {
			rows = append(rows, []string{field, oneLine(value)})
		}
	}
	add("kind", c.Kind)
	add("repository", c.Repository)
	if c.Repository != "" && c.Kind != "remote" {
		add("revision", cmp.Or(c.Revision, "unpinned"))
	}
	if c.Base != "" {
		add("merged into", c.Base+"@"+cmp.Or(c.BaseRevision, "unpinned"))
	}
	add("licence", c.Licence)
	add("architecture", c.Architecture)
	add("attention", c.Attention)
	add("size", c.Size)
	add("pooling", string(c.Pooling))
	add("prompts in the pooling", string(c.Prompt))
	if c.Normalize != nil {
		add("normalize", fmt.Sprint(*c.Normalize))
	}
	add("similarity", c.Similarity)
	add("query", c.Query)
	add("query without instruction", c.QueryAlone)
	add("document", c.Document)
	add("document without title", c.DocumentAlone)
	if c.Judge != nil {
		add("prompt", c.Judge.Prompt)
		add("words", c.Judge.Yes+" or "+c.Judge.No)
	}
	if c.MaxQueryTokens > 0 {
		add("max query tokens", fmt.Sprint(c.MaxQueryTokens))
	}
	if c.MaxTokens > 0 {
		add("max tokens", fmt.Sprint(c.MaxTokens))
	}
	add("padding", c.Padding)
	if c.AppendEOS {
		add("end token", "appended")
	}
	for _, row := range c.Paper {
		add("paper", fmt.Sprintf("Table %d, %s", row.Table, row.Model))
	}
	add("citation", c.Citation)
	add("notes", c.Notes)
	for _, source := range c.Sources {
		add("source", source)
	}
	return rows
}

// oneLine writes line breaks as \n, so that prompts fit a cell.
func oneLine(s string) string { return strings.ReplaceAll(s, "\n", `\n`) }
