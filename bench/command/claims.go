package command

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"infbench/bench/output"
	"infbench/internal/disk"
	"infbench/internal/nearest"
	"infbench/internal/usage"
	"infbench/reports"
	"infbench/reports/claims"
	"infbench/reports/export"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// claimFormats are the values of --format of the verb claims.
var claimFormats = []string{"terminal", "markdown", "json", "csv"}

func claimsCommand() *cobra.Command {
	var format, printed string
	cmd := &cobra.Command{
		Use:   "claims FILE [RUN...]",
		Short: "Check the claims of a paper against results",
		Long: `Judge every claim in FILE by the results of run folders or HTML reports: a claim holds, is
reversed, is not shown, or its trials were not run. Each verdict comes with the
difference, its interval, n, training seeds, and the command that would decide it. Without
RUN, every run folder below runs/ counts. p-values get Holm's correction over all tests of
the file. "Equal" can only be shown by equivalence within a stated margin. If a system was
trained once, the verdict is about that run. bench/claims has files of three papers. With
--published paper, the claims are checked against the numbers printed in the InF-IR paper,
by arithmetic alone.

` + claims.Form,
		Example: `  infbench claims bench/claims/inf-ir.yaml runs/paper-losses runs/paper-main
  infbench claims bench/claims/mini.yaml runs/demo --format markdown
  infbench claims bench/claims/inf-ir.yaml --published paper
  infbench report runs/demo --claims bench/claims/mini.yaml --format html --out report.html`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkClaimFormat(format); err != nil {
				return err
			}
			if printed != "" {
				if len(args) > 1 {
					return usage.Errorf("claims: --published checks claims against printed numbers; leave out the run folders")
				}
				return claimsOnPrint(cmd.OutOrStdout(), args[0], printed, format)
			}
			judged, err := judgeClaims(args[0], args[1:])
			if err != nil {
				return err
			}
			return writeClaims(cmd.OutOrStdout(), judged, format)
		},
	}
	cmd.Flags().StringVar(&format, "format", "terminal", "one of "+strings.Join(claimFormats, ", "))
	cmd.Flags().StringVar(&printed, "published", "", "check the claims against printed numbers instead: paper, or a FOLDER or .tar.gz of MTEB result files")
	return cmd
}

// checkClaimFormat refuses an unknown --format.
func checkClaimFormat(format string) error {
	if slices.Contains(claimFormats, format) {
		return nil
	}
	return usage.Error{Err: nearest.Unknown("format", format, claimFormats)}
}

// readClaims reads a claim file.
func readClaims(file string) (*claims.File, error) {
	data, err := disk.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return claims.Parse(file, data)
}

// judgeClaims checks the claims of a file against the results of run folders and pages (all folders,
// if none is named) and the studies of data, stored or on the pages.
func judgeClaims(file string, folders []string) (*claims.Judged, error) {
	f, err := readClaims(file)
	if err != nil {
		return nil, err
	}
	g, err := loadForClaims(folders)
	if err != nil {
		return nil, err
	}
	studies, err := allStudies()
	if err != nil {
		return nil, err
	}
	overlaps, err := g.overlaps()
	if err != nil {
		return nil, err
	}
	return reports.Judge(f, g.exps, append(studies, g.studies(isClaimed)...), overlaps)
}

// isClaimed reports whether claims are about studies of that kind.
func isClaimed(kind string) bool { return slices.Contains(claims.StudyKinds, kind) }

// loadForClaims reads run folders and pages, or all folders below runs/ if none is named. Without
// run folders every claim is "not run".
func loadForClaims(folders []string) (*given, error) {
	if len(folders) == 0 {
		found, err := runs.Names()
		if err != nil {
			return &given{}, nil
		}
		folders = found
	}
	return loadMeasured(folders)
}

// allStudies reads the stored studies of data.
func allStudies() ([]*results.Study, error) {
	var out []*results.Study
	for _, kind := range claims.StudyKinds {
		if kind == "overlap" {
			continue // counted separately
		}
		found, err := runs.ReadStudies(kind)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

// writeClaims prints verdicts.
func writeClaims(w io.Writer, judged *claims.Judged, format string) error {
	switch format {
	case "json":
		return output.WriteJSON(w, judged.Records())
	case "csv":
		head, rows := judged.Lines()
		return output.Sheet{Head: head, Rows: rows}.WriteCSV(w)
	}
	return export.Write(w, reports.OfClaims(judged.Section("claims")), format)
}

// claimsOnPrint checks the claims of a file against published numbers.
func claimsOnPrint(w io.Writer, file, name, format string) error {
	f, err := readClaims(file)
	if err != nil {
		return err
	}
	c, err := readPublished(name)
	if err != nil {
		return err
	}
	all, err := claims.OnPrinted(f, c)
	if err != nil {
		return err
	}
	switch format {
	case "json":
		return output.WriteJSON(w, all)
	case "csv":
		rows := output.Sheet{Head: []string{"id", "printed_numbers_say", "decided_by", "difference", "size", "says", "notes"}}
		for _, a := range all {
			rows.Rows = append(rows.Rows, []string{a.ID, string(a.Verdict), a.Decided, output.Exact(a.Difference), a.Size, a.Says, strings.Join(a.Notes, "; ")})
		}
		return rows.WriteCSV(w)
	}
	return export.Write(w, reports.OfClaims(claims.PrintedSection(f, all, c.Source)), format)
}
