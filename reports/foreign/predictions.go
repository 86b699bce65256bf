package foreign

import (
	"fmt"
	"strings"
)

// predictions are rankings as mteb saves them for a task: {subset: {split: {query: {document:
// score}}}}. Since 2.0 the file also describes the model, next to the subsets.
type predictions struct{}

// modelMeta is the only key that is not a subset.
const modelMeta = "mteb_model_meta"

// Name implements reader.
func (predictions) Name() string { return "mteb-predictions" }

// Recognises implements reader.
func (predictions) Recognises(head []byte) bool {
	keys, depth := outline(head)
	return depth == 4 || len(keys) > 0 && keys[0] == modelMeta
}

// Read implements reader. The name of the file gives the task.
func (predictions) Read(path string, _ Options) ([]System, []string, error) {
	s := System{Model: baseName(path)}
	name := strings.TrimSuffix(strings.TrimSuffix(baseName(path), "_predictions"), "_default")
	err := readJSON(path, func(j *jsonFile) error {
		return j.object("the predictions", func(subset string) error {
			if subset == modelMeta {
				var meta struct {
					Model    string `json:"model_name"`
					Revision string `json:"revision"`
				}
				err := j.value(&meta)
				if meta.Model != "" {
					s.Model, s.Revision = meta.Model, meta.Revision
				}
				return err
			}
			return j.object("subset "+subset, func(split string) error {
				run, err := j.run("split " + split)
				s.Tasks = append(s.Tasks, Task{Name: name, Part: partOf(split, subset), Run: run})
				return err
			})
		})
	})
	if err == nil && len(s.Tasks) == 0 {
		err = fmt.Errorf("%s:1: the predictions have no subset with a split", path)
	}
	return []System{s}, nil, err
}

// partOf names a split and subset, without the default names that most tasks have.
func partOf(split, subset string) string {
	var parts []string
	if split != "test" && split != "" {
		parts = append(parts, split)
	}
	if subset != "default" && subset != "" {
		parts = append(parts, subset)
	}
	return strings.Join(parts, "/")
}
