package models

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"infbench/bench/sheet"
	"infbench/training/encoder"
)

func checkCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "check FOLDER",
		Short: "Say what a model folder is and whether it can be run",
		Long: `Reads configuration and headers, no weights: architecture, sizes, types, memory,
text handling, and every tensor that is missing or belongs to no part of the
network. A pickle (pytorch_model.bin) is read as a table of tensors: one that asks for
anything else is refused by its name, and nothing in it is executed. Exits with 1 if
the folder cannot be run.`,
		Example: "  infbench models check models/e5-base-v2",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := sheet.CheckFormat(format); err != nil {
				return err
			}
			found, err := encoder.Inspect(args[0])
			if err != nil {
				return err
			}
			if err := writeInspection(cmd.OutOrStdout(), args[0], found, format); err != nil {
				return err
			}
			if !found.Runs() {
				return fmt.Errorf("model %s cannot be run: %d missing tensors, %d unknown ones, %d other problems",
					args[0], len(found.Missing), len(found.Unknown), len(found.Problems))
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&format, "format", "table", "table, json or csv")
	return cmd
}

// checkedModel is an inspection as models check --format json prints it.
type checkedModel struct {
	Folder string `json:"folder"`
	Runs   bool   `json:"runs"`
	*encoder.Inspection
}

// writeInspection prints what a folder is, then everything wrong with it.
func writeInspection(w io.Writer, folder string, found *encoder.Inspection, format string) error {
	rows := sheet.Sheet{Title: folder, Head: []string{"field", "value"}, Rows: inspectionRows(found)}
	return writeFields(w, format, checkedModel{folder, found.Runs(), found}, rows)
}

// inspectionRows lists what was found; sizes that are not known are left out.
func inspectionRows(found *encoder.Inspection) [][]string {
	var rows [][]string
	add := func(field, value string) {
		if value != "" {
			rows = append(rows, []string{field, oneLine(value)})
		}
	}
	count := func(field string, n int64) {
		if n > 0 {
			add(field, fmt.Sprint(n))
		}
	}
	add("kind", found.Kind)
	add("class", found.Class)
	add("architecture", found.Architecture)
	count("layers", int64(found.Layers))
	count("width", int64(found.Width))
	count("vector components", int64(found.Dim))
	count("vocabulary", int64(found.Vocabulary))
	if !strings.HasPrefix(found.Kind, "adapter") { // which stands in its model's folder
		add("tokenizer", cmp.Or(found.Tokenizer, "-"))
	}
	add("pooling", string(found.Pooling))
	if found.BothWays {
		add("attention", "bidirectional")
	}
	add("prompts in the pooling", string(found.Prompt))
	count("labels", int64(found.Labels))
	if found.Pooling != "" {
		add("normalize", fmt.Sprint(found.Normalize))
	}
	count("query tokens, at most", int64(found.MaxQuery))
	count("document tokens, at most", int64(found.MaxDocument))
	add("types", strings.Join(found.DTypes, ", "))
	count("tensors in the files", int64(found.Tensors))
	count("parameters in use", found.Parameters)
	if found.Memory > 0 {
		add("memory for weights", fmt.Sprintf("%.1f MiB as float32", float64(found.Memory)/(1<<20)))
	}
	for _, name := range found.Missing {
		add("missing tensor", name)
	}
	for _, name := range found.Unknown {
		add("unknown tensor", name)
	}
	for _, problem := range found.Problems {
		add("problem", problem)
	}
	runs := "yes"
	if !found.Runs() {
		runs = "no"
	}
	add("runs", runs)
	return rows
}
