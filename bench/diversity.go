package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"infbench/bench/runs"
	"infbench/bench/sheet"
	"infbench/bench/usage"
	"infbench/datasets/format"
	"infbench/metrics/diversity"
	"infbench/metrics/stats"
	"infbench/reports"
)

// diversityOptions are the flags of diversity.
type diversityOptions struct {
	field, embeddings string
	variant           string
	orders            int
	sample            int
	seed              uint64
	boot              stats.Bootstrap
	format, keep      string
}

func diversityCommand() *cobra.Command {
	var o diversityOptions
	cmd := &cobra.Command{
		Use:   "diversity FILE.jsonl",
		Short: "Measure how varied a set of texts is",
		Long: `Measure how varied texts are: inter-sample n-gram frequency (INGF), distinct-n,
self-BLEU and, given embeddings, the average pairwise similarity (APS: mean cosine
over all pairs of texts). Every line says which direction means more diverse.

FILE.jsonl has one JSON object a line with the text in --field; .tsv, .csv and
.parquet files work too, and .gz and .zst of the text formats.

--embeddings names the vectors of the same texts, in the same order: a numpy .npy
file (2-D, float32 or float64, C order), or JSON Lines with one array of numbers a
line. They need not be normalised.

The paper gives no formula for INGF, so its numbers cannot be repeated. dqi_t1, the
default, is the number of distinct n-grams over the standard deviation of their
counts; other variants: mean_freq, simpson, distinct_ratio. Never compare two
variants, nor sets of different size: most of these measures grow or shrink with the
number of texts. --sample draws the same number from each.`,
		Example: `  infbench diversity triplets.jsonl --field instruction
  infbench diversity texts.jsonl --embeddings vectors.npy --sample 10000
  infbench diversity texts.jsonl --ingf simpson --format json
  infbench diversity texts.jsonl --keep texts`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(args[0], cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.field, "field", "text", "field that holds the text; a.b reaches into records")
	f.StringVar(&o.embeddings, "embeddings", "", ".npy or .jsonl file with a vector for each text")
	f.StringVar(&o.variant, "ingf", diversity.Variants[0].Name, "variant of INGF: "+strings.Join(diversity.VariantNames(), ", "))
	f.IntVar(&o.orders, "orders", 3, "longest n-grams of INGF and distinct-n")
	f.IntVar(&o.sample, "sample", 0, "measure this many texts, drawn at random (default all)")
	f.Float64Var(&o.boot.Level, "confidence", 0.95, "level of the interval of the APS")
	f.IntVar(&o.boot.Resamples, "resamples", 2000, "bootstrap samples of the interval")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the sample and the bootstrap")
	f.StringVar(&o.format, "format", "table", strings.Join(sheet.Formats, ", "))
	f.StringVar(&o.keep, "keep", "", "NAME to keep the numbers under in runs/diversity, which report --view diversity shows")
	return cmd
}

// diversityReport is the JSON of diversity.
type diversityReport struct {
	File      string               `json:"file"`
	Field     string               `json:"field"`
	Texts     int                  `json:"texts"`
	Read      int                  `json:"texts_in_file"`
	Tokenizer string               `json:"tokenizer"`
	Values    []diversity.Measured `json:"values"`
}

// run measures the texts of a file and prints what the flags ask for.
func (o diversityOptions) run(file string, out io.Writer) error {
	if err := cmp.Or(sheet.CheckFormat(o.format), checkBootstrap(o.boot), runs.CheckName(o.keep)); err != nil {
		return err
	}
	if o.orders < 1 || o.sample < 0 {
		return usage.Errorf("--orders %d, --sample %d: want at least 1 and 0", o.orders, o.sample)
	}
	variant, err := diversity.ParseVariant(o.variant)
	if err != nil {
		return usage.Error{Err: err}
	}
	texts, err := readTexts(file, o.field)
	if err != nil {
		return err
	}
	if o.sample > len(texts) {
		return fmt.Errorf("%s: --sample %d of %d texts", file, o.sample, len(texts))
	}
	report := &diversityReport{File: file, Field: o.field, Read: len(texts), Tokenizer: diversity.Tokenizer}
	chosen := diversity.Sample(len(texts), cmp.Or(o.sample, len(texts)), o.seed)
	var tokens [][]string
	for _, i := range chosen {
		tokens = append(tokens, diversity.Tokenize(texts[i]))
	}
	report.Texts = len(tokens)
	report.Values = diversity.OfTokens(tokens, variant, o.orders)
	if o.embeddings != "" {
		aps, err := diversity.OfVectors(o.embeddings, chosen, len(texts), file, o.boot, o.seed)
		if err != nil {
			return err
		}
		report.Values = append(report.Values, aps)
	}
	if o.keep != "" {
		if err := runs.KeepStudy(report.study(o), file); err != nil {
			return err
		}
	}
	return sheet.Print(out, o.format, report, report.csv(), report.sheet(o.boot.Level))
}

// readTexts returns the field of every row of a file.
func readTexts(file, field string) ([]string, error) {
	var texts []string
	for row, err := range format.Rows([]string{file}, []format.Column{{Name: field}}) {
		if err != nil {
			return nil, err
		}
		texts = append(texts, row.Text(0))
	}
	if len(texts) == 0 {
		return nil, fmt.Errorf("%s: no texts", file)
	}
	return texts, nil
}

// study is the report as views show it.
func (r *diversityReport) study(o diversityOptions) *reports.Study {
	s := &reports.Study{Kind: "diversity", Name: o.keep, Level: o.boot.Level,
		Facts: []string{fmt.Sprintf("field %s: %d of %d texts", r.Field, r.Texts, r.Read), "tokens are " + r.Tokenizer}}
	for _, value := range r.Values {
		v := reports.StudyValue{Measure: value.Measure, Of: value.Of, Direction: value.Direction, N: value.N, Value: value.Value.Pointer()}
		v.Low, v.High = value.Interval.Ends()
		s.Values = append(s.Values, v)
	}
	return s
}

// sheet lays the report out for a terminal.
func (r *diversityReport) sheet(level float64) sheet.Sheet {
	s := sheet.Sheet{
		Title: fmt.Sprintf("%s, field %s: %d of %d texts", filepath.Base(r.File), r.Field, r.Texts, r.Read),
		Head:  []string{"measure", "direction", "over", "value", fmt.Sprintf("%g%% interval", 100*level)},
		Left:  2,
		Notes: []string{"tokens are " + r.Tokenizer, "compare only sets of as many texts"},
	}
	for _, v := range r.Values {
		interval := ""
		if v.Measure == "APS" {
			interval = v.Interval.Format(4)
		}
		s.Rows = append(s.Rows, []string{v.Measure, v.Direction, fmt.Sprintf("%d %s", v.N, v.Of), v.Value.Format(4), interval})
	}
	return s
}

// csv lists the values, one a line; undefined numbers are empty.
func (r *diversityReport) csv() sheet.Sheet {
	s := sheet.Sheet{Head: []string{"measure", "direction", "texts", "n", "of", "value", "low", "high"}}
	for _, v := range r.Values {
		low, high := v.Interval.Ends()
		s.Rows = append(s.Rows, []string{v.Measure, v.Direction, strconv.Itoa(r.Texts), strconv.Itoa(v.N), v.Of, sheet.Exact(v.Value.Pointer()), sheet.Exact(low), sheet.Exact(high)})
	}
	return s
}
