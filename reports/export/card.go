package export

import (
	"fmt"
	"math"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"infbench/internal/words"
	"infbench/metrics"
	"infbench/reports/scores"
)

// modelIndex is the part of a model card's front matter that has results.
type modelIndex struct {
	Models []indexedModel `yaml:"model-index"`
}

type indexedModel struct {
	Name    string          `yaml:"name"`
	Results []indexedResult `yaml:"results"`
}

type indexedResult struct {
	Task struct {
		Type string `yaml:"type"`
		Name string `yaml:"name"`
	} `yaml:"task"`
	Dataset struct {
		Type     string `yaml:"type"`
		Name     string `yaml:"name"`
		Config   string `yaml:"config"`
		Split    string `yaml:"split"`
		Revision string `yaml:"revision,omitempty"`
	} `yaml:"dataset"`
	Metrics []indexedMetric `yaml:"metrics"`
	Source  struct {
		Name string `yaml:"name"`
	} `yaml:"source"`
}

type indexedMetric struct {
	Type  string  `yaml:"type"`
	Value float64 `yaml:"value"`
	Name  string  `yaml:"name"`
}

// exportModelIndex writes the model-index of each finished trial, for the front matter of its model
// card.
func exportModelIndex(v *scores.Set) ([]File, []string, error) {
	var files []File
	for _, m := range models(v) {
		entry := indexedModel{Name: m.model, Results: []indexedResult{}}
		for _, task := range tasksOf(v, m.Trial) {
			entry.Results = append(entry.Results, task.indexed(m.Provenance.Infbench))
		}
		file, err := yamlFile(m, "model-index", modelIndex{[]indexedModel{entry}})
		if err != nil {
			return nil, nil, err
		}
		files = append(files, file)
	}
	return files, nil, nil
}

// indexed returns the entry of one task in a model-index.
func (t *taskScores) indexed(version string) indexedResult {
	var r indexedResult
	r.Task.Type, r.Task.Name = "text-retrieval", "Retrieval"
	for _, s := range t.sized() {
		metric := indexedMetric{Type: s.Measure, Value: rounded(s.mean), Name: s.Scoring()}
		if key, ok := mtebKey(s.Measure); ok {
			metric.Type = key
		}
		if s.Side != "" {
			metric.Type = s.Side + "_" + metric.Type
		}
		if metrics.IsShift(s.Measure) {
			r.Task.Type, r.Task.Name = "text-ranking", "InstructionReranking"
		}
		r.Metrics = append(r.Metrics, metric)
	}
	r.Dataset.Type, r.Dataset.Name = t.dataset, t.name+" ("+t.config+")"
	r.Dataset.Config, r.Dataset.Split, r.Dataset.Revision = t.config, t.splitNames(), t.benchmark.Revision
	r.Source.Name = source(version)
	return r
}

// splitNames joins the splits of a task in the hub's notation.
func (t *taskScores) splitNames() string {
	var names []string
	for _, s := range t.splits {
		names = append(names, s.name)
	}
	return strings.Join(names, "+")
}

func source(version string) string { return strings.TrimSpace("infbench " + words.Clean(version)) }

// evalResult is one entry of the evaluation results that replaced model-index; no other keys are
// allowed.
type evalResult struct {
	Dataset struct {
		ID       string `yaml:"id"`
		Task     string `yaml:"task_id"`
		Revision string `yaml:"revision,omitempty"`
	} `yaml:"dataset"`
	Value  float64 `yaml:"value"`
	Date   string  `yaml:"date,omitempty"`
	Notes  string  `yaml:"notes"`
	Source struct {
		Name string `yaml:"name"`
	} `yaml:"source"`
}

// exportEvalResults writes the evaluation results of each finished trial: the
// main score of each task, times 100.
func exportEvalResults(v *scores.Set) ([]File, []string, error) {
	var files []File
	for _, m := range models(v) {
		list := []evalResult{}
		for _, task := range tasksOf(v, m.Trial) {
			sized := task.sized()
			if len(sized) == 0 {
				continue
			}
			main := mainOf(sized)
			var r evalResult
			r.Dataset.ID, r.Dataset.Revision = task.dataset, task.benchmark.Revision
			r.Dataset.Task = task.name // all splits
			if len(task.splits) == 1 {
				r.Dataset.Task += "_default_" + task.split
			}
			r.Value = math.Round(100*main.mean*1e5) / 1e5
			if !m.Provenance.Started.IsZero() {
				r.Date = m.Provenance.Started.UTC().Format(time.DateOnly)
			}
			r.Notes = fmt.Sprintf("%s ×100, mean over %s; not computed by mteb", main.Scoring(), words.Plural(main.defined, "query", "queries"))
			if task.swapped {
				r.Notes += "; judgments swapped as in mteb 1"
			}
			r.Source.Name = source(m.Provenance.Infbench)
			list = append(list, r)
		}
		file, err := yamlFile(m, "eval-results", list)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, file)
	}
	return files, nil, nil
}

// yamlFile returns a YAML file of a model, named for the model and its revision.
func yamlFile(m exported, kind string, value any) (File, error) {
	data, err := yaml.Marshal(value)
	return File{strings.Replace(m.model, "/", "__", 1) + "." + SafeSegment(m.ID) + "." + kind + ".yaml", data}, err
}
