package analysis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"infbench/bench/annotate"
	"infbench/bench/flags"
	"infbench/bench/output"
	"infbench/datasets/format"
	"infbench/internal/disk"
	"infbench/internal/usage"
	"infbench/metrics/diversity"
	"infbench/metrics/stats"
	"infbench/runners"
	"infbench/runners/catalog"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// diversityOptions are the flags of data diversity.
type diversityOptions struct {
	textFlags
	catalog.ModelOptions
	embeddings   []string
	variant      string
	orders       int
	boot         stats.Bootstrap
	format, keep string
}

// DiversityCommand is the verb data diversity.
func DiversityCommand() *cobra.Command {
	var o diversityOptions
	cmd := &cobra.Command{
		Use:   "diversity FILE|CORPUS|BENCHMARK...",
		Short: "Measure how varied sets of texts are",
		Long: `Measure how varied texts are: inter-sample n-gram frequency (INGF), distinct-n,
self-BLEU and, given embeddings, the average pairwise similarity (APS: mean cosine
over all pairs of texts). Every line names the direction that means more diverse.

FILE.jsonl has one JSON object per line with the text in --field; .tsv, .csv and
.parquet files work too, and .gz and .zst of the text formats. Fields of a training
corpus are instruction, query and passage, including those of the poisoned triples, or
one of its columns; fields of a benchmark are instruction, query and document (or
passage).

Most of these measures grow or shrink with the number of texts, so several sets are
measured in samples of equal size: --sample, or the size of the smallest set if that
has fewer texts.

Vectors come from --model or from --embeddings, given once for each set: the output of
infbench encode for all texts or for the same sample, as a numpy .npy file (2-D,
float32 or float64, C order), or as JSON Lines with one array of numbers per line.
They need not be normalised.

Intervals are for another sample of the same size from the same source; texts are
assumed independent. The APS uses a bootstrap of its first-order projection; INGF and
distinct-n use a jackknife of 50 groups of texts, since a bootstrap draws texts twice.

The paper gives no formula for INGF, so its numbers cannot be reproduced. dqi_t1, the
default, is the number of distinct n-grams over the standard deviation of their
counts; other variants: mean_freq, simpson, distinct_ratio. Never compare two
variants.`,
		Example: `  infbench data diversity triplets.jsonl --field instruction
  infbench data diversity mini-infir --field query
  infbench data diversity texts.jsonl --embeddings vectors.npy --sample 10000
  infbench data diversity inf-ir followir promptriever --field instruction --sample 10000 --model intfloat/e5-mistral-7b-instruct --keep instruction
  infbench data diversity texts.jsonl --ingf simpson --format json
  infbench data diversity texts.jsonl --keep texts`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args, cmd.OutOrStdout())
		},
	}
	o.textFlags.add(cmd)
	flags.Encoder(cmd, &o.ModelOptions)
	f := cmd.Flags()
	flags.Group(f, flags.VectorFlags, func() {
		f.StringArrayVar(&o.embeddings, "embeddings", nil, ".npy or .jsonl file with a vector for each text; once for each set")
	})
	flags.Group(f, flags.MeasureFlags, func() {
		f.StringVar(&o.variant, "ingf", diversity.Variants[0].Name, "variant of INGF: "+strings.Join(diversity.VariantNames(), ", "))
		f.IntVar(&o.orders, "orders", 3, "longest n-grams of INGF and distinct-n")
		f.Float64Var(&o.boot.Level, "confidence", 0.95, "level of the intervals")
		f.IntVar(&o.boot.Resamples, "resamples", 2000, "bootstrap samples of the interval of the APS")
	})
	flags.Group(f, flags.OutputFlags, func() {
		f.StringVar(&o.format, "format", "table", strings.Join(output.Formats, ", "))
		f.StringVar(&o.keep, "keep", "", "save the numbers as NAME in runs/diversity, for report --view diversity; several sets are saved as NAME-SET")
	})
	return cmd
}

// diversityReport is the JSON output for one set.
type diversityReport struct {
	File      string               `json:"file"`
	Field     string               `json:"field"`
	Texts     int                  `json:"texts"`
	Read      int                  `json:"texts_in_file"`
	Tokenizer string               `json:"tokenizer"`
	Model     string               `json:"model,omitempty"`
	Values    []diversity.Measured `json:"values"`
}

// check returns the errors of flags and arguments.
func (o *diversityOptions) check(names []string) error {
	if err := cmp.Or(output.CheckFormat(o.format), annotate.CheckBootstrap(o.boot), runs.CheckName(o.keep)); err != nil {
		return err
	}
	switch given := len(o.embeddings); {
	case o.orders < 1:
		return usage.Errorf("--orders %d: want at least 1", o.orders)
	case given > 0 && o.Model != "":
		return usage.Errorf("give vectors by --embeddings or by --model, not both")
	case given > 0 && given != len(names):
		return usage.Errorf("--embeddings given %d times for %d sets of texts: want one file for each set, in the same order", given, len(names))
	}
	return nil
}

// run measures the texts of every set and prints the results.
func (o diversityOptions) run(ctx context.Context, names []string, out io.Writer) (err error) {
	if err := o.check(names); err != nil {
		return err
	}
	variant, err := diversity.ParseVariant(o.variant)
	if err != nil {
		return usage.Error{Err: err}
	}
	sets, err := o.readAll(names)
	if err != nil {
		return err
	}
	opener := catalog.Opener{ModelOptions: o.ModelOptions}
	defer func() { err = errors.Join(err, opener.Close()) }()
	var enc runners.Encoder
	if o.Model != "" {
		if enc, err = opener.OpenEncoder(); err != nil {
			return usage.AsError(err)
		}
	}
	o.boot.Seed = o.seed
	var all []*diversityReport
	for i, s := range sets {
		r := o.measure(s, variant)
		if err := o.addSimilarity(ctx, r, s, enc, i); err != nil {
			return err
		}
		if err := o.keepReport(r, s, len(sets)); err != nil {
			return err
		}
		all = append(all, r)
	}
	if len(all) == 1 {
		return output.Print(out, o.format, all[0], all[0].csv(), all[0].sheet(o.boot.Level))
	}
	return output.Print(out, o.format, all, csvOfAll(all), sheetOfAll(all, o.boot.Level, o.sample))
}

// chosenTexts are the selected texts of a set.
type chosenTexts struct {
	*textSet
	chosen []int
	picked []string
}

// readAll reads the sets and draws samples of equal size.
func (o *diversityOptions) readAll(names []string) ([]*chosenTexts, error) {
	var all []*chosenTexts
	smallest := -1
	for _, name := range names {
		set, err := o.readSet(name)
		if err != nil {
			return nil, err
		}
		all = append(all, &chosenTexts{textSet: set})
		if n := len(set.Texts); smallest < 0 || n < smallest {
			smallest = n
		}
	}
	sample := cmp.Or(o.sample, smallest)
	if len(all) > 1 {
		sample = min(sample, smallest)
	}
	for i := range all {
		var err error
		if all[i].chosen, err = o.choose(all[i].textSet, sample); err != nil {
			return nil, err
		}
		all[i].picked = all[i].Pick(all[i].chosen)
	}
	return all, nil
}

// measure computes the measures that need only the texts.
func (o *diversityOptions) measure(s *chosenTexts, variant diversity.Variant) *diversityReport {
	var counted diversity.Texts
	for _, text := range s.picked {
		counted.Add(text)
	}
	r := &diversityReport{File: s.Source, Field: s.Field, Read: len(s.Texts), Texts: len(s.picked), Tokenizer: diversity.Tokenizer}
	if o.Model == "" && len(o.embeddings) == 0 && o.keep == "" {
		s.Texts, s.picked = nil, nil // no longer needed, and may be large
	}
	r.Values = counted.Measure(variant, o.orders, o.boot.Level)
	return r
}

// addSimilarity adds the APS by the vectors of a model or of the file given for set i, if there
// are any.
func (o *diversityOptions) addSimilarity(ctx context.Context, r *diversityReport, s *chosenTexts, enc runners.Encoder, i int) (err error) {
	var aps diversity.Measured
	switch {
	case enc != nil:
		r.Model = o.Name()
		aps, err = encodedSimilarity(ctx, enc, s, o.boot)
	case len(o.embeddings) > 0:
		aps, err = o.readSimilarity(o.embeddings[i], s)
	default:
		return nil
	}
	r.Values = append(r.Values, aps)
	return err
}

// encodedSimilarity is the APS of texts by the vectors of a model.
func encodedSimilarity(ctx context.Context, enc runners.Encoder, s *chosenTexts, boot stats.Bootstrap) (diversity.Measured, error) {
	vectors, err := encodeTexts(ctx, enc, s.As, s.picked, func(int) {})
	if err != nil {
		return diversity.Measured{}, fmt.Errorf("encode %s: %w", s.Source, err)
	}
	row := make([]float64, enc.Dim())
	return diversity.Similarity(func(do func([]float64) error) error {
		for i := range s.picked {
			for j, x := range vectors[i*enc.Dim() : (i+1)*enc.Dim()] {
				row[j] = float64(x)
			}
			if err := do(row); err != nil {
				return fmt.Errorf("%s, text %d of field %s: %w", s.Source, s.chosen[i]+1, s.Field, err)
			}
		}
		return nil
	}, boot)
}

// readSimilarity is the APS of the chosen texts by the vectors in a file, which has vectors of
// all texts or only of the chosen ones.
func (o *diversityOptions) readSimilarity(file string, s *chosenTexts) (diversity.Measured, error) {
	about, err := readVectorsAbout(file)
	if err != nil {
		return diversity.Measured{}, err
	}
	rows, of := s.chosen, len(s.Texts)
	if about != nil && about.Sum != sumOfTexts(s.Texts) {
		if about.Sum != sumOfTexts(s.picked) {
			return diversity.Measured{}, fmt.Errorf("%s holds vectors of other texts (%d, field %s of %s); made by %s",
				file, about.Texts, about.Field, about.Source, about.Command)
		}
		of = len(s.picked)
		rows = diversity.Sample(of, of, 0)
	}
	// Reading the file twice saves keeping it in memory.
	return diversity.Similarity(func(do func([]float64) error) error { return eachVector(file, rows, of, s.Source, do) }, o.boot)
}

// eachVector calls diversity.EachVector on a file.
func eachVector(file string, chosen []int, n int, texts string, do func([]float64) error) error {
	f, err := disk.Open(file)
	if err != nil {
		return err
	}
	defer f.Close() // read only: nothing to lose
	return diversity.EachVector(f, file, chosen, n, texts, do)
}

// keepReport saves the numbers of a set for views.
func (o *diversityOptions) keepReport(r *diversityReport, s *chosenTexts, sets int) error {
	if o.keep == "" {
		return nil
	}
	name := o.keep
	if sets > 1 {
		name += "-" + results.FileName(filepath.Base(r.File))
	}
	study := r.study(name, *o)
	if !format.IsTable(r.File) {
		study.SHA256 = sumOfTexts(s.Texts)
	}
	return runs.KeepStudy(study, r.File)
}

// study converts the report for views.
func (r *diversityReport) study(name string, o diversityOptions) *results.Study {
	s := &results.Study{Kind: "diversity", Name: name, Level: o.boot.Level,
		Facts: []string{fmt.Sprintf("field %s: %d of %d texts", r.Field, r.Texts, r.Read), "tokens are " + r.Tokenizer}}
	if r.Texts < r.Read {
		s.Facts = append(s.Facts, fmt.Sprintf("drawn with seed %d", o.seed))
	}
	if r.Texts < o.sample {
		s.Facts = append(s.Facts, fmt.Sprintf("%d were asked for; the smallest set has no more", o.sample))
	}
	if r.Model != "" {
		s.Facts = append(s.Facts, "vectors of "+r.Model)
	}
	for _, value := range r.Values {
		v := results.StudyValue{Measure: value.Measure, Of: value.Of, Direction: value.Direction, N: value.N, Value: value.Value.Pointer()}
		v.Low, v.High = value.Interval.Ends()
		s.Values = append(s.Values, v)
	}
	return s
}

// interval formats the interval of a value; "" if the value has none.
func interval(v diversity.Measured) string {
	if strings.HasPrefix(v.Measure, "self-BLEU") {
		return ""
	}
	return v.Interval.Format(4)
}

// notes explain how to read the numbers.
var notes = []string{"tokens are " + diversity.Tokenizer, "compare only sets of as many texts"}

// sheet formats the report for a terminal.
func (r *diversityReport) sheet(level float64) output.Sheet {
	s := output.Sheet{
		Title: fmt.Sprintf("%s, field %s: %d of %d texts", filepath.Base(r.File), r.Field, r.Texts, r.Read),
		Head:  []string{"measure", "direction", "over", "value", fmt.Sprintf("%g%% interval", 100*level)},
		Left:  2,
		Notes: notes,
	}
	for _, v := range r.Values {
		s.Rows = append(s.Rows, []string{v.Measure, v.Direction, fmt.Sprintf("%d %s", v.N, v.Of), v.Value.Format(4), interval(v)})
	}
	return s
}

// sheetOfAll compares several sets, one measure per line. asked is the requested sample size, 0
// for none.
func sheetOfAll(all []*diversityReport, level float64, asked int) output.Sheet {
	s := output.Sheet{
		Title: fmt.Sprintf("%d sets of %d texts each", len(all), all[0].Texts),
		Head:  []string{"measure", "direction", "set", "over", "value", fmt.Sprintf("%g%% interval", 100*level)},
		Left:  3,
	}
	for i := range all[0].Values {
		for _, r := range all {
			v := r.Values[i]
			s.Rows = append(s.Rows, []string{v.Measure, v.Direction, filepath.Base(r.File), fmt.Sprintf("%d %s", v.N, v.Of), v.Value.Format(4), interval(v)})
		}
	}
	for _, r := range all {
		s.Notes = append(s.Notes, fmt.Sprintf("%s: field %s, %d of %d texts", filepath.Base(r.File), r.Field, r.Texts, r.Read))
	}
	s.Notes = append(s.Notes, notes[0])
	if n := all[0].Texts; n < asked {
		s.Notes = append(s.Notes, fmt.Sprintf("--sample %d: %d texts of each, since the smallest set has no more", asked, n))
	}
	return s
}

// csv lists the values, one per line; undefined numbers are empty.
func (r *diversityReport) csv() output.Sheet {
	s := output.Sheet{Head: []string{"measure", "direction", "texts", "n", "of", "value", "low", "high"}}
	for _, v := range r.Values {
		low, high := v.Interval.Ends()
		s.Rows = append(s.Rows, []string{v.Measure, v.Direction, strconv.Itoa(r.Texts), strconv.Itoa(v.N), v.Of, output.Exact(v.Value.Pointer()), output.Exact(low), output.Exact(high)})
	}
	return s
}

// csvOfAll is like csv, with the set and its field before each line.
func csvOfAll(all []*diversityReport) (s output.Sheet) {
	for _, r := range all {
		one := r.csv()
		s.Head = slices.Concat([]string{"set", "field"}, one.Head)
		for _, row := range one.Rows {
			s.Rows = append(s.Rows, slices.Concat([]string{r.File, r.Field}, row))
		}
	}
	return s
}
