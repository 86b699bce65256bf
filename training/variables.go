package training

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"infbench/internal/disk"
	"infbench/training/encoder"
	"infbench/training/weights"
)

// errDamagedVariables reports that a file does not hold the saved values. The caller may delete
// it and start training again.
var errDamagedVariables = errors.New("checkpoint is damaged")

// variablesFolder keeps the values of an encoder's variables in files, for checkpoints and for
// the best weights of a training. It holds one tensor at a time in memory.
type variablesFolder struct {
	Dir     string // empty: no folder
	Files   disk.FS
	Encoder *encoder.Encoder
}

// variablesFile names a file in the folder.
type variablesFile struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// Write writes tensors to a file.
func (f variablesFolder) Write(name string, list []weights.Source) (variablesFile, error) {
	hash := sha256.New()
	err := disk.WriteTo(f.Files, filepath.Join(f.Dir, name), func(w io.Writer) error {
		return weights.WriteFrom(io.MultiWriter(w, hash), list)
	})
	return variablesFile{name, hex.EncodeToString(hash.Sum(nil))}, err
}

// Restore sets variables to their values in a file.
func (f variablesFolder) Restore(of variablesFile) error {
	if err := f.Verify(of); err != nil {
		return err
	}
	file, err := weights.OpenSafetensors(filepath.Join(f.Dir, of.Name))
	if err != nil {
		return err
	}
	defer file.Close()
	for _, info := range file.Tensors() {
		err := setVariable(f.Encoder, info.Name, info.Shape, func(values []float32) error { return file.Read(info, values) })
		if err != nil {
			return err
		}
	}
	return nil
}

// Verify compares a file with its SHA-256.
func (f variablesFolder) Verify(of variablesFile) error {
	path := filepath.Join(f.Dir, of.Name)
	got, _, err := disk.SHA256(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %w", errDamagedVariables, err)
	}
	if err != nil {
		return err
	}
	if got != of.SHA256 {
		return fmt.Errorf("%s: %w: SHA-256 %s, want %s", path, errDamagedVariables, got, of.SHA256)
	}
	return nil
}

// setVariable sets a variable of an encoder to the values that fill writes.
func setVariable(enc *encoder.Encoder, name string, shape []int, fill func([]float32) error) error {
	value := tensors.FromShape(shapes.Make(dtypes.Float32, shape...))
	var failed error
	err := tensors.MutableFlatData(value, func(flat []float32) { failed = fill(flat) })
	if err := errors.Join(err, failed); err != nil {
		return err
	}
	if !enc.Backend().HasSharedBuffers() { // frees host memory for the next tensor
		err = value.ToDevice(enc.Backend(), 0)
	}
	if variable := enc.Store().GetVariable("/" + name); err == nil && variable != nil {
		err = variable.SetValue(value)
	} else if err == nil { // a moment: the step graph finds it by its path
		_, err = enc.Store().CreateVariable("/"+name, value)
	}
	if err != nil {
		return fmt.Errorf("tensor %q: %w", name, err)
	}
	return nil
}

// variableSources returns all variables of a store, by path. Values that are on no device of the
// backend are in memory.
func variableSources(backend compute.Backend, store *model.Store) ([]weights.Source, error) {
	reader := encoder.NewReader(backend)
	var list []weights.Source
	for v := range store.IterVariables() {
		if v.DType() != dtypes.Float32 {
			return nil, fmt.Errorf("variable %s is %s, but only float32 can be resumed", v.Path(), v.DType())
		}
		list = append(list, reader.Source(strings.TrimPrefix(v.Path(), "/"), v))
	}
	slices.SortFunc(list, func(a, b weights.Source) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// copySources returns tensors with the current values of sources.
func copySources(list []weights.Source) ([]weights.Tensor, error) {
	out := make([]weights.Tensor, len(list))
	for i, s := range list {
		err := s.Values(func(values []float32) error {
			out[i] = weights.Tensor{Name: s.Name, Shape: s.Shape, Values: slices.Clone(values)}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
