package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"infbench/bench/ratings"
	"infbench/bench/runs"
	"infbench/bench/sheet"
	"infbench/bench/texts"
	"infbench/bench/usage"
	"infbench/datasets/format"
	"infbench/metrics/diversity"
	"infbench/metrics/stats"
	"infbench/reports"
)

// diversityOptions are the flags of diversity.
type diversityOptions struct {
	textFlags
	embeddings   string
	variant      string
	orders       int
	boot         stats.Bootstrap
	format, keep string
}

func diversityCommand() *cobra.Command {
	var o diversityOptions
	cmd := &cobra.Command{
		Use:   "diversity FILE|CORPUS|BENCHMARK",
		Short: "Measure how varied a set of texts is",
		Long: `Measure how varied texts are: inter-sample n-gram frequency (INGF), distinct-n,
self-BLEU and, given embeddings, the average pairwise similarity (APS: mean cosine
over all pairs of texts). Every line says which direction means more diverse.

FILE.jsonl has one JSON object a line with the text in --field; .tsv, .csv and
.parquet files work too, and .gz and .zst of the text formats. Fields of a training
corpus are instruction, query and passage, those of the poisoned triples with them, or
one of its columns; fields of a benchmark instruction, query and document.

--embeddings names the vectors of the same texts, in the same order: what infbench
encode wrote of all of them or of the same sample, a numpy .npy file (2-D, float32 or
float64, C order), or JSON Lines with one array of numbers a line. They need not be
normalised.

The paper gives no formula for INGF, so its numbers cannot be repeated. dqi_t1, the
default, is the number of distinct n-grams over the standard deviation of their
counts; other variants: mean_freq, simpson, distinct_ratio. Never compare two
variants, nor sets of different size: most of these measures grow or shrink with the
number of texts. --sample draws the same number from each.`,
		Example: `  infbench diversity triplets.jsonl --field instruction
  infbench diversity mini-infir --field query
  infbench diversity texts.jsonl --embeddings vectors.npy --sample 10000
  infbench diversity texts.jsonl --ingf simpson --format json
  infbench diversity texts.jsonl --keep texts`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(args[0], cmd.OutOrStdout())
		},
	}
	o.textFlags.add(cmd)
	f := cmd.Flags()
	f.StringVar(&o.embeddings, "embeddings", "", ".npy or .jsonl file with a vector for each text")
	f.StringVar(&o.variant, "ingf", diversity.Variants[0].Name, "variant of INGF: "+strings.Join(diversity.VariantNames(), ", "))
	f.IntVar(&o.orders, "orders", 3, "longest n-grams of INGF and distinct-n")
	f.Float64Var(&o.boot.Level, "confidence", 0.95, "level of the interval of the APS")
	f.IntVar(&o.boot.Resamples, "resamples", 2000, "bootstrap samples of the interval")
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
func (o diversityOptions) run(name string, out io.Writer) error {
	if err := cmp.Or(sheet.CheckFormat(o.format), ratings.CheckBootstrap(o.boot), runs.CheckName(o.keep)); err != nil {
		return err
	}
	if o.orders < 1 {
		return usage.Errorf("--orders %d: want at least 1", o.orders)
	}
	variant, err := diversity.ParseVariant(o.variant)
	if err != nil {
		return usage.Error{Err: err}
	}
	set, chosen, err := o.read(name)
	if err != nil {
		return err
	}
	report := &diversityReport{File: name, Field: set.Field, Read: len(set.Texts), Tokenizer: diversity.Tokenizer}
	picked := set.Pick(chosen)
	var tokens [][]string
	for _, text := range picked {
		tokens = append(tokens, diversity.Tokenize(text))
	}
	report.Texts = len(picked)
	report.Values = diversity.OfTokens(tokens, variant, o.orders)
	if o.embeddings != "" {
		aps, err := o.similarity(set, chosen, picked)
		if err != nil {
			return err
		}
		report.Values = append(report.Values, aps)
	}
	if o.keep != "" {
		study := report.study(o)
		if !format.IsTable(name) {
			study.SHA256 = texts.Sum(set.Texts)
		}
		if err := runs.KeepStudy(study, name); err != nil {
			return err
		}
	}
	return sheet.Print(out, o.format, report, report.csv(), report.sheet(o.boot.Level))
}

// similarity is the APS of the chosen texts by the vectors of all, or by those that
// encode wrote of the chosen ones alone.
func (o *diversityOptions) similarity(set *texts.Set, chosen []int, picked []string) (diversity.Measured, error) {
	about, err := texts.ReadAbout(o.embeddings)
	if err != nil {
		return diversity.Measured{}, err
	}
	rows, of := chosen, len(set.Texts)
	if about != nil && about.Sum != texts.Sum(set.Texts) {
		if about.Sum != texts.Sum(picked) {
			return diversity.Measured{}, fmt.Errorf("%s holds vectors of other texts: of %d, field %s of %s; made by %s",
				o.embeddings, about.Texts, about.Field, about.Source, about.Command)
		}
		of = len(picked)
		rows = diversity.Sample(of, of, 0)
	}
	return diversity.OfVectors(o.embeddings, rows, of, set.Source, o.boot, o.seed)
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
