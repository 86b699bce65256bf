// Package weights reads and writes the tensors of model folders in two formats: HuggingFace's
// safetensors, and the files of PyTorch's torch.save in older repositories, which are only read. A
// folder with both is read from its safetensors. The package does not know the purpose of the
// tensors.
package weights

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"infbench/internal/disk"
	"infbench/internal/memory"
)

// File is an open file of tensors.
type File interface {
	Tensors() []Info
	Float32(Info) ([]float32, error)
	Close() error
}

var (
	_ File = (*SafetensorsFile)(nil)
	_ File = (*PickleFile)(nil)
)

// Open opens a file by its extension: torch.save's .bin, else safetensors.
func Open(path string) (File, error) {
	if filepath.Ext(path) == ".bin" {
		return orNone(OpenPickle(path))
	}
	return orNone(OpenSafetensors(path))
}

// orNone prevents a nil pointer from becoming a non-nil File.
func orNone[F File](f F, err error) (File, error) {
	if err != nil {
		return nil, err
	}
	return f, nil
}

// OpenOneOf opens the first of the named files that exists in dir; if there is none, the error is
// that of the first.
func OpenOneOf(dir string, names ...string) (File, error) {
	for _, name := range names {
		if path := filepath.Join(dir, name); exists(path) {
			return Open(path)
		}
	}
	return Open(filepath.Join(dir, names[0]))
}

func exists(path string) bool {
	_, err := disk.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// Folder is the weights of a model folder: one file, or the shards that an index lists.
type Folder struct {
	files []File
	names []string       // of the files
	where map[string]int // tensor name -> index into files
	infos map[string]Info
	main  string // the file that lists the tensors
}

// The files of a model folder, in the order of the search.
var singleFiles, indexFiles = []string{"model.safetensors", "pytorch_model.bin"},
	[]string{"model.safetensors.index.json", "pytorch_model.bin.index.json"}

// AreIn reports whether there are weights in dir.
func AreIn(dir string) bool {
	return slices.ContainsFunc(slices.Concat(singleFiles, indexFiles), func(name string) bool { return exists(filepath.Join(dir, name)) })
}

// OpenFolder opens the weights in dir. With an index, every tensor must be in the shard that the
// index names, and shards must have no others.
func OpenFolder(dir string) (*Folder, error) {
	for i, single := range singleFiles {
		if exists(filepath.Join(dir, single)) {
			return openFiles(dir, single, []string{single}, nil)
		}
		if exists(filepath.Join(dir, indexFiles[i])) {
			return openShards(dir, indexFiles[i])
		}
	}
	return nil, fmt.Errorf("no weights (%s, %s, or an index of shards): %w", singleFiles[0], singleFiles[1],
		&fs.PathError{Op: "open", Path: dir, Err: fs.ErrNotExist})
}

// openShards opens the files that an index lists.
func openShards(dir, name string) (*Folder, error) {
	index := filepath.Join(dir, name)
	data, err := disk.ReadModelFile(index)
	if err != nil {
		return nil, err
	}
	if err := memory.ForJSON(data); err != nil {
		return nil, fmt.Errorf("%s: %w", index, err)
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
	for _, shard := range shards {
		if !filepath.IsLocal(shard) {
			return nil, fmt.Errorf("%s: shard %q is outside the folder", index, shard)
		}
	}
	f, err := openFiles(dir, name, shards, content.Weights)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", index, err)
	}
	return f, nil
}

// openFiles opens files of dir; expected (tensor -> file), unless nil, lists their tensors.
func openFiles(dir, main string, names []string, expected map[string]string) (*Folder, error) {
	folder := &Folder{where: map[string]int{}, infos: map[string]Info{}, names: names, main: main}
	if err := folder.open(dir, expected); err != nil {
		folder.Close()
		return nil, err
	}
	return folder, nil
}

func (f *Folder) open(dir string, expected map[string]string) error {
	for i, name := range f.names {
		path := filepath.Join(dir, name)
		file, err := Open(path)
		if err != nil {
			return err
		}
		f.files = append(f.files, file)
		for _, t := range file.Tensors() {
			if expected != nil && expected[t.Name] != name {
				return fmt.Errorf("%s has tensor %q, which the index does not place there", path, t.Name)
			}
			f.where[t.Name], f.infos[t.Name] = i, t
		}
	}
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		if _, ok := f.where[name]; !ok {
			return fmt.Errorf("tensor %q is not in %s", name, filepath.Join(dir, expected[name]))
		}
	}
	return nil
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

// File returns the name of the file that has a tensor. If there is no such tensor, it returns the
// file that lists the tensors: the single file, or the index.
func (f *Folder) File(name string) string {
	if i, ok := f.where[name]; ok {
		return f.names[i]
	}
	return f.main
}

// Float32 reads the values of a tensor.
func (f *Folder) Float32(name string) ([]float32, error) {
	info, ok := f.infos[name]
	if !ok {
		return nil, fmt.Errorf("no tensor %q", name)
	}
	return f.files[f.where[name]].Float32(info)
}
