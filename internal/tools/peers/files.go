package main

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"
)

// writeFile creates a file and lets write fill it.
func writeFile(path string, write func(w *bufio.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	err = cmp.Or(write(w), w.Flush())
	return cmp.Or(err, f.Close())
}

// writeFloats writes values as little-endian float32 without a header, as numpy.fromfile
// reads them.
func writeFloats(path string, values []float32) error {
	return writeFile(path, func(w *bufio.Writer) error { return binary.Write(w, binary.LittleEndian, values) })
}

// readFloats fills values from a file that writeFloats wrote.
func readFloats(r io.Reader, values []float32) error {
	if len(values) == 0 {
		return nil
	}
	_, err := io.ReadFull(r, unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), 4*len(values)))
	return err
}

// floatsOf reads all values of a file.
func floatsOf(path string) ([]float32, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	values := make([]float32, info.Size()/4)
	return values, readFloats(f, values)
}

// writeLines writes texts without line breaks, one on each line.
func writeLines(path string, texts []string) error {
	return writeFile(path, func(w *bufio.Writer) error {
		for _, text := range texts {
			if _, err := w.WriteString(text + "\n"); err != nil {
				return err
			}
		}
		return nil
	})
}

func readLines(path string) ([]string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n"), nil
}

// missing returns a message that lists the missing files of the reference data; "" if there
// are none.
func (s *settings) missing(files []string) string {
	for _, name := range files {
		if _, err := os.Stat(filepath.Join(s.shared, name)); err != nil {
			return fmt.Sprintf("reference data absent: %s", name)
		}
	}
	return ""
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
