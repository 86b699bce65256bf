package encoder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"infbench/datasets/atomicfile"
	"infbench/training/encoder/safetensors"
)

// Save writes the model as a HuggingFace folder that Open, transformers and
// sentence-transformers read: config.json, model.safetensors (F32, names of
// the base model), tokenizer.json and the files of sentence-transformers. The
// folder appears whole or not at all; a folder of that name is replaced.
func (e *Encoder) Save(dir string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("save model %s: %w", dir, err)
		}
	}()
	parent := filepath.Dir(filepath.Clean(dir))
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	temporary, err := os.MkdirTemp(parent, ".tmp-"+filepath.Base(dir)+"-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	if err := os.Chmod(temporary, 0o755); err != nil {
		return err
	}
	if err := e.write(temporary); err != nil {
		return err
	}
	return replaceFolder(temporary, dir)
}

// replaceFolder renames folder to dir. What was at dir is moved aside first
// and removed last: a crash never leaves half a model under the name, and a
// failure brings the old one back.
func replaceFolder(folder, dir string) error {
	aside := folder + "-old"
	err := os.Rename(dir, aside)
	if errors.Is(err, fs.ErrNotExist) {
		return os.Rename(folder, dir)
	}
	if err != nil {
		return err
	}
	if err := os.Rename(folder, dir); err != nil {
		return errors.Join(err, os.Rename(aside, dir))
	}
	return os.RemoveAll(aside)
}

// write writes the files of the model to an existing folder.
func (e *Encoder) write(dir string) error {
	_, isStatic := e.arch.(static)
	root := dir // of the network's files
	if isStatic {
		root = filepath.Join(dir, staticFolder)
	} else {
		config, err := e.config.marshal(e.arch)
		if err != nil {
			return err
		}
		if err := atomicfile.WriteBytes(filepath.Join(root, "config.json"), config); err != nil {
			return err
		}
	}
	weights, err := e.weights()
	if err != nil {
		return err
	}
	err = atomicfile.Write(filepath.Join(root, "model.safetensors"), func(w io.Writer) error {
		return safetensors.Write(w, weights)
	})
	if err != nil {
		return err
	}
	if e.tokenizer != nil {
		if err := atomicfile.WriteBytes(filepath.Join(root, "tokenizer.json"), e.tokenizer.JSON()); err != nil {
			return err
		}
	}
	files := e.config.Text.textFiles(e.config.HiddenSize, isStatic, e.dense)
	if e.dense != nil {
		if err := e.saveDense(filepath.Join(dir, denseFolder)); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		data, err := json.MarshalIndent(files[name], "", "  ")
		if err != nil {
			return err
		}
		if err := atomicfile.WriteBytes(filepath.Join(dir, name), data); err != nil {
			return err
		}
	}
	return nil
}

// weights copies the network's weights out of the store, in the order of the
// architecture. Other variables (a trainer's) are not part of the model.
func (e *Encoder) weights() ([]safetensors.Tensor, error) {
	var list []safetensors.Tensor
	for _, t := range e.tensors() {
		value, err := e.store.GetVariable("/" + t.name).Value()
		if err != nil {
			return nil, fmt.Errorf("tensor %q: %w", t.name, err)
		}
		values, err := tensors.CopyFlatData[float32](value)
		if err != nil {
			return nil, fmt.Errorf("tensor %q: %w", t.name, err)
		}
		list = append(list, safetensors.Tensor{Name: t.name, Shape: t.shape, Values: values})
	}
	return list, nil
}
