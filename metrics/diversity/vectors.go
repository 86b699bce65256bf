package diversity

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"regexp"
	"strconv"

	"infbench/internal/disk"
)

// npyMagic starts every file of numpy's .npy format.
const npyMagic = "\x93NUMPY"

// maxDimensions limits the allocation for a row that a .npy header can ask for.
const maxDimensions = 1 << 20

// Vector is one row of an embeddings file.
type Vector struct {
	Values []float64
	Where  string // "file:line", or "file: row 3", counted from 1
}

// Vectors streams the embeddings of r, one per row. The format is detected from the first
// bytes: numpy's .npy (2-D, C order, float32 or float64, little-endian), else JSON Lines with
// one array of numbers per line, blank lines ignored. A vector is valid until the next one.
// An error names the row and the file, called path, and ends the stream.
func Vectors(r io.Reader, path string) iter.Seq2[Vector, error] {
	return func(yield func(Vector, error) bool) {
		in := bufio.NewReaderSize(r, 1<<16)
		magic, err := in.Peek(len(npyMagic))
		if err != nil && !errors.Is(err, io.EOF) {
			yield(Vector{}, fmt.Errorf("read %s: %w", path, err))
			return
		}
		read := jsonVectors
		if string(magic) == npyMagic {
			read = npyVectors
		}
		if err := read(in, path, yield); err != nil {
			yield(Vector{}, err)
		}
	}
}

// jsonVectors yields the arrays of a JSON Lines stream. It returns nil if yield stopped it.
func jsonVectors(in *bufio.Reader, path string, yield func(Vector, error) bool) error {
	if err := disk.SkipTextStart(in); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for line := 1; ; line++ {
		text, err := in.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read %s: %w", path, err)
		}
		if text := bytes.TrimSpace(text); len(text) > 0 {
			v := Vector{Where: fmt.Sprintf("%s:%d", path, line)}
			if err := json.Unmarshal(text, &v.Values); err != nil {
				return fmt.Errorf("%s: want an array of numbers: %w", v.Where, err)
			}
			if bytes.Contains(text, []byte("null")) { // Unmarshal reads null as 0
				return fmt.Errorf("%s: want an array of numbers, found null", v.Where)
			}
			if !yield(v, nil) {
				return nil
			}
		}
		if err != nil {
			return nil
		}
	}
}

// npyHeader finds the three fields of a .npy header, a Python dictionary.
var npyHeader = regexp.MustCompile(`'descr':\s*'([^']*)'.*'fortran_order':\s*(True|False).*'shape':\s*\((\d+),\s*(\d+),?\)`)

// npyVectors yields the rows of a .npy stream. It returns nil if yield stopped it.
func npyVectors(in *bufio.Reader, path string, yield func(Vector, error) bool) error {
	rows, dimensions, size, err := readNpyHeader(in)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	raw, v := make([]byte, dimensions*size), Vector{Values: make([]float64, dimensions)}
	for row := range rows {
		if _, err := io.ReadFull(in, raw); err != nil {
			return fmt.Errorf("%s: row %d of %d: %w", path, row+1, rows, err)
		}
		v.Where = fmt.Sprintf("%s: row %d", path, row+1)
		for i := range v.Values {
			if size == 4 {
				v.Values[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:])))
			} else {
				v.Values[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
			}
		}
		if !yield(v, nil) {
			return nil
		}
	}
	if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: more data than %d rows of %d", path, rows, dimensions)
	}
	return nil
}

// readNpyHeader reads the header and returns the shape and the size of a value in bytes.
func readNpyHeader(in io.Reader) (rows, dimensions, size int, err error) {
	start := make([]byte, len(npyMagic)+2) // magic, major, minor version
	if _, err := io.ReadFull(in, start); err != nil {
		return 0, 0, 0, fmt.Errorf("npy header: %w", err)
	}
	length := make([]byte, 2) // version 1; later ones have 4 bytes
	if start[len(npyMagic)] > 1 {
		length = make([]byte, 4)
	}
	if _, err := io.ReadFull(in, length); err != nil {
		return 0, 0, 0, fmt.Errorf("npy header: %w", err)
	}
	n := binary.LittleEndian.Uint32(append(length, 0, 0)[:4])
	if n > 1<<16 {
		return 0, 0, 0, fmt.Errorf("npy header of %d bytes", n)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(in, text); err != nil {
		return 0, 0, 0, fmt.Errorf("npy header: %w", err)
	}
	m := npyHeader.FindSubmatch(text)
	if m == nil {
		return 0, 0, 0, fmt.Errorf("npy header %q: want a 2-D array", bytes.TrimSpace(text))
	}
	sizes := map[string]int{"<f4": 4, "<f8": 8}
	if size = sizes[string(m[1])]; size == 0 || string(m[2]) != "False" {
		return 0, 0, 0, fmt.Errorf("npy array of type %s, Fortran order %s: want '<f4' or '<f8' in C order", m[1], m[2])
	}
	rows, errRows := strconv.Atoi(string(m[3]))
	dimensions, errDimensions := strconv.Atoi(string(m[4]))
	if errRows != nil || errDimensions != nil || dimensions > maxDimensions {
		return 0, 0, 0, fmt.Errorf("npy array of shape (%s, %s) is too large", m[3], m[4])
	}
	return rows, dimensions, size, nil
}
