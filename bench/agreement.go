package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"infbench/bench/runs"
	"infbench/bench/usage"
	"infbench/metrics/agreement"
	"infbench/metrics/stats"
	"infbench/reports"
	"infbench/reports/words"
)

// agreementOptions are the flags of agreement.
type agreementOptions struct {
	raters, models, labels []string
	weights, scale         string
	boot                   stats.Bootstrap
	format, keep           string
}

func agreementCommand() *cobra.Command {
	var o agreementOptions
	cmd := &cobra.Command{
		Use:   "agreement FILE.csv",
		Short: "Measure how far raters agree beyond chance",
		Long: `Measure the agreement of human and model raters: Cohen's kappa of every pair, the
mean kappa of the humans among themselves and of each model against the humans,
Fleiss' kappa and Krippendorff's alpha, each with the number of items, observed
and expected agreement and a confidence interval.

FILE.csv has a header of rater names, one column a rater and one line an item; an
empty cell is a missing rating. Name the rater columns with --raters where there
are others, such as an item ID. "-" reads standard input.

Kappa depends on what a label is: raters that pick among candidates should be
compared by the position picked (shuffled for each item). Labels that name the
role of the pick ("positive", "distractor") make chance agreement nearly full
when raters mostly agree, and kappa unstable; report both.

Labels are ordered by value where all are numbers, else by bytes; say --labels
where weights or an ordinal scale need another order. Fleiss' kappa uses the items
that all rated, the others all items with two ratings or more. Intervals of kappas
of pairs are from their standard errors, all others bootstrapped over items.`,
		Example: `  infbench agreement picks.csv --models o3-mini,gpt-4o
  infbench agreement grades.csv --labels low,medium,high --weights quadratic --scale ordinal
  infbench agreement picks.csv --raters ann,bob,eve --format json
  infbench agreement picks.csv --models o3-mini --keep picks`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			in := cmd.InOrStdin()
			if args[0] != "-" {
				f, err := os.Open(args[0])
				if err != nil {
					return err
				}
				defer f.Close() // read only: nothing to lose
				in = f
			}
			return o.run(in, args[0], cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.raters, "raters", nil, "columns that are raters (default all)")
	f.StringSliceVar(&o.models, "models", nil, "raters that are models; the others are human")
	f.StringSliceVar(&o.labels, "labels", nil, "all labels, in order; others are an error")
	f.StringVar(&o.weights, "weights", "none", "of Cohen's kappa, by distance in the order of labels: none, linear or quadratic")
	f.StringVar(&o.scale, "scale", "nominal", "of Krippendorff's alpha: nominal, ordinal or interval")
	f.Float64Var(&o.boot.Level, "confidence", 0.95, "level of the intervals")
	f.IntVar(&o.boot.Resamples, "resamples", 2000, "bootstrap samples of an interval")
	f.Uint64Var(&o.boot.Seed, "seed", 1, "seed of the bootstrap")
	f.StringVar(&o.format, "format", "table", strings.Join(sheetFormats, ", "))
	f.StringVar(&o.keep, "keep", "", "NAME to keep the numbers under in runs/agreement, which report --view agreement shows")
	return cmd
}

// coefficient is one line of the output of agreement.
type coefficient struct {
	Name   string   `json:"coefficient"`
	Raters []string `json:"raters"`
	Pairs  int      `json:"pairs"` // pairs of raters behind it
	agreement.Agreement
}

// agreementReport is the JSON of agreement.
type agreementReport struct {
	Items  int           `json:"items"`
	Labels []string      `json:"labels"`
	Humans []string      `json:"humans"`
	Models []string      `json:"models"`
	Pairs  []coefficient `json:"pairwise"`
	Means  []coefficient `json:"means"`
	Panels []coefficient `json:"panels"`
}

// run reads ratings and prints what the flags ask for.
func (o agreementOptions) run(in io.Reader, file string, out io.Writer) error {
	if err := cmp.Or(checkSheetFormat(o.format), checkBootstrap(o.boot), checkStudyName(o.keep)); err != nil {
		return err
	}
	if o.keep != "" && file == "-" {
		return usage.Errorf("--keep needs a FILE, whose hash it keeps")
	}
	weights, err := agreement.ParseWeights(o.weights)
	if err != nil {
		return usage.Error{Err: err}
	}
	scale, err := agreement.ParseScale(o.scale)
	if err != nil {
		return usage.Error{Err: err}
	}
	ratings, err := agreement.ReadCSV(in, file, o.raters, o.labels)
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
	report, err := o.measure(ratings, models, weights, scale)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if o.keep != "" {
		if err := keepStudy(report.study(o), file); err != nil {
			return err
		}
	}
	if o.format == "table" {
		fmt.Fprintf(out, "%s\n\n", words.Clean(report.title()))
	}
	return writeAs(out, o.format, report, report.csv(o.boot.Level), report.sheets(o)...)
}

// checkBootstrap refuses flags out of range.
func checkBootstrap(b stats.Bootstrap) error {
	if !(b.Level > 0 && b.Level < 1) {
		return usage.Errorf("--confidence %v is not between 0 and 1", b.Level)
	}
	if b.Resamples < 1 {
		return usage.Errorf("--resamples %d is less than 1", b.Resamples)
	}
	return nil
}

// measure computes all coefficients.
func (o agreementOptions) measure(r *agreement.Ratings, models []int, w agreement.Weights, s agreement.Scale) (*agreementReport, error) {
	report := &agreementReport{Items: len(r.Items), Labels: r.Labels, Humans: []string{}, Models: []string{}}
	var humans []int
	for i, name := range r.Raters {
		if slices.Contains(models, i) {
			report.Models = append(report.Models, name)
		} else {
			report.Humans = append(report.Humans, name)
			humans = append(humans, i)
		}
	}
	kappa := "Cohen's kappa"
	if w != agreement.Unweighted {
		kappa += ", " + w.String() + " weights"
	}
	for _, p := range agreement.Pairwise(r, w, o.boot.Level) {
		report.Pairs = append(report.Pairs, coefficient{
			Name: kappa, Raters: []string{r.Raters[p.A], r.Raters[p.B]}, Pairs: 1, Agreement: p.Agreement,
		})
	}
	for _, m := range agreement.AgainstHumans(r, models, w, o.boot) {
		c := coefficient{Name: "mean of " + kappa, Raters: []string{"humans"}, Pairs: m.Pairs, Agreement: m.Agreement}
		if m.Rater != agreement.HumanPairs {
			c.Raters = []string{r.Raters[m.Rater], "humans"}
		}
		report.Means = append(report.Means, c)
	}
	panels := [][]int{humans}
	if len(models) > 0 {
		panels = append(panels, nil) // all
	}
	for _, raters := range panels {
		part, name := r, "all"
		if raters != nil {
			part, name = r.Select(raters), "humans"
		}
		if len(part.Raters) < 2 {
			continue
		}
		alpha, err := agreement.Krippendorff(part, s, o.boot)
		if err != nil {
			return nil, err
		}
		pairs := len(part.Raters) * (len(part.Raters) - 1) / 2
		report.Panels = append(report.Panels,
			coefficient{Name: "Fleiss' kappa", Raters: []string{name}, Pairs: pairs, Agreement: agreement.Fleiss(part, o.boot)},
			coefficient{Name: "Krippendorff's alpha, " + s.String(), Raters: []string{name}, Pairs: pairs, Agreement: alpha})
	}
	return report, nil
}

// study is the report as views show it.
func (r *agreementReport) study(o agreementOptions) *reports.Study {
	s := &reports.Study{Kind: "agreement", Name: o.keep, Level: o.boot.Level, Facts: []string{r.title(), "weights: " + o.weights, "scale: " + o.scale}}
	for _, c := range slices.Concat(r.Pairs, r.Means, r.Panels) {
		v := reports.StudyValue{Measure: c.Name, Of: strings.Join(c.Raters, " | "), N: c.N,
			Observed: runs.Pointer(c.Observed), Expected: runs.Pointer(c.Expected), Value: runs.Pointer(c.Value)}
		v.Low, v.High = runs.Ends(c.Interval)
		s.Values = append(s.Values, v)
	}
	return s
}

// unstable is the expected agreement above which a coefficient gets a note:
// one more disagreement in 100 items then moves it by 0.1 and more.
const unstable = 0.9

// sheets lays the report out for a terminal.
func (r *agreementReport) sheets(o agreementOptions) []sheet {
	head := []string{"raters", "n", "observed", "expected", "value", fmt.Sprintf("%g%% interval", 100*o.boot.Level)}
	line := func(first string, c coefficient) []string {
		return []string{first, strconv.Itoa(c.N), c.Observed.Format(3), c.Expected.Format(3), c.Value.Format(3), c.Interval.Format(3)}
	}
	pairs := sheet{title: r.Pairs[0].Name + " of each pair", head: head, left: 1}
	for _, c := range r.Pairs {
		pairs.rows = append(pairs.rows, line(strings.Join(c.Raters, " | "), c))
		if e, ok := c.Expected.Get(); ok && e > unstable {
			pairs.notes = append(pairs.notes, fmt.Sprintf("%s agree by chance on %.3f of the items: their kappa is unstable", strings.Join(c.Raters, " and "), e))
		}
	}
	means := sheet{title: "Mean kappa over pairs with humans", head: slices.Insert(slices.Clone(head), 1, "pairs"), left: 1}
	for _, c := range r.Means {
		name := "humans among themselves"
		if len(c.Raters) > 1 {
			name = c.Raters[0]
		}
		means.rows = append(means.rows, slices.Insert(line(name, c), 1, strconv.Itoa(c.Pairs)))
	}
	panels := sheet{title: "All raters together", head: slices.Insert(slices.Clone(head), 0, "coefficient"), left: 2}
	for _, c := range r.Panels {
		panels.rows = append(panels.rows, slices.Insert(line(c.Raters[0], c), 0, c.Name))
	}
	return []sheet{pairs, means, panels}
}

// title says what was rated.
func (r *agreementReport) title() string {
	const shown = 12
	labels := r.Labels
	more := ""
	if len(labels) > shown {
		labels, more = labels[:shown], ", ..."
	}
	return fmt.Sprintf("%d items, %d labels (%s%s), %d human and %d model raters",
		r.Items, len(r.Labels), strings.Join(labels, ", "), more, len(r.Humans), len(r.Models))
}

// csv lists all coefficients, one a line; undefined numbers are empty.
func (r *agreementReport) csv(level float64) sheet {
	s := sheet{head: []string{"coefficient", "raters", "pairs", "n", "observed", "expected", "value", "low", "high", "confidence"}}
	for _, c := range slices.Concat(r.Pairs, r.Means, r.Panels) {
		low, high := exactEnds(c.Interval)
		s.rows = append(s.rows, []string{
			c.Name, strings.Join(c.Raters, " | "), strconv.Itoa(c.Pairs), strconv.Itoa(c.N),
			exact(c.Observed), exact(c.Expected), exact(c.Value), low, high, strconv.FormatFloat(level, 'g', -1, 64),
		})
	}
	return s
}

// exact prints all digits of a number, or nothing where it is undefined.
func exact(n stats.Number) string {
	v, ok := n.Get()
	if !ok {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// exactEnds is exact for the ends of an interval.
func exactEnds(i stats.Interval) (low, high string) {
	l, h, ok := i.Get()
	if !ok {
		return "", ""
	}
	return exact(stats.Defined(l)), exact(stats.Defined(h))
}
