package foreign

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"infbench/metrics"
	"infbench/reports/published"
)

// ranxReport is a comparison saved by ranx: the mean of each metric of each model. Its tests are
// ignored.
type ranxReport struct{}

// Name implements reader.
func (ranxReport) Name() string { return "ranx-report" }

// Recognises implements reader.
func (ranxReport) Recognises(head []byte) bool {
	keys, _ := outline(head)
	return slices.Contains(keys, "metrics") && slices.Contains(keys, "model_names")
}

// Read implements reader. A score that is missing or not a number is left out with a warning.
func (ranxReport) Read(path string, _ Options) ([]System, []string, error) {
	var asked, models []string
	scores := map[string]map[string]ranxScore{}
	err := readPython(path, func(j *jsonFile) error {
		return j.object("the report", func(key string) (err error) {
			switch key {
			case "stat_test":
				var ignored any
				return j.value(&ignored)
			case "metrics":
				return j.value(&asked)
			case "model_names":
				return j.value(&models)
			}
			scores[key], err = j.ranxScores("model " + key)
			return err
		})
	})
	if err != nil {
		return nil, nil, err
	}
	var systems []System
	var warnings []string
	unknown := map[string]bool{}
	for _, model := range models {
		s := System{Model: model, Tasks: []Task{{}}}
		for _, metric := range asked {
			name, ok := ranxMeasure(metric)
			if !ok {
				unknown[metric] = true
				continue
			}
			score, ok := scores[model][metric]
			switch {
			case !ok:
				warnings = append(warnings, fmt.Sprintf("%s: model %q has no score of %s", path, model, metric))
			case score.other != "":
				warnings = append(warnings, fmt.Sprintf("%s:%d: %s of model %q is %s, not a number", path, score.line, metric, model, score.other))
			default:
				if err := metrics.CheckRange(name, score.value); err != nil {
					return nil, nil, fmt.Errorf("%s:%d: model %q: %w", path, score.line, model, err)
				}
				s.Tasks[0].Values = append(s.Tasks[0].Values, Value{Measure: name, Mean: true, Value: score.value})
			}
		}
		if len(s.Tasks[0].Values) > 0 {
			systems = append(systems, s)
		}
	}
	if len(systems) == 0 && len(warnings) > 0 {
		return nil, nil, errors.New(warnings[0])
	}
	return systems, append(warnings, leftOut(path, unknown)...), nil
}

// ranxScore is a number of a report, or the value found in its place.
type ranxScore struct {
	value float64
	other string // "" for a number
	line  int
}

// ranxScores reads the scores of a model by metric.
func (j *jsonFile) ranxScores(what string) (map[string]ranxScore, error) {
	scores := map[string]ranxScore{}
	err := j.object(what, func(key string) error {
		if key != "scores" {
			var ignored any
			return j.value(&ignored)
		}
		return j.object("scores of "+what, func(metric string) error {
			var v any
			if err := j.value(&v); err != nil {
				return err
			}
			s := ranxScore{line: j.line()}
			if n, ok := v.(json.Number); !ok {
				s.other = published.NoNumber(v)
			} else if f, err := n.Float64(); err != nil {
				s.other = n.String()
			} else {
				s.value = f
			}
			scores[metric] = s
			return nil
		})
	})
	return scores, err
}

// ranxMeasures are ranx's names for measures with the same meaning here.
var ranxMeasures = map[string]string{
	"precision": "P", "recall": "R", "hit_rate": "Success", "r-precision": "Rprec", "mrr": "RR", "map": "AP", "ndcg": "nDCG", "bpref": "Bpref",
}

// ranxMeasure translates a metric: map@100 is AP@100, precision@5-l2 P(rel=2)@5. At a level ranx
// drops lower grades from nDCG's gains, which no other program does, so that has no counterpart.
func ranxMeasure(metric string) (string, bool) {
	metric, level, leveled := strings.Cut(metric, "-l")
	name, cut, _ := strings.Cut(metric, "@")
	name, ok := ranxMeasures[name]
	if !ok || leveled && name == "nDCG" {
		return "", false
	}
	if leveled && level != "1" {
		name += "(rel=" + level + ")"
	}
	if cut != "" {
		name += "@" + cut
	}
	return known(name)
}
