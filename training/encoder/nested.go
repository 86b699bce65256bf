package encoder

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// nested is a family whose config.json holds the network's settings in a separate object, with a
// separate model_type.
type nested interface {
	inside() (object, modelType string)
}

// outside lists the settings that stay outside the object.
func outside() []string {
	return []string{"architectures", "latent_attention_config", "model_type", "torch_dtype"}
}

// unnest moves the settings of a nested object to the top level, where they replace others.
func unnest(arch architecture, file map[string]json.RawMessage) (map[string]json.RawMessage, error) {
	n, ok := arch.(nested)
	if !ok {
		return file, nil
	}
	object, _ := n.inside()
	if _, ok := file[object]; !ok {
		return nil, fmt.Errorf("no %s", object)
	}
	var inner map[string]json.RawMessage
	if err := json.Unmarshal(file[object], &inner); err != nil {
		return nil, fmt.Errorf("%s: %w", object, err)
	}
	flat := maps.Clone(file)
	for key, value := range inner {
		if !slices.Contains(outside(), key) {
			flat[key] = value
		}
	}
	return flat, nil
}

// nest puts settings, by the family's keys, into config.json where unnest finds them.
func nest(arch architecture, file, settings map[string]json.RawMessage) error {
	n, ok := arch.(nested)
	if !ok {
		maps.Copy(file, settings)
		return nil
	}
	object, modelType := n.inside()
	inner := map[string]json.RawMessage{}
	if data, ok := file[object]; ok {
		if err := json.Unmarshal(data, &inner); err != nil {
			return fmt.Errorf("%s: %w", object, err)
		}
	} else {
		inner["model_type"] = json.RawMessage(fmt.Sprintf("%q", modelType))
	}
	for key, value := range settings {
		if slices.Contains(outside(), key) {
			file[key] = value
		} else {
			inner[key] = value
		}
	}
	data, err := json.Marshal(inner)
	if err != nil {
		return err
	}
	file[object] = data
	return nil
}
