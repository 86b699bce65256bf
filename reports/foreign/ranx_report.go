package foreign

import (
	"fmt"
	"slices"
	"strings"
)

// ranxReport is what ranx saves of a comparison: the mean of each metric of each
// model, with tests that are not taken over.
type ranxReport struct{}

// Name implements reader.
func (ranxReport) Name() string { return "ranx-report" }

// Recognises implements reader.
func (ranxReport) Recognises(head []byte) bool {
	keys, _ := outline(head)
	return slices.Contains(keys, "metrics") && slices.Contains(keys, "model_names")
}

// Read implements reader.
func (ranxReport) Read(path string, _ Options) ([]System, []string, error) {
	var metrics, models []string
	scores := map[string]map[string]float64{}
	err := readJSON(path, func(j *jsonFile) error {
		return j.object("the report", func(key string) error {
			switch key {
			case "stat_test":
				var ignored any
				return j.value(&ignored)
			case "metrics":
				return j.value(&metrics)
			case "model_names":
				return j.value(&models)
			}
			var model struct {
				Scores map[string]float64 `json:"scores"`
			}
			if err := j.value(&model); err != nil {
				return err
			}
			scores[key] = model.Scores
			return nil
		})
	})
	if err != nil {
		return nil, nil, err
	}
	var systems []System
	unknown := map[string]bool{}
	for _, model := range models {
		s := System{Model: model, Tasks: []Task{{}}}
		for _, metric := range metrics {
			value, ok := scores[model][metric]
			if !ok {
				return nil, nil, fmt.Errorf("%s: model %q has no score of %s", path, model, metric)
			}
			name, ok := ranxMeasure(metric)
			if !ok {
				unknown[metric] = true
				continue
			}
			s.Tasks[0].Values = append(s.Tasks[0].Values, Value{Measure: name, Mean: true, Value: value})
		}
		if len(s.Tasks[0].Values) > 0 {
			systems = append(systems, s)
		}
	}
	return systems, leftOut(path, unknown), nil
}

// ranxMeasures are ranx's names for measures that mean the same here.
var ranxMeasures = map[string]string{
	"precision": "P", "recall": "R", "hit_rate": "Success", "r-precision": "Rprec", "mrr": "RR", "map": "AP", "ndcg": "nDCG", "bpref": "Bpref",
}

// ranxMeasure translates a metric: map@100 is AP@100, precision@5-l2 P(rel=2)@5.
// ranx drops lower grades from nDCG's gains at a level, which nobody else does.
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
