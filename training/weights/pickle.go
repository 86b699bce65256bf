package weights

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"infbench/internal/disk"
)

// PickleFile is an open file from PyTorch's torch.save: a state dict (pytorch_model.bin,
// adapter_model.bin) as a zip archive or in the form before PyTorch 1.6. Nothing in a file is
// executed. A pickle may ask for names of a fixed list, and each is replaced by code of this
// package; any other name is an error that shows it. A file must be a table of tensors and nothing
// else; complete modules, sparse and quantised tensors are errors. Close it after use.
// github.com/nlpodyssey/gopickle v0.3.0 was evaluated and not used: it reads all storages when it
// opens a file, with sizes from the pickle before their data are known to exist; classes outside of
// its list become objects rather than errors; views of storages and tar archives panic; and records
// are found by the last part of their names.
type PickleFile struct {
	path    string
	file    *os.File
	size    int64
	tensors []Info // sorted by name
	data    map[string]*pickledTensor
}

// OpenPickle reads the table of tensors of the file at path, not their values. Its memory is
// limited by the file's size.
func OpenPickle(path string) (*PickleFile, error) {
	f, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	stat, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	if err := disk.CheckStandIn(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	file := &PickleFile{path: path, file: f, size: stat.Size()}
	if err := file.read(); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return file, nil
}

// read reads the state dict.
func (f *PickleFile) read() error {
	load := loadLegacy
	if isZip(f.file) {
		load = loadZip
	}
	root, err := load(f.file, f.size)
	if err != nil {
		return err
	}
	table, ok := root.(*dict)
	if !ok {
		return fmt.Errorf("contains %s, not a state dict (tensors by name)", kindOf(root))
	}
	f.data = map[string]*pickledTensor{}
	for i, key := range table.keys {
		name, ok := key.(string)
		if !ok {
			return fmt.Errorf("contains a value under %s, where a tensor's name is expected", kindOf(key))
		}
		t, ok := table.values[i].(*pickledTensor)
		if !ok {
			return fmt.Errorf("%q is %s, not a tensor", name, kindOf(table.values[i]))
		}
		if err := t.check(f.size); err != nil {
			return fmt.Errorf("tensor %q: %w", name, err)
		}
		f.data[name] = t
	}
	for name, t := range f.data {
		f.tensors = append(f.tensors, Info{Name: name, DType: t.dtype, Shape: t.shape})
	}
	slices.SortFunc(f.tensors, func(a, b Info) int { return strings.Compare(a.Name, b.Name) })
	return nil
}

// Close closes the file.
func (f *PickleFile) Close() error { return f.file.Close() }

// Tensors lists the tensors by name.
func (f *PickleFile) Tensors() []Info { return f.tensors }

// Float32 reads the values of one of the file's tensors in row-major order, for any strides, like
// SafetensorsFile.Float32.
func (f *PickleFile) Float32(info Info) ([]float32, error) {
	t, ok := f.data[info.Name]
	if !ok {
		return nil, fmt.Errorf("%s: no tensor %q", f.path, info.Name)
	}
	raw, err := t.read(f.file)
	if err != nil {
		return nil, fmt.Errorf("%s: tensor %q: %w", f.path, info.Name, err)
	}
	values, err := Decode(t.dtype, raw)
	if err != nil {
		return nil, fmt.Errorf("%s: tensor %q: %w", f.path, info.Name, err)
	}
	return values, nil
}
