package curate

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path/filepath"

	"infbench/internal/disk"
	"infbench/internal/nearest"
)

// Stage is a step of the pipeline; its file has its name.
type Stage string

// The stages. The last one writes questions, the others records.
const (
	Seeds        Stage = "seeds"
	Instructions Stage = "instructions"
	Poisoned     Stage = "poisoned"
	Passages     Stage = "passages"
	Filtered     Stage = "filtered"
	Judged       Stage = "judged"
)

// Stages lists them in order.
func Stages() []Stage { return []Stage{Seeds, Instructions, Poisoned, Passages, Filtered, Judged} }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Stage) UnmarshalText(text []byte) error {
	*s = Stage(text)
	return nearest.OneOf("stage", *s, Stages()...)
}

// File returns the name of a stage's file in a corpus's folder.
func (s Stage) File() string { return string(s) + ".jsonl" }

// partial returns the name of an unfinished stage's file.
func (s Stage) partial() string { return string(s) + ".part.jsonl" }

// writeLines writes values as JSON lines.
func writeLines[T any](path string, values []T) error {
	return disk.Write(path, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		for i := range values {
			if err := enc.Encode(&values[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// readLines reads JSON lines.
func readLines[T any](path string) ([]T, error) {
	var all []T
	for v, err := range lines[T](path, "") {
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// lines streams JSON lines. A line that is not valid JSON ends the stream with an error and its
// position. If the file cannot be read, the error begins with the text in failed.
func lines[T any](path, failed string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		f, err := disk.Open(path)
		if err != nil {
			yield(none, fmt.Errorf("%s%w", failed, err))
			return
		}
		defer f.Close() // read only: nothing can be lost
		in := bufio.NewReaderSize(f, 1<<16)
		for n := 1; ; n++ {
			line, end := in.ReadBytes('\n')
			if end != nil && end != io.EOF {
				yield(none, fmt.Errorf("%s%s: %w", failed, path, end))
				return
			}
			if len(line) > 0 {
				var v T
				if err := json.Unmarshal(line, &v); err != nil {
					yield(none, fmt.Errorf("%s:%d: %w", path, n, err))
					return
				}
				if !yield(v, nil) {
					return
				}
			}
			if end == io.EOF {
				return
			}
		}
	}
}

// ReadStage reads the records of a stage; nil if it is not finished.
func ReadStage(dir string, s Stage) ([]Record, error) {
	all, err := readLines[Record](filepath.Join(dir, s.File()))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return all, err
}

// standing returns the records that were not dropped.
func standing(records []Record) []Record {
	var on []Record
	for _, r := range records {
		if r.Fell == "" {
			on = append(on, r)
		}
	}
	return on
}
