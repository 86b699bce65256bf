package command

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"infbench/bench/keys"
	"infbench/datasets"
	"infbench/internal/usage"
	"infbench/metrics"
	"infbench/reports/terminal"
	"infbench/runners/catalog"
	"infbench/runners/chatrank"
	"infbench/runners/spec"
	"infbench/training"
)

// inventory is everything that list can show, in the order shown. A kind without its own verb
// is a list of names.
var inventory = []struct {
	name  string
	about string
	items func() []string
	verb  func() *cobra.Command
}{
	{"benchmarks", "for evaluate:, --data", datasets.Names, nil},
	{"corpora", "training data, for data:", catalog.Corpora, nil},
	{"losses", "for loss:", lossNames, keys.LossesCommand},
	{"backbones", "for backbone:, or a HuggingFace folder", catalog.Backbones, nil},
	{"models", "for --model, or remote, a HuggingFace folder, a TREC run file", spec.ReadyBaselines, nil},
	{"baselines", "for baselines:", spec.BaselineNames, nil},
	{"recipes", "for --recipe, of language models that rank", chatrank.Recipes, recipesCommand},
	{"measures", "for --measure", metrics.Names, measuresCommand},
	{"keys", "of an experiment file; infbench list keys explains them", keys.Names, keys.Command},
}

func listCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the names that files and flags may use, and explain them",
		Example: `  infbench list
  infbench list benchmarks
  infbench list measures nDCG@10
  infbench list losses MarginMSELoss
  infbench list keys train.lora
  infbench list schema > experiment.schema.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return listAll(cmd.OutOrStdout()) },
	}
	for _, k := range inventory {
		if k.verb != nil {
			cmd.AddCommand(k.verb())
			continue
		}
		cmd.AddCommand(&cobra.Command{
			Use:     k.name,
			Short:   "List the " + k.name + ": " + k.about,
			Example: "  infbench list " + k.name,
			Args:    cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error {
				_, err := fmt.Fprintln(cmd.OutOrStdout(), strings.Join(k.items(), "\n"))
				return err
			},
		})
	}
	cmd.AddCommand(keys.SchemaCommand())
	return cmd
}

// listAll prints every kind with its names.
func listAll(w io.Writer) error {
	screen := terminal.On(w)
	var lines [][]string
	for _, k := range inventory {
		lines = append(lines, screen.Lines("", fmt.Sprintf("%s (%s)", k.name, k.about)), screen.Lines("  ", strings.Join(k.items(), "  ")))
	}
	return screen.Put(lines...)
}

// recipesCommand lists the recipes, or prints the file of one.
func recipesCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "recipes [RECIPE]",
		Short:   "List the recipes of language models that rank, or print one",
		Example: "  infbench list recipes\n  infbench list recipes rank1",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			text := []byte(strings.Join(chatrank.Recipes(), "\n") + "\n")
			if len(args) > 0 {
				var err error
				if text, err = chatrank.ShippedRecipe(args[0]); err != nil {
					return usage.Error{Err: err}
				}
			}
			_, err := cmd.OutOrStdout().Write(text)
			return err
		},
	}
}

// lossNames lists the losses of the paper in the order of its tables, then those of this
// program.
func lossNames() []string {
	var names []string
	for _, l := range training.KnownLosses() {
		names = append(names, training.NameOf(l))
	}
	return names
}
