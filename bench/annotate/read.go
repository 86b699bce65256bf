package annotate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"infbench/bench/output"
	"infbench/datasets/annotate"
	"infbench/internal/disk"
	"infbench/internal/words"
	"infbench/metrics/stats"
	"infbench/runners/runs"
)

// readOptions are the flags of data annotate read.
type readOptions struct {
	boot              stats.Bootstrap
	format, keep, out string
}

func readCommand() *cobra.Command {
	var o readOptions
	cmd := &cobra.Command{
		Use:   "read KEY.json|JUDGED.jsonl|CORPUS-FOLDER [PICKS...]",
		Short: "Measure how far annotators and judges agree",
		Long: `Read the picks that annotators saved (the page's file or the filled-in CSV) with the
key of their sheets, and the judges' picks for the same questions. Print Cohen's kappa
of every pair, the mean of people among themselves and of each judge against them
(figure 4), how often each rater picks the right passage, a noise audit by type of
poison, and the items on which raters disagree. A judged.jsonl among PICKS adds later
judges. Without PICKS, or with questions instead of a key, only judges are compared.

The label of a pick is the position of the candidate in the key's order. Positions are
shuffled, so with n candidates chance agreement is 1/n. Kappa by the role of the
candidate is printed as well. Candidates with the same text are one. A judge's answer
that was refused or could not be read does not count; "none of them" counts.

--out DIR writes ratings.csv and roles.csv, which infbench data agreement reads, and
picks.csv with a line for each question. --keep NAME saves the study, which report
--view agreement shows with the texts on which raters disagree.`,
		Example: `  infbench data annotate read study/key.json picks-ann.json picks-bob.json picks-eve.csv --keep inf-ir
  infbench data annotate read corpora/inf-ir --out agreement`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args, cmd.OutOrStdout()) },
	}
	f := cmd.Flags()
	f.Float64Var(&o.boot.Level, "confidence", 0.95, "level of the intervals")
	f.IntVar(&o.boot.Resamples, "resamples", 2000, "bootstrap samples of an interval")
	f.Uint64Var(&o.boot.Seed, "seed", 1, "seed of the bootstrap")
	f.StringVar(&o.format, "format", "table", strings.Join(output.Formats, ", "))
	f.StringVar(&o.out, "out", "", "folder for ratings.csv, roles.csv and picks.csv")
	f.StringVar(&o.keep, "keep", "", "save the study as NAME in runs/agreement, for report --view agreement")
	return cmd
}

// run reads the picks and prints and saves the results.
func (o readOptions) run(ctx context.Context, args []string, out io.Writer) error {
	if err := cmp.Or(output.CheckFormat(o.format), CheckBootstrap(o.boot), runs.CheckName(o.keep)); err != nil {
		return err
	}
	rated, err := annotate.Read(args[0], args[1:])
	if err != nil {
		return err
	}
	s, err := measure(rated, o.boot)
	if err != nil {
		return err
	}
	if o.out != "" {
		if err := o.fill(ctx, args, s); err != nil {
			return err
		}
	}
	if o.keep != "" {
		file, err := annotate.FileOf(args[0])
		if err != nil {
			return err
		}
		if err := runs.KeepStudy(s.kept(o.keep), file); err != nil {
			return err
		}
	}
	if o.format == "table" {
		fmt.Fprintf(out, "%s\n\n", words.Clean(agreementTitle(s.Position)))
	}
	return output.Print(out, o.format, s, s.rows(), s.sheets()...)
}

// fill writes the output folder.
func (o readOptions) fill(ctx context.Context, inputs []string, s *study) error {
	_, at, err := runs.ClaimOutput(ctx, o.out)
	if err != nil {
		return err
	}
	return errors.Join(at.Fill(runs.Made{Verb: "annotate read", Inputs: inputs}, s.write), at.Release())
}

// write writes the tables of ratings.
func (s *study) write(dir string) error {
	for name, table := range map[string]output.Sheet{
		"ratings.csv": s.labelled(s.rated.Position), "roles.csv": s.labelled(s.rated.Role), "picks.csv": s.picks(),
	} {
		if err := disk.Write(filepath.Join(dir, name), table.WriteCSV); err != nil {
			return err
		}
	}
	return nil
}
