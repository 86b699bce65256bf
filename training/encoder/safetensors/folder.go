package safetensors

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Folder is the weights of a model folder: model.safetensors, or the shards
// that model.safetensors.index.json lists.
type Folder struct {
	files   []*File
	where   map[string]int // tensor name -> index into files
	infos   map[string]Info
	indexed bool
}

// The files of a model folder.
const (
	singleFile = "model.safetensors"
	indexFile  = "model.safetensors.index.json"
)

// OpenFolder opens the weights in dir. With an index, every tensor must lie in
// the shard the index names, and no shard may hold others.
func OpenFolder(dir string) (*Folder, error) {
	single := filepath.Join(dir, singleFile)
	index := filepath.Join(dir, indexFile)
	_, err := os.Stat(single)
	if err == nil {
		return openFiles([]string{single}, nil)
	}
	data, indexErr := os.ReadFile(index)
	if errors.Is(indexErr, fs.ErrNotExist) {
		return nil, fmt.Errorf("no weights: %w", err)
	}
	if indexErr != nil {
		return nil, indexErr
	}
	var content struct {
		Weights map[string]string `json:"weight_map"`
	}
	if err := json.Unmarshal(data, &content); err != nil {
		return nil, fmt.Errorf("%s: %w", index, err)
	}
	if len(content.Weights) == 0 {
		return nil, fmt.Errorf("%s: empty weight_map", index)
	}
	shards := slices.Compact(slices.Sorted(maps.Values(content.Weights)))
	for i, shard := range shards {
		if !filepath.IsLocal(shard) {
			return nil, fmt.Errorf("%s: shard %q is outside the folder", index, shard)
		}
		shards[i] = filepath.Join(dir, shard)
	}
	for name, shard := range content.Weights {
		content.Weights[name] = filepath.Join(dir, shard)
	}
	f, err := openFiles(shards, content.Weights)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", index, err)
	}
	return f, nil
}

// openFiles opens files; expected (tensor -> path), where not nil, says what
// they must hold.
func openFiles(paths []string, expected map[string]string) (*Folder, error) {
	folder := &Folder{where: map[string]int{}, infos: map[string]Info{}, indexed: expected != nil}
	for i, path := range paths {
		f, err := Open(path)
		if err != nil {
			folder.Close()
			return nil, err
		}
		folder.files = append(folder.files, f)
		for _, t := range f.tensors {
			if expected != nil && expected[t.Name] != path {
				folder.Close()
				return nil, fmt.Errorf("%s holds tensor %q, which the index does not place there", path, t.Name)
			}
			folder.where[t.Name], folder.infos[t.Name] = i, t
		}
	}
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		if _, ok := folder.where[name]; !ok {
			folder.Close()
			return nil, fmt.Errorf("tensor %q is not in %s", name, expected[name])
		}
	}
	return folder, nil
}

// Close closes the files.
func (f *Folder) Close() error {
	var errs []error
	for _, file := range f.files {
		errs = append(errs, file.Close())
	}
	return errors.Join(errs...)
}

// Names lists the tensors in alphabetical order.
func (f *Folder) Names() []string { return slices.Sorted(maps.Keys(f.infos)) }

// Info describes a tensor.
func (f *Folder) Info(name string) (Info, bool) {
	info, ok := f.infos[name]
	return info, ok
}

// File is the name of the file that holds a tensor or, where none does, of the one
// that says which tensors there are: the single file, or the index.
func (f *Folder) File(name string) string {
	if i, ok := f.where[name]; ok {
		return filepath.Base(f.files[i].path)
	}
	if f.indexed {
		return indexFile
	}
	return singleFile
}

// Float32 reads a tensor as File.Float32 does.
func (f *Folder) Float32(name string) ([]float32, error) {
	info, ok := f.infos[name]
	if !ok {
		return nil, fmt.Errorf("no tensor %q", name)
	}
	return f.files[f.where[name]].Float32(info)
}
