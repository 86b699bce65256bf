package keys

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"infbench/internal/nearest"
	"infbench/internal/usage"
	"infbench/reports/terminal"
	"infbench/runners/spec"
)

// SchemaCommand is the verb list schema.
func SchemaCommand() *cobra.Command {
	kinds := []string{"experiment"}
	return &cobra.Command{
		Use:   "schema [experiment]",
		Short: "Print a JSON Schema with which editors complete experiment files",
		Long: `Print a JSON Schema of experiment files. An editor with a YAML language server completes
and checks a file that begins with

  # yaml-language-server: $schema=experiment.schema.json

The schema finds errors that show in the file alone; infbench plan FILE also looks up data
and models.`,
		Example:   "  infbench list schema > experiment.schema.json",
		Args:      cobra.MaximumNArgs(1),
		ValidArgs: kinds,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] != kinds[0] {
				return usage.Error{Err: nearest.Unknown("kind of file", args[0], kinds)}
			}
			return WriteSchema(cmd.OutOrStdout())
		},
	}
}

// Example is a small experiment file.
const Example = `name: my-ablation
base:                       # what every cell starts from
  data: mini-infir
  backbone: tiny-bert
  train: {epochs: 2, rows_per_group: 12, groups: 2, lr: 5e-3}
matrix:                     # every combination is a cell
  loss: [uni:P, multi:P+I]  # multi:P+I is multi(P,I), which YAML wants in quotes
  seed: [1, 2, 3]
  train.warmup: [0, 0.05]   # a dotted key
exclude: [{loss: uni:P, seed: 3}]
baselines: [bm25, untrained]
evaluate: [mini-followir]
`

// HelpTopic is what infbench help experiment prints.
func HelpTopic() *cobra.Command {
	var about strings.Builder
	about.WriteString("An experiment file lists the systems to train, their baselines and the benchmarks to\nevaluate on. The flags of sweep decide where it runs.\n\n")
	about.WriteString("  " + strings.ReplaceAll(strings.TrimSpace(Example), "\n", "\n  ") + "\n\nIts sections:\n\n")
	top := tops()
	for _, k := range spec.FileKeys() {
		if slices.Contains(top, k.Name) {
			fmt.Fprintf(&about, "  %-15s%s\n", k.Name, strings.Join(terminal.Wrap(k.Meaning, 66), "\n"+strings.Repeat(" ", 17)))
		}
	}
	about.WriteString(`
base, bases, matrix, include and exclude hold the settings of a cell; a mistake is an error
with file, line, column and the nearest known name. A baseline without training settings
(all except world, seed, precision and dims) trains nothing. Settings that the file leaves
out have their defaults; plan prints the data, backbone and loss.

  infbench list keys             every key: type, default, unit, meaning, source
  infbench list keys train.lr    one key, or the keys of a section
  infbench init                  a commented file to start from
  infbench list schema           a JSON Schema, for editors
  infbench plan FILE             the trials of a file, and what they need`)
	return &cobra.Command{Use: "experiment", Short: "Explain the contents of an experiment file", Long: about.String(), Example: "  infbench help experiment"}
}

// Command is the verb list keys.
func Command() *cobra.Command {
	return &cobra.Command{
		Use:     "keys [KEY]",
		Short:   "Explain the keys of an experiment file, or one key and the keys below it",
		Example: "  infbench list keys\n  infbench list keys train.lora",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return Print(cmd.OutOrStdout(), All())
			}
			found, err := Find(args[0])
			if err != nil {
				return err
			}
			return Print(cmd.OutOrStdout(), found)
		},
	}
}
