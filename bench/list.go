package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"infbench/bench/baseline"
	"infbench/bench/catalog"
	"infbench/bench/keys"
	"infbench/bench/usage"
	"infbench/datasets"
	"infbench/metrics"
	"infbench/metrics/nearest"
	"infbench/reports/terminal"
	"infbench/training"
)

// inventory is what list can show, in the order it is shown.
var inventory = []struct {
	name  string
	about string
	items func() []string
}{
	{"benchmarks", "for evaluate:, --data", datasets.Names},
	{"corpora", "training data, for data:", catalog.Corpora},
	{listLosses, "for loss:", lossNames},
	{"backbones", "for backbone:, or a HuggingFace folder", catalog.Backbones},
	{"models", "for --model, or remote, a HuggingFace folder, a TREC run file", baseline.Ready},
	{"baselines", "for baselines:", baseline.Names},
	{"measures", "for --measure", metrics.Names},
	{listKeys, "of an experiment file; infbench list keys explains them", keys.Documented},
}

// listKeys are shown with what they mean, listLosses with the names that other
// libraries have.
const (
	listKeys   = "keys"
	listLosses = "losses"
)

func listCommand() *cobra.Command {
	var kinds []string
	for _, k := range inventory {
		kinds = append(kinds, k.name)
	}
	return &cobra.Command{
		Use:       "list [" + strings.Join(kinds, "|") + "] [KEY]",
		Short:     "List the names that files and flags may use",
		Example:   "  infbench list\n  infbench list losses\n  infbench list keys\n  infbench list keys train.lora",
		Args:      cobra.MaximumNArgs(2),
		ValidArgs: kinds,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listAll(cmd.OutOrStdout())
			}
			switch {
			case args[0] == listKeys:
				return keys.List(cmd.OutOrStdout(), args[1:])
			case args[0] == listLosses && len(args) == 1:
				return keys.WriteLosses(cmd.OutOrStdout())
			case len(args) > 1:
				return usage.Errorf("list: only %s takes a further name, found %q", listKeys, args[1])
			}
			for _, k := range inventory {
				if k.name == args[0] {
					fmt.Fprintln(cmd.OutOrStdout(), strings.Join(k.items(), "\n"))
					return nil
				}
			}
			return usage.Error{Err: nearest.Unknown("kind", args[0], kinds)}
		},
	}
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

// lossNames lists the losses of the paper in the order of its tables.
func lossNames() []string {
	var names []string
	for _, l := range training.AllLosses() {
		names = append(names, l.String())
	}
	return names
}
