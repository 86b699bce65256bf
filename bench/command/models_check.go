package command

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"infbench/bench/output"
	"infbench/runners/catalog"
	"infbench/training/encoder"
)

func modelsCheckCommand() *cobra.Command {
	var format, results string
	cmd := &cobra.Command{
		Use:   "check FOLDER|NAME",
		Short: "Say what a model is and whether it can be run",
		Long: `Reads configuration and headers, no weights, of a folder or of a model that was
fetched (ORG/NAME or its card's name): architecture, sizes, types, memory, text
handling, by its card where it has one, and every tensor that is missing or belongs
to no part of the network. Of an adapter it looks at what that is merged into, too. A pickle (pytorch_model.bin) is read as a table of tensors: one that asks for
anything else is refused by its name, and nothing in it is executed. Exits with 1 if
the model cannot be run.

With --published FOLDER no model is read: for every model of MTEB's result files in
the folder or archive it says whether infbench runs its architecture, why not, or that
the architecture is not recorded, and the share of those that run.`,
		Example: "  infbench models check models/e5-base-v2\n  infbench models check GritLM/GritLM-7B",
		Args: func(cmd *cobra.Command, args []string) error {
			if results != "" {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.ExactArgs(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := output.CheckFormat(format); err != nil {
				return err
			}
			if results != "" {
				return checkPublished(cmd.OutOrStdout(), results, format)
			}
			found, into, err := inspectModel(args[0])
			if err != nil {
				return err
			}
			if err := writeInspection(cmd.OutOrStdout(), args[0], into, found, format); err != nil {
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
	cmd.Flags().StringVar(&results, "published", "", "folder or archive of MTEB's result files, whose models are judged")
	return cmd
}

// inspectModel looks at a model, and at what an adapter is merged into where that is here.
func inspectModel(name string) (found *encoder.Inspection, into string, err error) {
	m, err := catalog.FindModel(name)
	if err != nil {
		return nil, "", err
	}
	if found, err = m.Card.Inspect(m.Folder); err != nil || m.Into == "" {
		return found, "", err
	}
	if m.Base == "" {
		return found, m.Into + " (not on this machine)", nil
	}
	base, err := m.Card.Inspect(m.Base)
	if err != nil {
		return nil, "", err
	}
	for _, fault := range base.Faults() {
		found.Problems = append(found.Problems, fmt.Sprintf("%s, which it is merged into: %s", m.Into, fault))
	}
	return found, m.Into, nil
}

// checkedModel is an inspection as models check --format json prints it.
type checkedModel struct {
	Folder string `json:"folder"`
	Into   string `json:"merged_into,omitempty"`
	Runs   bool   `json:"runs"`
	*encoder.Inspection
}

// writeInspection prints what a folder is, of an adapter what it is merged into, then everything wrong with it.
func writeInspection(w io.Writer, folder, into string, found *encoder.Inspection, format string) error {
	rows := output.Sheet{Title: folder, Head: []string{"field", "value"}, Rows: inspectionRows(found)}
	if into != "" {
		rows.Rows = slices.Insert(rows.Rows, 1, []string{"merged into", oneLine(into)})
	}
	return writeFields(w, format, checkedModel{folder, into, found.Runs(), found}, rows)
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
	count("before truncate_dim", int64(found.Whole))
	count("vocabulary", int64(found.Vocabulary))
	if !strings.HasPrefix(found.Kind, "adapter") { // which stands in its model's folder
		add("tokenizer", cmp.Or(found.Tokenizer, "-"))
	}
	add("pooling", string(found.Pooling))
	if found.BothWays {
		add("attention", "bidirectional")
	}
	if len(found.Prompts) > 0 {
		add("prompts not used", strings.Join(found.Prompts, ", ")+" (query_prompt and document_prompt choose)")
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
	for _, note := range found.Notes {
		add("note", note)
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
	add("hint", found.Hint)
	runs := "yes"
	if !found.Runs() {
		runs = "no"
	}
	add("runs", runs)
	return rows
}
