package results

import "infbench/runners/spec"

// ValueLabel is a short name that an experiment file gives to a value, or with SystemKey to a
// baseline.
type ValueLabel = spec.ValueLabel

// SystemKey is the key of a label for a complete baseline.
const SystemKey = spec.SystemKey

// ShortPaths returns configs in which the paths of models are shortened to the last parts that
// distinguish them.
func ShortPaths(configs []map[string]string) []map[string]string {
	short, out := spec.ShortModels(configs), make([]map[string]string, len(configs))
	for i, c := range configs {
		out[i] = spec.Said(c, short, nil)
	}
	return out
}
