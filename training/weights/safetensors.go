package weights

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"infbench/internal/disk"
	"infbench/internal/memory"
)

// maxHeader is the format's limit on the header length (100 MB).
const maxHeader = 100_000_000

// Approximate memory for the entry of a tensor in addition to its text: copies of names and values,
// an entry of a set, and an Info, each with the spare room of growing slices; and the memory for
// one size in a shape.
const (
	entryKept = 600
	sizeKept  = 32
)

// widths has the bytes of one value of each known type.
var widths = map[string]int64{
	"BOOL": 1, "U8": 1, "I8": 1, "F8_E4M3": 1, "F8_E5M2": 1,
	"I16": 2, "U16": 2, "F16": 2, "BF16": 2,
	"I32": 4, "U32": 4, "F32": 4,
	"I64": 8, "U64": 8, "F64": 8,
}

// Info describes one tensor of a file.
type Info struct {
	Name  string
	DType string // "F32", "BF16", ...
	Shape []int
	begin int64 // bytes from the end of the header
	end   int64
}

// Len returns the number of values.
func (i Info) Len() int { return sizeOf(i.Shape) }

// sizeOf returns the number of values of a shape.
func sizeOf(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// Width returns the number of bytes of one value of a known type.
func Width(dtype string) int64 { return widths[dtype] }

// SafetensorsFile is an open file in HuggingFace's safetensors format: eight bytes with the length
// of a JSON header, the header, and the values in little endian. Headers are checked strictly,
// because a shifted offset loads as plausible noise. Close it after use.
type SafetensorsFile struct {
	path    string
	file    *os.File
	base    int64
	tensors []Info // by offset
}

// OpenSafetensors reads and checks the header of the file at path.
func OpenSafetensors(path string) (*SafetensorsFile, error) {
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
	header, err := readHeader(f, stat.Size())
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	base := int64(8 + len(header))
	tensors, err := parseHeader(header, stat.Size()-base)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &SafetensorsFile{path: path, file: f, base: base, tensors: tensors}, nil
}

// Close closes the file.
func (f *SafetensorsFile) Close() error { return f.file.Close() }

// Tensors lists the tensors in the order of their values.
func (f *SafetensorsFile) Tensors() []Info { return f.tensors }

// readHeader reads the JSON header of a file of size bytes.
func readHeader(r io.Reader, size int64) ([]byte, error) {
	var prefix [8]byte
	if _, err := io.ReadFull(r, prefix[:]); err != nil {
		return nil, fmt.Errorf("not a safetensors file: %d bytes", size)
	}
	n := binary.LittleEndian.Uint64(prefix[:])
	if n > maxHeader || int64(n) > size-8 {
		return nil, fmt.Errorf("header of %d bytes in a file of %d: truncated or not safetensors", n, size)
	}
	if err := memory.For(int64(n)); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	header := make([]byte, n)
	if _, err := io.ReadFull(r, header); err != nil {
		return nil, fmt.Errorf("read header: %w", err)
	}
	return header, nil
}

// parseHeader returns the tensors of a header whose values take size bytes. They must be in order,
// without gap or overlap, each as long as its shape and type require.
func parseHeader(header []byte, size int64) ([]Info, error) {
	if err := memory.ForMany(int64(len(header)) + int64(bytes.Count(header, []byte{'{'}))*entryKept + int64(bytes.Count(header, []byte{','}))*sizeKept); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	entries, err := headerEntries(header)
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	var tensors []Info
	for _, e := range entries {
		info, err := parseEntry(e.name, e.value)
		if err != nil {
			return nil, fmt.Errorf("header: tensor %q: %w", e.name, err)
		}
		tensors = append(tensors, info)
	}
	slices.SortStableFunc(tensors, func(a, b Info) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end))
	})
	end := int64(0)
	for _, t := range tensors {
		if t.begin != end {
			return nil, fmt.Errorf("header: tensor %q starts at byte %d, the one before ends at %d", t.Name, t.begin, end)
		}
		end = t.end
	}
	if end != size {
		return nil, fmt.Errorf("the tensors take %d bytes, the file has %d: truncated or damaged", end, size)
	}
	return tensors, nil
}

type entry struct {
	name  string
	value json.RawMessage
}

// headerEntries returns the named tensors of a header. A duplicate name is an error; a map would
// hide it.
func headerEntries(header []byte) ([]entry, error) {
	d := json.NewDecoder(bytes.NewReader(header))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("not a JSON object")
	}
	var entries []entry
	seen := map[string]bool{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		e := entry{name: key.(string)}
		if err := d.Decode(&e.value); err != nil {
			return nil, fmt.Errorf("%q: %w", e.name, err)
		}
		if seen[e.name] {
			return nil, fmt.Errorf("tensor %q is listed twice", e.name)
		}
		seen[e.name] = true
		if e.name == "__metadata__" {
			if err := json.Unmarshal(e.value, &map[string]string{}); err != nil {
				return nil, fmt.Errorf("__metadata__: %w", err)
			}
			continue
		}
		entries = append(entries, e)
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("data after the JSON object")
	}
	return entries, nil
}

func parseEntry(name string, value json.RawMessage) (Info, error) {
	var fields struct {
		DType   string   `json:"dtype"`
		Shape   []int64  `json:"shape"`
		Offsets *[]int64 `json:"data_offsets"`
	}
	d := json.NewDecoder(bytes.NewReader(value))
	d.DisallowUnknownFields()
	if err := d.Decode(&fields); err != nil {
		return Info{}, err
	}
	width, ok := widths[fields.DType]
	if !ok {
		return Info{}, fmt.Errorf("unknown dtype %q", fields.DType)
	}
	if fields.Shape == nil {
		return Info{}, errors.New("no shape")
	}
	if fields.Offsets == nil || len(*fields.Offsets) != 2 {
		return Info{}, errors.New("data_offsets is not a pair")
	}
	info := Info{Name: name, DType: fields.DType, Shape: []int{}, begin: (*fields.Offsets)[0], end: (*fields.Offsets)[1]}
	bytes := width
	for _, n := range fields.Shape {
		if n < 0 || n > 0 && bytes > math.MaxInt64/n {
			return Info{}, fmt.Errorf("impossible shape %v", fields.Shape)
		}
		bytes *= n
		info.Shape = append(info.Shape, int(n))
	}
	if info.begin < 0 || info.end < info.begin || info.end-info.begin != bytes {
		return Info{}, fmt.Errorf("bytes %d to %d for %s%v, which takes %d", info.begin, info.end, info.DType, info.Shape, bytes)
	}
	return info, nil
}
