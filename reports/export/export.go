// Package export writes reports in a format by its name (terminal, Markdown, LaTeX, CSV,
// JSON, HTML), and results for other programs (mteb, model cards, LaTeX, CSV, JSON). It
// computes no statistics.
package export

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"infbench/internal/nearest"
	"infbench/internal/words"
	"infbench/metrics"
	"infbench/reports"
	"infbench/reports/scores"
	"infbench/reports/table"
	"infbench/runners/results"
)

// File is a file of an export. Its name is relative, with slashes, and made of letters, digits,
// dots, dashes and underscores only, whatever the names of models and tasks contain.
type File struct {
	Name string
	Data []byte
}

// exports lists the formats by name; a new format is added here only.
func exports() map[string]func(*scores.Set) ([]File, []string, error) {
	return map[string]func(*scores.Set) ([]File, []string, error){
		"mteb":         exportMTEB,
		"model-index":  exportModelIndex,
		"eval-results": exportEvalResults,
		"csv":          exportCSV,
		"json":         exportJSON,
		"parquet":      exportParquet,
		"tensorboard":  exportTensorBoard,
	}
}

// ExportFormats lists the names of formats for Export.
func ExportFormats() []string {
	return append(words.SortedKeys(exports()), "latex")
}

// Export writes the results of finished trials in a format for other programs. warnings name the
// results that the format cannot express. Equal trials give equal bytes.
func Export(format string, exps []*results.Experiment, opts reports.Options) (files []File, warnings []string, err error) {
	if format == "latex" {
		return exportLaTeX(exps, opts)
	}
	export, ok := exports()[format]
	if !ok {
		return nil, nil, nearest.Unknown("format", format, ExportFormats())
	}
	v, err := scores.New(exps)
	if err != nil {
		return nil, nil, err
	}
	if len(v.Trials) == 0 {
		return nil, nil, reports.ErrNoTrials
	}
	if files, warnings, err = export(v); err != nil {
		return nil, nil, err
	}
	seen := map[string]bool{}
	for _, f := range files {
		if seen[f.Name] {
			return nil, nil, fmt.Errorf("export: two files are called %s: names of models or tasks differ only in characters that file names cannot have", f.Name)
		}
		seen[f.Name] = true
	}
	return files, warnings, nil
}

// systemOf returns the system of a trial.
func systemOf(v *scores.Set, t *scores.Trial) *scores.System {
	i := slices.IndexFunc(v.Systems, func(s *scores.System) bool { return slices.Contains(s.Trials, t) })
	return v.Systems[i]
}

// SafeSegment turns a name into a file name: other characters become dashes, and the result is
// neither empty nor begins with a dot.
func SafeSegment(name string) string {
	s := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		}
		return '-'
	}, name)
	const longest = 120
	s = strings.Trim(s, ".-")
	return cmp.Or(s[:min(len(s), longest)], "unnamed")
}

// exported is a trial in the terms of other programs: one revision of a model.
type exported struct {
	*scores.Trial
	model string // "org/name"
}

// models lists the finished trials with their names as models. Each trial is a revision of its
// model, named by the trial's ID. The configuration, including the seed, determines the ID.
func models(v *scores.Set) []exported {
	var out []exported
	for _, t := range v.Trials {
		if !t.Finished() {
			continue
		}
		name := systemOf(v, t).Model
		if s := systemOf(v, t); s.Kind == table.Trained {
			name = cmp.Or(t.Config[results.Backbone], s.Model) + "-" + s.Loss
		}
		org, rest, ok := strings.Cut(name, "/")
		if !ok || strings.HasPrefix(name, "/") || strings.HasPrefix(name, ".") {
			org, rest = "infbench", path.Base(name)
		}
		out = append(out, exported{t, SafeSegment(org) + "/" + SafeSegment(rest)})
	}
	return out
}

// mtebKey translates a measure: nDCG@5 is ndcg_at_5. ok is false if MTEB has no name for the
// measure.
func mtebKey(measure string) (key string, ok bool) {
	if measure == (metrics.PMRR{}).String() {
		return measure, true
	}
	name, cut, ok := strings.Cut(measure, "@")
	if _, err := strconv.ParseUint(cut, 10, 32); !ok || err != nil {
		return "", false
	}
	family, ok := map[string]string{"nDCG": "ndcg", "AP": "map", "R": "recall", "P": "precision", "RR": "mrr", "Success": "hit_rate"}[name]
	return family + "_at_" + cut, ok
}

// rounded rounds to six decimals, as MTEB does in its files.
func rounded(v float64) float64 { return math.Round(v*1e6) / 1e6 }

// lacking warns of measures that a format cannot express.
func lacking(format string, measures map[string]bool) []string {
	if len(measures) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s has no name for %s: left out", format, strings.Join(words.SortedKeys(measures), ", "))}
}
