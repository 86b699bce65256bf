package annotate

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"infbench/bench/output"
	"infbench/datasets/format"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/metrics/agreement"
	"infbench/metrics/stats"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// options are the flags of data agreement.
type options struct {
	raters, models, labels []string
	weights, scale         string
	boot                   stats.Bootstrap
	format, keep           string
}

// AgreementCommand is the verb data agreement: it measures how far the raters of a table agree
// beyond chance, and prints and saves the results. Package metrics/agreement computes the
// coefficients.
func AgreementCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "agreement FILE.csv",
		Short: "Measure how far raters agree beyond chance",
		Long: `Measure the agreement of human and model raters: Cohen's kappa of every pair, the
mean kappa of the humans among themselves and of each model against the humans,
Fleiss' kappa and Krippendorff's alpha, each with the number of items, observed
and expected agreement and a confidence interval.

FILE.csv has a header of rater names, one column per rater and one line per item; an
empty cell is a missing rating. Name the rater columns with --raters if there are
other columns, such as an item ID. "-" reads standard input.

Kappa depends on the kind of label: raters that pick among candidates should be
compared by the position picked (shuffled for each item). With labels for the role
of the pick ("positive", "distractor"), raters who are mostly right agree almost
fully by chance, which makes kappa unstable; report both.

Labels are ordered by value if all are numbers, else by bytes; give --labels if
weights or an ordinal scale need another order. Fleiss' kappa uses the items that all
raters rated, the other coefficients all items with at least two ratings. Intervals
of pairwise kappas use their standard errors, all others a bootstrap over items.`,
		Example: `  infbench data agreement picks.csv --models o3-mini,gpt-4o
  infbench data agreement grades.csv --labels low,medium,high --weights quadratic --scale ordinal
  infbench data agreement picks.csv --raters ann,bob,eve --format json
  infbench data agreement picks.csv --models o3-mini --keep picks`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			open := format.Open
			if args[0] == "-" {
				open = func(string) (io.ReadCloser, error) { return format.Unpack(io.NopCloser(cmd.InOrStdin())) }
			}
			in, err := open(args[0])
			if err != nil {
				return err
			}
			defer in.Close() // read only: nothing to lose
			return o.run(in, args[0], cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.raters, "raters", nil, "columns that are raters (default all)")
	f.StringSliceVar(&o.models, "models", nil, "raters that are models; the others are human")
	f.StringSliceVar(&o.labels, "labels", nil, "all labels, in order; other labels are an error")
	f.StringVar(&o.weights, "weights", "none", "weights of Cohen's kappa, by distance in the order of labels: none, linear or quadratic")
	f.StringVar(&o.scale, "scale", "nominal", "scale of Krippendorff's alpha: nominal, ordinal or interval")
	f.Float64Var(&o.boot.Level, "confidence", 0.95, "level of the intervals")
	f.IntVar(&o.boot.Resamples, "resamples", 2000, "bootstrap samples of an interval")
	f.Uint64Var(&o.boot.Seed, "seed", 1, "seed of the bootstrap")
	f.StringVar(&o.format, "format", "table", strings.Join(output.Formats, ", "))
	f.StringVar(&o.keep, "keep", "", "save the numbers as NAME in runs/agreement, for report --view agreement")
	return cmd
}

// run reads ratings and prints the results.
func (o options) run(in io.Reader, file string, out io.Writer) error {
	if err := cmp.Or(output.CheckFormat(o.format), CheckBootstrap(o.boot), runs.CheckName(o.keep)); err != nil {
		return err
	}
	if o.keep != "" && file == "-" {
		return usage.Errorf("--keep needs a FILE: it records the file's hash")
	}
	weights, err := agreement.ParseWeights(o.weights)
	if err != nil {
		return usage.Error{Err: err}
	}
	scale, err := agreement.ParseScale(o.scale)
	if err != nil {
		return usage.Error{Err: err}
	}
	ratings, err := agreement.ReadCSV(format.Gauged(in), file, o.raters, o.labels)
	if err != nil {
		return err
	}
	models, err := ratings.Index(o.models)
	if err != nil {
		return usage.Errorf("--models: %w", err)
	}
	if len(ratings.Raters) < 2 {
		return fmt.Errorf("%s: agreement needs 2 raters, found %q", file, ratings.Raters)
	}
	report, err := agreement.Measure(ratings, models, weights, scale, o.boot)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if o.keep != "" {
		if err := runs.KeepStudy(agreementStudy(report, o), file); err != nil {
			return err
		}
	}
	if o.format == "table" {
		fmt.Fprintf(out, "%s\n\n", words.Clean(agreementTitle(report)))
	}
	return output.Print(out, o.format, report, agreementCSV(report, o.boot.Level), agreementSheets(report, o.boot.Level)...)
}

// CheckBootstrap returns an error for flags out of range.
func CheckBootstrap(b stats.Bootstrap) error {
	if !(b.Level > 0 && b.Level < 1) {
		return usage.Errorf("--confidence %v is not between 0 and 1", b.Level)
	}
	if b.Resamples < 1 {
		return usage.Errorf("--resamples %d is less than 1", b.Resamples)
	}
	return nil
}

// agreementStudy converts the report for views.
func agreementStudy(r *agreement.Report, o options) *results.Study {
	return &results.Study{Kind: "agreement", Name: o.keep, Level: o.boot.Level, Values: agreementValues(r),
		Facts: []string{agreementTitle(r), "weights: " + o.weights, "scale: " + o.scale}}
}

// agreementValues are the coefficients of a report in the form of a study.
func agreementValues(r *agreement.Report) []results.StudyValue {
	var out []results.StudyValue
	for _, c := range slices.Concat(r.Pairs, r.Means, r.Panels) {
		if c.Pairs == 0 {
			continue // a mean with humans without any human, or a mean of one human
		}
		v := results.StudyValue{Measure: c.Name, Of: strings.Join(c.Raters, " | "), N: c.N,
			Observed: c.Observed.Pointer(), Expected: c.Expected.Pointer(), Value: c.Value.Pointer()}
		v.Low, v.High = c.Interval.Ends()
		out = append(out, v)
	}
	return out
}

// unstable is the expected agreement above which a coefficient gets a note: one more
// disagreement in 100 items then changes it by at least 0.1.
const unstable = 0.9

// agreementSheets formats the report for a terminal.
func agreementSheets(r *agreement.Report, level float64) []output.Sheet {
	head := []string{"raters", "n", "observed", "expected", "value", fmt.Sprintf("%g%% interval", 100*level)}
	line := func(first string, c agreement.Coefficient) []string {
		return []string{first, strconv.Itoa(c.N), c.Observed.Format(3), c.Expected.Format(3), c.Value.Format(3), c.Interval.Format(3)}
	}
	pairs := output.Sheet{Title: r.Pairs[0].Name + " of each pair", Head: head, Left: 1}
	for _, c := range r.Pairs {
		pairs.Rows = append(pairs.Rows, line(strings.Join(c.Raters, " | "), c))
		if e, ok := c.Expected.Get(); ok && e > unstable {
			pairs.Notes = append(pairs.Notes, fmt.Sprintf("%s agree by chance on %.3f of the items: their kappa is unstable", strings.Join(c.Raters, " and "), e))
		}
	}
	means := output.Sheet{Title: "Mean kappa over pairs with humans", Head: slices.Insert(slices.Clone(head), 1, "pairs"), Left: 1}
	for _, c := range r.Means {
		name := "humans among themselves"
		if len(c.Raters) > 1 {
			name = c.Raters[0]
		}
		means.Rows = append(means.Rows, slices.Insert(line(name, c), 1, strconv.Itoa(c.Pairs)))
	}
	panels := output.Sheet{Title: "All raters together", Head: slices.Insert(slices.Clone(head), 0, "coefficient"), Left: 2}
	for _, c := range r.Panels {
		panels.Rows = append(panels.Rows, slices.Insert(line(c.Raters[0], c), 0, c.Name))
	}
	if len(r.Humans) == 0 {
		return []output.Sheet{pairs, panels}
	}
	return []output.Sheet{pairs, means, panels}
}

// agreementTitle counts items, labels and raters.
func agreementTitle(r *agreement.Report) string {
	const shown = 12
	labels := r.Labels
	more := ""
	if len(labels) > shown {
		labels, more = labels[:shown], ", ..."
	}
	return fmt.Sprintf("%d items, %d labels (%s%s), %d human and %d model raters",
		r.Items, len(r.Labels), strings.Join(labels, ", "), more, len(r.Humans), len(r.Models))
}

// agreementCSV lists all coefficients, one per line; undefined numbers are empty.
func agreementCSV(r *agreement.Report, level float64) output.Sheet {
	s := output.Sheet{Head: []string{"coefficient", "raters", "pairs", "n", "observed", "expected", "value", "low", "high", "confidence"}}
	for _, c := range slices.Concat(r.Pairs, r.Means, r.Panels) {
		low, high := c.Interval.Ends()
		s.Rows = append(s.Rows, []string{
			c.Name, strings.Join(c.Raters, " | "), strconv.Itoa(c.Pairs), strconv.Itoa(c.N),
			output.Exact(c.Observed.Pointer()), output.Exact(c.Expected.Pointer()), output.Exact(c.Value.Pointer()), output.Exact(low), output.Exact(high), output.Exact(&level),
		})
	}
	return s
}
