package runs

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"infbench/internal/disk"
	"infbench/runners/results"
	"infbench/training/encoder"
)

// AddFacts reads the records of trials in addition to results: texts of queries, and how the
// model reads them.
func AddFacts(exps []*results.Experiment, facts map[string]results.Facts) error {
	for _, exp := range exps {
		if exp.Dir == "" {
			continue // from an HTML report
		}
		if err := AddQueries([]*results.Experiment{exp}); err != nil {
			return err
		}
		for i := range exp.Trials {
			t := &exp.Trials[i]
			if t.State == results.Done {
				at, err := FolderOf(exp, t)
				if err != nil {
					return err
				}
				if facts[t.ID], err = factsOf(at); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// factsOf reads the model folder of a trial. Missing files give no facts.
func factsOf(at results.Folder) (results.Facts, error) {
	facts := results.Facts{}
	if err := results.Hold(at.Model()); err != nil {
		return nil, err
	}
	if at.Reader().HasRuns() {
		facts[results.FactTies] = "score, then document ID, both descending" // for every ranking that this program saves
	}
	model := at.Model()
	say := func(fact, file string, keys ...string) {
		if text := settingsIn(filepath.Join(model, file), keys...); text != "" {
			facts[fact] = text
		}
	}
	say(results.FactJoining, "infbench.json", "query", "query_without_instruction", "document", "document_without_title")
	say(results.FactLength, "infbench.json", "max_query_tokens", "max_document_tokens")
	say(results.FactDtype, "config.json", "dtype", "torch_dtype")
	say(results.FactPooling, filepath.Join("1_Pooling", "config.json"))
	if encoder.IsAdapter(model) {
		say(results.FactPooling, "infbench.json", "pooling")
	}
	for _, name := range []string{"model.safetensors", "adapter_model.safetensors"} {
		if sum, _, err := disk.SHA256(filepath.Join(model, name)); err == nil {
			facts[results.FactWeights] = sum
		}
	}
	return facts, nil
}

// settingsIn formats keys of a JSON file, or all keys if none is named. It returns "" if there
// is no such file.
func settingsIn(path string, keys ...string) string {
	data, err := disk.ReadText(path)
	if err != nil {
		return ""
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(data, &object) != nil {
		return ""
	}
	if keys == nil {
		whole, err := json.Marshal(object) // JSON sorts the keys
		if err != nil {
			return ""
		}
		return string(whole)
	}
	var words []string
	for _, key := range keys {
		if value, ok := object[key]; ok {
			words = append(words, key+"="+string(value))
		}
	}
	return strings.Join(words, " ")
}
