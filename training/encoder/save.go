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

	"infbench/internal/disk"
	"infbench/training/weights"
)

// Save writes the model as a HuggingFace folder for Open, transformers and sentence-transformers:
// config.json, model.safetensors (F32, names of the base model), tokenizer.json and the files of
// sentence-transformers. The folder appears only when complete. It replaces a model of that name
// and keeps other files in its folder.
func (e *Encoder) Save(dir string) error { return e.SaveTo(disk.OS{}, dir) }

// saving writes the files of a model.
type saving struct {
	e    *Encoder
	fsys disk.FS
}

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
	w := saving{e, fsys}
	if e.params.separate {
		err = w.both(temporary)
	} else {
		err = w.side(temporary, Queries)
	}
	if err != nil {
		return err
	}
	if err := replaceFolder(fsys, temporary, dir); err != nil {
		return err
	}
	return fsys.SyncDir(filepath.Dir(dir))
}

// replaceFolder renames folder to dir. The old folder at dir is first moved aside and at last
// removed, except for files that are not of a model. A crash never leaves half a model under the
// name, an error restores the old one, and the next call puts back the files that a crash left
// aside.
func replaceFolder(fsys disk.FS, folder, dir string) error {
	const ending = ".before"
	aside := filepath.Join(filepath.Dir(dir), "."+disk.FitName(filepath.Base(dir), 1+len(ending))+ending)
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

// putBack restores the folder that was moved aside, or moves other files in it to the folder that
// replaced it.
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

// keepOthers moves the files that are not of a model from the old folder to the new one: somebody
// put them there.
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

// savedNames are the names of all files that Save may write for a model. These files of the
// previous model are removed.
var savedNames = []string{
	"config.json", "model.safetensors", adapterFile, adapterWeights, modulesFile, lengthFile, promptsFile, ownFile, projectionFile,
	"tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "vocab.txt", "vocab.json", "merges.txt",
	"tokenizer.model", "sentencepiece.bpe.model", "spiece.model",
}

// side writes the files of the model with the weights of a side to an existing folder.
func (w saving) side(dir string, s Side) error {
	e := w.e
	_, isStatic := e.params.arch.(static)
	root := dir // folder of the network's files
	if isStatic {
		root = filepath.Join(dir, staticFolder)
	} else {
		config, err := e.config.marshal(e.params.arch)
		if err != nil {
			return err
		}
		if err := disk.WriteBytesTo(w.fsys, filepath.Join(root, "config.json"), config); err != nil {
			return err
		}
	}
	err := disk.WriteTo(w.fsys, filepath.Join(root, "model.safetensors"), func(out io.Writer) error {
		return weights.WriteFrom(out, e.params.sources(s, NewReader(e.backend)))
	})
	if err != nil {
		return err
	}
	if e.config.Text.Interaction.projected() {
		if err := e.Crossing().save(w.fsys, dir); err != nil {
			return err
		}
	}
	if e.tokens.tokenizer != nil {
		for _, f := range e.tokens.tokenizer.Files() {
			if err := disk.WriteBytesTo(w.fsys, filepath.Join(root, f.Name), f.Data); err != nil {
				return err
			}
		}
	}
	files := e.config.Text.textFiles(e.config.HiddenSize, isStatic, e.params.dense)
	if t := e.tokens.tokenizer; t != nil && t.JSON() != nil && !isStatic {
		files[tokenizerFile] = e.tokens.settings()
	}
	for i := range e.params.dense {
		if err := w.dense(filepath.Join(dir, denseFolder(i)), i, s); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		data, err := json.MarshalIndent(files[name], "", "  ")
		if err != nil {
			return err
		}
		if err := disk.WriteBytesTo(w.fsys, filepath.Join(dir, name), data); err != nil {
			return err
		}
	}
	return nil
}

// dense writes the weights of a layer and a side to a folder.
func (w saving) dense(dir string, number int, s Side) error {
	var out []weights.Tensor
	for _, t := range w.e.params.dense[number].tensors() {
		values, err := w.e.params.values(string(s) + denseScope(number) + t.name)
		if err != nil {
			return err
		}
		out = append(out, weights.Tensor{Name: t.name, Shape: t.shape, Values: values})
	}
	return disk.WriteTo(w.fsys, filepath.Join(dir, "model.safetensors"), func(file io.Writer) error {
		return weights.Write(file, out)
	})
}

// both writes the folder of each side into an existing one.
func (w saving) both(dir string) error {
	for _, s := range w.e.params.sides() {
		folder := filepath.Join(dir, sideFolder(s))
		if err := disk.MkdirAll(w.fsys, folder); err != nil {
			return err
		}
		if err := w.side(folder, s); err != nil {
			return err
		}
	}
	data, err := json.MarshalIndent(ownSides{queryFolder, documentFolder}, "", "  ")
	if err != nil {
		return err
	}
	return disk.WriteBytesTo(w.fsys, filepath.Join(dir, ownFile), data)
}
