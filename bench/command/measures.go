package command

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"infbench/bench/output"
	"infbench/internal/usage"
	"infbench/metrics"
	"infbench/reports/terminal"
)

func measuresCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:     "measures [NAME]",
		Short:   "Explain every measure, or one: definition, range, direction, source",
		Example: "  infbench list measures\n  infbench list measures nDCG@10\n  infbench list measures --format json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := output.CheckFormat(format); err != nil {
				return err
			}
			families := metrics.Families()
			if len(args) == 1 {
				one, err := metrics.FamilyOf(args[0])
				if err != nil {
					return usage.Error{Err: err}
				}
				families = []metrics.Family{one}
			}
			return writeMeasures(cmd.OutOrStdout(), families, format)
		},
	}
	cmd.Flags().StringVar(&format, "format", "table", "table, json or csv")
	return cmd
}

// measureInfo is a measure as list measures --format json prints it.
type measureInfo struct {
	Name       string            `json:"name"`
	Aliases    []string          `json:"aliases,omitempty"`
	Forms      string            `json:"forms"`
	Definition string            `json:"definition"`
	Range      string            `json:"range"`
	Direction  metrics.Direction `json:"direction"`
	Source     string            `json:"source"`
	Address    string            `json:"address,omitempty"`
}

// writeMeasures prints families of measures. The table has a paragraph for each: definitions
// are too long for columns.
func writeMeasures(w io.Writer, families []metrics.Family, format string) error {
	var all []measureInfo
	rows := output.Sheet{Head: []string{"name", "forms", "definition", "range", "direction", "source", "address"}}
	for _, f := range families {
		all = append(all, measureInfo{f.Name, f.Aliases, f.Forms, f.Definition, f.Range, f.Direction, f.Source, f.Address})
		rows.Rows = append(rows.Rows, []string{f.Name, f.Forms, f.Definition, f.Range, string(f.Direction), f.Source, f.Address})
	}
	if format != "table" {
		return output.Print(w, format, all, rows)
	}
	screen := terminal.On(w)
	var lines [][]string
	for _, m := range all {
		shown := ""
		if scale := metrics.Scale(m.Name); scale != 1 {
			shown = fmt.Sprintf(" (×%g in tables and pages)", scale)
		}
		lines = append(lines, screen.Lines("", m.Name), screen.Lines("  ", m.Definition), screen.Lines("  names: ", m.Forms),
			screen.Lines("  range: ", fmt.Sprintf("%s%s, direction: %s", m.Range, shown, m.Direction)), screen.Lines("  source: ", m.Source))
		if m.Address != "" {
			lines = append(lines, []string{"  address: " + m.Address})
		}
		lines = append(lines, []string{""})
	}
	return screen.Put(lines...)
}
