package training

import (
	"path/filepath"
	"slices"
	"strings"

	"infbench/training/weights"
)

// best keeps the weights of the best evaluation: in the folder of checkpoints, or in memory if
// there is no folder.
type best struct {
	folder variablesFolder
	file   variablesFile    // in the folder; no name: nothing is kept
	named  string           // the file that state.json names; it stays until state.json names another
	copies []weights.Tensor // used without a folder
}

// keep stores the current weights under that name.
func (b *best) keep(name string) error {
	list, err := networkWeights(b.folder)
	if err != nil {
		return err
	}
	if b.folder.Dir == "" {
		b.copies, err = copySources(list)
		return err
	}
	old := b.file.Name
	if b.file, err = b.folder.Write(name, list); err != nil {
		return err
	}
	if old == "" || old == b.named || old == name {
		return nil
	}
	return b.folder.Files.Remove(filepath.Join(b.folder.Dir, old))
}

// restore gives the encoder the kept weights.
func (b *best) restore() error {
	if b.folder.Dir != "" {
		return b.folder.Restore(b.file)
	}
	for _, t := range b.copies {
		err := setVariable(b.folder.Encoder, t.Name, t.Shape, func(values []float32) error {
			copy(values, t.Values)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// networkWeights returns all variables of the folder's encoder except the moments.
func networkWeights(f variablesFolder) ([]weights.Source, error) {
	list, err := variableSources(f.Encoder.Backend(), f.Encoder.Store())
	return slices.DeleteFunc(list, func(t weights.Source) bool { return strings.HasPrefix("/"+t.Name, MomentScope+"/") }), err
}
