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
		Short: "Inspect a model and check whether it can be run",
		Long: `Reads the configuration and headers, but no weights, of a model folder or a fetched model
(ORG/NAME or its card's name). Prints architecture, sizes, types, memory and text handling
(by its card if it has one), and every tensor that is missing or belongs to no part of the
network. For an adapter, the base model is checked, too. A pickle (pytorch_model.bin) is
read as a table of tensors: a file that asks for anything else is refused by its name, and
nothing in it is executed. Exits with 1 if the model cannot be run.

With --published FOLDER no model is read: for every model of MTEB's result files in
the folder or archive, the command reports whether infbench runs its architecture, why
not, or that the architecture is not recorded, and the share of models that run.`,
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
	cmd.Flags().StringVar(&results, "published", "", "folder or archive of MTEB's result files with the models to judge")
	return cmd
}

// inspectModel inspects a model, and an adapter's base model if it is on this machine.
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
	if found.Kind == encoder.PairAdapter && base.Kind != "cross-encoder" {
		found.Problems = append(found.Problems, fmt.Sprintf("base model %s: it has no classifier that the adapter could be merged into: merge it with PEFT", m.Into))
	}
	for _, fault := range base.Faults() {
		found.Problems = append(found.Problems, fmt.Sprintf("base model %s: %s", m.Into, fault))
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

// writeInspection prints the inspection of a folder, for an adapter with its base model, and
// then all errors.
func writeInspection(w io.Writer, folder, into string, found *encoder.Inspection, format string) error {
	rows := output.Sheet{Title: folder, Head: []string{"field", "value"}, Rows: inspectionRows(found)}
	if into != "" {
		rows.Rows = slices.Insert(rows.Rows, 1, []string{"merged into", oneLine(into)})
	}
	return writeFields(w, format, checkedModel{folder, into, found.Runs(), found}, rows)
}

// inspectionRows lists the findings; unknown sizes are left out.
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
	if !strings.HasPrefix(found.Kind, "adapter") { // which is in its model's folder
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
	if j := found.Judge; j != nil {
		add("prompt", j.Prompt)
		add("instruction of other queries", j.Instruction)
		add("words", strings.TrimSuffix(j.Yes+" or "+j.No, " or "))
	}
	add("activation of predict", found.Activation)
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
