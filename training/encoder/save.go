package encoder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"infbench/internal/disk"
	"infbench/training/weights"
)

// Save writes the model as a HuggingFace folder that Open, transformers and
// sentence-transformers read: config.json, model.safetensors (F32, names of
// the base model), tokenizer.json and the files of sentence-transformers. The
// folder appears whole or not at all; a model of that name is replaced, and what else
// lies in its folder stays there.
func (e *Encoder) Save(dir string) error { return e.SaveTo(disk.OS{}, dir) }

// SaveTo is Save on a given file system.
func (e *Encoder) SaveTo(fsys disk.FS, dir string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("save model %s: %w", dir, err)
		}
	}()
	dir = filepath.Clean(dir)
	temporary := disk.Temporary(dir)
	if err := disk.MkdirAll(fsys, temporary); err != nil {
		return err
	}
	defer fsys.RemoveAll(temporary)
	if e.separate {
		err = e.writeBoth(fsys, temporary)
	} else {
		err = e.write(fsys, temporary, Queries)
	}
	if err != nil {
		return err
	}
	if err := replaceFolder(fsys, temporary, dir); err != nil {
		return err
	}
	return fsys.SyncDir(filepath.Dir(dir))
}

// replaceFolder renames folder to dir. What was at dir is moved aside first and removed
// last, but for what is no file of a model: a crash never leaves half a model under the
// name, a failure brings the old one back, and what a crash left aside the next call puts
// into its place.
func replaceFolder(fsys disk.FS, folder, dir string) error {
	aside := filepath.Join(filepath.Dir(dir), "."+filepath.Base(dir)+".before")
	if err := putBack(fsys, aside, dir); err != nil {
		return err
	}
	err := fsys.Rename(dir, aside)
	if errors.Is(err, fs.ErrNotExist) {
		return fsys.Rename(folder, dir)
	}
	if err != nil {
		return err
	}
	if err := fsys.Rename(folder, dir); err != nil {
		return errors.Join(err, fsys.Rename(aside, dir))
	}
	return putBack(fsys, aside, dir)
}

// putBack makes what was moved aside the folder again, or what others put into it part of
// the one that took its place.
func putBack(fsys disk.FS, aside, dir string) error {
	if there, err := disk.Exists(aside); err != nil || !there {
		return err
	}
	if there, err := disk.Exists(dir); err != nil {
		return err
	} else if !there {
		return fsys.Rename(aside, dir)
	}
	if err := keepOthers(fsys, aside, dir); err != nil {
		return err
	}
	return fsys.RemoveAll(aside)
}

// keepOthers moves what is no file of a model from the folder of one to that of the one
// which took its place: somebody put it there.
func keepOthers(fsys disk.FS, from, to string) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || disk.IsTemporary(path) || slices.Contains(savedNames, e.Name()) {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		kept := filepath.Join(to, name)
		if there, err := disk.Exists(kept); there || err != nil {
			return err
		}
		if err := disk.MkdirAll(fsys, filepath.Dir(kept)); err != nil {
			return err
		}
		if err := fsys.Rename(path, kept); err != nil {
			return err
		}
		return fsys.SyncDir(filepath.Dir(kept))
	})
}

// savedNames are the names that Save gives to files of models, of one or the other; of the
// model before, those go.
var savedNames = []string{
	"config.json", "model.safetensors", modulesFile, lengthFile, promptsFile, ownFile, projectionFile,
	"tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "vocab.txt", "vocab.json", "merges.txt",
	"tokenizer.model", "sentencepiece.bpe.model", "spiece.model",
}

// write writes the files of the model to an existing folder, with the weights of a
// side.
func (e *Encoder) write(fsys disk.FS, dir string, s Side) error {
	_, isStatic := e.arch.(static)
	root := dir // of the network's files
	if isStatic {
		root = filepath.Join(dir, staticFolder)
	} else {
		config, err := e.config.marshal(e.arch)
		if err != nil {
			return err
		}
		if err := disk.WriteBytesTo(fsys, filepath.Join(root, "config.json"), config); err != nil {
			return err
		}
	}
	err := disk.WriteTo(fsys, filepath.Join(root, "model.safetensors"), func(w io.Writer) error {
		return weights.WriteFrom(w, e.weights(s))
	})
	if err != nil {
		return err
	}
	if e.config.Text.Interaction.projected() {
		if err := e.saveProjections(fsys, dir); err != nil {
			return err
		}
	}
	if e.tokenizer != nil {
		for _, f := range e.tokenizer.Files() {
			if err := disk.WriteBytesTo(fsys, filepath.Join(root, f.Name), f.Data); err != nil {
				return err
			}
		}
	}
	files := e.config.Text.textFiles(e.config.HiddenSize, isStatic, e.dense)
	for i := range e.dense {
		if err := e.saveDense(fsys, filepath.Join(dir, denseFolder(i)), i, s); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		data, err := json.MarshalIndent(files[name], "", "  ")
		if err != nil {
			return err
		}
		if err := disk.WriteBytesTo(fsys, filepath.Join(dir, name), data); err != nil {
			return err
		}
	}
	return nil
}

// weights are those of a side's network, in the order of the architecture. Other
// variables (a trainer's) are not part of the model.
func (e *Encoder) weights(s Side) []weights.Source {
	reader, list := NewReader(e.backend), []weights.Source{}
	for _, t := range e.tensors() {
		list = append(list, reader.Source(t.name, e.store.GetVariable("/"+string(s)+t.name)))
	}
	return list
}

// values copies a weight out of the store.
func (e *Encoder) values(name string) ([]float32, error) {
	value, err := e.store.GetVariable("/" + name).Value()
	if err != nil {
		return nil, fmt.Errorf("tensor %q: %w", name, err)
	}
	values, err := tensors.CopyFlatData[float32](value)
	if err != nil {
		return nil, fmt.Errorf("tensor %q: %w", name, err)
	}
	return values, nil
}
