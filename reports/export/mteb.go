package export

import (
	"bytes"
	"encoding/json"
	"path"
	"strings"

	"infbench/reports/scores"
	"infbench/runners/results"
)

// mtebResult is a result file of mteb 1.11 and later.
type mtebResult struct {
	DatasetRevision string                      `json:"dataset_revision"`
	TaskName        string                      `json:"task_name"`
	Version         *string                     `json:"mteb_version"` // null: mteb has not computed it
	Scores          map[string][]map[string]any `json:"scores"`
	EvaluationTime  *float64                    `json:"evaluation_time"`
	Emissions       *float64                    `json:"kg_co2_emissions"`
	Date            *float64                    `json:"date,omitempty"` // seconds since 1970
}

// mtebModel is model_meta.json; mteb allows no other keys.
type mtebModel struct {
	Loader              *string           `json:"loader"`
	LoaderArguments     map[string]any    `json:"loader_kwargs"`
	Name                string            `json:"name"`
	Revision            string            `json:"revision"`
	ReleaseDate         *string           `json:"release_date"`
	Languages           []string          `json:"languages"`
	Parameters          *int64            `json:"n_parameters"`
	ActiveParameters    *int64            `json:"n_active_parameters_override"`
	EmbeddingParameters *int64            `json:"n_embedding_parameters"`
	Memory              *float64          `json:"memory_usage_mb"`
	MaxTokens           *int              `json:"max_tokens"`
	Dimensions          *int              `json:"embed_dim"`
	Licence             *string           `json:"license"`
	OpenWeights         *bool             `json:"open_weights"`
	PublicCode          *string           `json:"public_training_code"`
	PublicData          *string           `json:"public_training_data"`
	Framework           []string          `json:"framework"`
	Reference           *string           `json:"reference"`
	Similarity          *string           `json:"similarity_fn_name"`
	Instructions        *bool             `json:"use_instructions"`
	TrainingSets        []string          `json:"training_datasets"`
	AdaptedFrom         *string           `json:"adapted_from"`
	SupersededBy        *string           `json:"superseded_by"`
	Modalities          []string          `json:"modalities"`
	Types               []string          `json:"model_type"`
	Citation            *string           `json:"citation"`
	Contacts            []string          `json:"contacts"`
	Experiment          map[string]string `json:"experiment_kwargs"`
	OutputTypes         []string          `json:"output_dtypes"`
	Extras              []string          `json:"extra_requirements_groups"`
	CrossEncoder        bool              `json:"is_cross_encoder"`
}

// exportMTEB writes results/<org>__<model>/<revision>/<Task>.json, with the splits of the task, and
// model_meta.json for each finished trial. Numbers of FollowIR's two instructions are under og and
// changed, or under individual if judgments were swapped as in mteb 1, so that readers recognise
// the convention.
func exportMTEB(v *scores.Set) ([]File, []string, error) {
	var files []File
	unnamed := map[string]bool{}
	for _, m := range models(v) {
		dir := path.Join("results", strings.Replace(m.model, "/", "__", 1), SafeSegment(m.ID))
		for _, task := range tasksOf(v, m.Trial) {
			splits := task.mteb(unnamed)
			if len(splits) == 0 {
				continue
			}
			r := mtebResult{DatasetRevision: task.benchmark.Revision, TaskName: task.name, Scores: splits}
			if s, ok := m.Provenance.Seconds["evaluate"]; ok {
				r.EvaluationTime = &s
			}
			if !m.Provenance.Started.IsZero() {
				date := float64(m.Provenance.Started.Unix())
				r.Date = &date
			}
			file, err := jsonFile(path.Join(dir, task.name+".json"), r)
			if err != nil {
				return nil, nil, err
			}
			files = append(files, file)
		}
		file, err := jsonFile(path.Join(dir, "model_meta.json"), m.meta())
		if err != nil {
			return nil, nil, err
		}
		files = append(files, file)
	}
	return files, lacking("mteb", unnamed), nil
}

// mteb returns the objects of a task by split, without splits whose measures MTEB does not name.
func (t *taskScores) mteb(unnamed map[string]bool) map[string][]map[string]any {
	out := map[string][]map[string]any{}
	for _, s := range t.splits {
		if object, ok := s.mteb(t.swapped, unnamed); ok {
			out[s.name] = []map[string]any{object}
		}
	}
	return out
}

// mteb returns the object of a split's only subset; ok is false if MTEB names none of its measures.
func (t *splitScores) mteb(swapped bool, unnamed map[string]bool) (object map[string]any, ok bool) {
	object = map[string]any{"hf_subset": "default", "languages": []string{"eng-Latn"}}
	sides := map[string]map[string]any{}
	for _, s := range t.scores {
		key, known := mtebKey(s.Measure)
		if !known {
			unnamed[s.Measure] = true
			continue
		}
		ok = true
		into := object
		if s.Side != "" {
			if sides[s.Side] == nil {
				sides[s.Side] = map[string]any{}
			}
			into = sides[s.Side]
		}
		into[key] = rounded(s.mean)
	}
	main := mainOf(t.scores)
	if _, known := mtebKey(main.Measure); !known {
		return nil, false
	}
	object["main_score"] = rounded(main.mean)
	switch {
	case len(sides) == 0:
	case swapped:
		object["individual"] = sides
	default:
		for side, numbers := range sides {
			if side == "original" {
				side = "og"
			}
			object[side] = numbers
		}
	}
	return object, ok
}

// meta describes a trial as a model.
func (m exported) meta() mtebModel {
	meta := mtebModel{
		LoaderArguments: map[string]any{}, Name: m.model, Revision: SafeSegment(m.ID), Languages: []string{"eng-Latn"},
		Framework: []string{}, TrainingSets: []string{}, Modalities: []string{"text"}, Types: []string{}, Contacts: []string{},
		Experiment: m.Config, OutputTypes: []string{}, Extras: []string{},
	}
	if m.Parameters > 0 {
		meta.Parameters = &m.Parameters
	}
	if data := m.Config["data"]; data != "" {
		meta.TrainingSets = []string{data}
	}
	if m.Config[results.Loss] != "" {
		from := m.Config[results.Backbone]
		meta.AdaptedFrom = &from
		meta.Types = []string{"dense"}
	}
	return meta
}

// jsonFile encodes a value as JSON with an indent of two, as mteb does.
func jsonFile(name string, v any) (File, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return File{name, b.Bytes()}, err
}
