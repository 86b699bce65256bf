package data

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"infbench/datasets"
	"infbench/internal/usage"
	"infbench/reports/terminal"
)

func showCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "show NAME",
		Short:   "Describe a benchmark or training data: source, licence, citation, protocol",
		Example: "  infbench data show followir\n  infbench data show mini-followir\n  infbench data show ./train.jsonl",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return show(cmd.OutOrStdout(), args[0])
		},
	}
}

// show prints the description of a name without opening its files.
func show(w io.Writer, name string) error {
	if slices.Contains(datasets.MiniNames(), name) {
		return showGenerated(w, name)
	}
	screen := terminal.On(w)
	if s, err := datasets.FindTraining(name); err == nil {
		screen.Print(s.Name+": ", s.About)
		showFields(w, [][2]string{{"source", repoText(s.Repo)}, {"licence", s.Licence}, {"citation", s.Citation}})
		return nil
	}
	if is, _ := isTraining(name, 1); is {
		return usage.AsError(showTraining(w, name))
	}
	s, err := datasets.FindSource(name)
	if err != nil {
		return usage.Error{Err: unknownData(name, err)}
	}
	screen.Print(s.Name+": ", s.About)
	for _, r := range s.Repos {
		showFields(w, [][2]string{{"source", repoText(r)}})
	}
	if s.Elsewhere != "" {
		showFields(w, [][2]string{{"source", s.Elsewhere + "; then infbench data import THAT_FOLDER --name " + s.Name}})
	}
	showFields(w, [][2]string{
		{"licence", s.Licence}, {"citation", s.Citation}, {"measures", strings.Join(s.Measures, ", ")}, {"protocol", s.Protocol},
	})
	return nil
}

// showGenerated describes a benchmark that infbench generates.
func showGenerated(w io.Writer, name string) error {
	b, err := datasets.Mini(name, 1)
	if err != nil {
		return err
	}
	screen := terminal.On(w)
	screen.Print(b.Name+": ", "synthetic, generated from a world seed; here world 1")
	showFields(w, [][2]string{{"source", b.Source}, {"revision", b.Revision}, {"licence", b.Licence}})
	for _, t := range b.Tasks {
		var measures []string
		for _, s := range t.Scorings {
			measures = append(measures, strings.TrimSpace(s.Measure+" "+string(s.Side)))
		}
		screen.Print("  task "+t.Name+": ", fmt.Sprintf("%d queries, %d documents; %s", len(t.Queries), t.Corpus.Len(), strings.Join(measures, ", ")))
		screen.Print("    ", t.Notes)
	}
	return nil
}

func repoText(r datasets.Repo) string {
	if r.Revision == "" {
		return r.ID + " (no revision pinned)"
	}
	return r.ID + " at " + r.Revision
}

// showFields prints the known fields, one per line.
func showFields(w io.Writer, fields [][2]string) {
	for _, f := range fields {
		if f[1] != "" {
			terminal.On(w).Print("  "+f[0]+": ", f[1])
		}
	}
}
