package export

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"infbench/internal/words"
	"infbench/metrics"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// modelIndex is the part of a model card's front matter that has results. Neither it nor evalResult
// names infbench as a source: huggingface_hub refuses a source without an address.
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
			entry.Results = append(entry.Results, task.indexed())
		}
		file, err := yamlFile(m, "model-index", modelIndex{[]indexedModel{entry}})
		if err != nil {
			return nil, nil, err
		}
		files = append(files, file)
	}
	return files, nil, nil
}

// Results are the results of one model for its card.
type Results struct {
	entry indexedModel
	Tasks []string // as on the hub
}

// ResultsOf lists the results of finished trials of one model. It returns an error if two trials have
// results of the same task, because a card shows one.
func ResultsOf(name string, exps []*results.Experiment) (r Results, err error) {
	r.entry.Name = name
	v, err := scores.New(exps)
	if err != nil {
		return r, err
	}
	from := map[string]string{}
	for _, t := range v.Trials {
		if !t.Finished() {
			continue
		}
		for _, task := range tasksOf(v, t) {
			one := task.indexed()
			if other, twice := from[one.Dataset.Name]; twice {
				return r, fmt.Errorf("trials %s and %s both have results of %s: name only run folders with one of them", other, t.ID, one.Dataset.Name)
			}
			from[one.Dataset.Name] = t.ID
			r.entry.Results, r.Tasks = append(r.entry.Results, one), append(r.Tasks, one.Dataset.Name)
		}
	}
	return r, nil
}

// front matches the metadata of a model card as huggingface_hub does (REGEX_YAML_BLOCK).
var front = regexp.MustCompile(`^(\s*---[\r\n]+)([\s\S]*?)([\r\n]+---(?:\r\n|\n|$))`)

// IntoCard returns a model card with results in its metadata, in place of earlier ones. Without
// results the card stays as it is. A missing card becomes one with the model's name.
func (r Results) IntoCard(card []byte) ([]byte, error) {
	if len(r.Tasks) == 0 {
		return card, nil
	}
	metadata, text := []byte("{}"), card
	if at := front.FindSubmatchIndex(card); at != nil {
		metadata, text = card[at[4]:at[5]], card[at[1]:]
	} else if len(card) == 0 {
		text = []byte("\n# " + r.entry.Name + "\n")
	}
	var tree yaml.Node
	if err := yaml.Unmarshal(metadata, &tree); err != nil {
		return nil, fmt.Errorf("metadata of the model card: %w", err)
	}
	if len(tree.Content) != 1 || tree.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("metadata of the model card: want keys and values")
	}
	keys := tree.Content[0]
	keys.Style = 0
	for i := 0; i < len(keys.Content); i += 2 {
		if keys.Content[i].Value == "model-index" {
			keys.Content = slices.Delete(keys.Content, i, i+2)
			break
		}
	}
	var index yaml.Node
	if err := index.Encode(modelIndex{[]indexedModel{r.entry}}); err != nil {
		return nil, err
	}
	keys.Content = append(keys.Content, index.Content...)
	made, err := yaml.Marshal(&tree)
	if err != nil {
		return nil, err
	}
	return slices.Concat([]byte("---\n"), made, []byte("---\n"), text), nil
}

// indexed returns the entry of one task in a model-index.
func (t *taskScores) indexed() indexedResult {
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
	Value float64 `yaml:"value"`
	Date  string  `yaml:"date,omitempty"`
	Notes string  `yaml:"notes"`
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
			r.Notes = fmt.Sprintf("%s ×100, mean over %s; computed by %s, not by mteb", main.Scoring(), words.Plural(main.defined, "query", "queries"), source(m.Provenance.Infbench))
			if task.swapped {
				r.Notes += "; judgments swapped as in mteb 1"
			}
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
