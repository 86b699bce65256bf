package encoder

import (
	"fmt"
	"slices"
	"strings"

	"infbench/training/encoder/safetensors"
)

// load fills the store from the weights of a folder. Every tensor of the
// network must be there once and in its shape; every other tensor of the
// folder must be one the architecture knows to leave out.
func (e *Encoder) load(weights *safetensors.Folder) error {
	source := map[string]string{} // canonical name -> name in the file
	var unknown []string
	wanted := e.tensors()
	for _, name := range weights.Names() {
		canonical := e.arch.canonical(name)
		switch {
		case !slices.ContainsFunc(wanted, func(t tensor) bool { return t.name == canonical }):
			if !e.arch.ignored(canonical) || e.head != nil && e.head.owns(canonical) {
				unknown = append(unknown, name)
			}
		case source[canonical] != "":
			return fmt.Errorf("tensors %q and %q are the same weight", source[canonical], name)
		default:
			source[canonical] = name
		}
	}
	if len(unknown) > 0 {
		return fmt.Errorf("unknown tensors for model_type %s: %s", e.config.ModelType, list(unknown))
	}
	var missing []string
	for _, t := range wanted {
		if source[t.name] == "" {
			missing = append(missing, t.name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("missing tensors: %s", list(missing))
	}
	for _, t := range wanted {
		info, _ := weights.Info(source[t.name])
		if !slices.Equal(info.Shape, t.shape) {
			return fmt.Errorf("tensor %q has shape %v, the configuration asks for %v", info.Name, info.Shape, t.shape)
		}
		values, err := weights.Float32(info.Name)
		if err != nil {
			return err
		}
		if err := e.variable(t.name, t.shape, values); err != nil {
			return err
		}
	}
	return nil
}

// list joins names, at most twenty of them.
func list(names []string) string {
	const most = 20
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
