package results

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"infbench/datasets/format"
	"infbench/internal/disk"
	"infbench/internal/memory"
)

// Reader reads the folder of a trial.
type Reader struct{ at Folder }

// Reader returns a reader of the folder.
func (f Folder) Reader() Reader { return Reader{f} }

// State finds whether a trial is done, failed (with its error), stopped or waiting, without
// reading its results.
func (r Reader) State(t *Trial) error {
	marked, err := r.at.Marker().Exists()
	if err != nil {
		return fmt.Errorf("look for the completion marker: %w", err)
	}
	if !marked {
		return r.unfinished(t)
	}
	t.State = Done
	return nil
}

// Trial reads a trial folder: results, curve and provenance of a complete one, the error of a
// failed one. It reads Config unless the caller has set it. It checks every file against the
// completion marker: a damaged file gives ErrDamaged, never a wrong number.
func (r Reader) Trial(t *Trial) error {
	if err := r.State(t); err != nil || t.State != Done {
		return err
	}
	want, err := r.at.Marker().readAll()
	if err != nil {
		return err
	}
	t.Marker, t.Weights = want.sum, want.weights()
	read := func(name string, into func(path string, data []byte) error) error {
		path := r.at.path(name)
		data, err := disk.ReadFile(path)
		if gone(err) {
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		if err != nil {
			return err
		}
		if disk.Sum(data) != want.Files[name] {
			if err := into(path, data); err != nil { // a syntax error has a place
				return fmt.Errorf("%w: %w", ErrDamaged, err)
			}
			return fmt.Errorf("%w: %s was changed", ErrDamaged, path)
		}
		return into(path, data)
	}
	if t.Config == nil {
		if err := read(SettingsFile, decodeJSON(&t.Config)); err != nil {
			return err
		}
	}
	if err := read(ScoresFile, decodeScores(&t.Results)); err != nil {
		return err
	}
	for _, optional := range []struct {
		name string
		into func(path string, data []byte) error
	}{
		{CurveFile, decodeLines(&t.Curve)},
		{ValidationFile, decodeScores(&t.Validation)},
		{EvaluationsFile, decodeLines(&t.Evaluations)},
		{ProbeFile, decodeLines(&t.Probe)},
	} {
		if want.Files[optional.name] == "" {
			continue
		}
		if err := read(optional.name, optional.into); err != nil {
			return err
		}
	}
	return read(ProvenanceFile, decodeJSON(&t.Provenance))
}

// unfinished distinguishes failed and stopped trials from those that wait.
func (r Reader) unfinished(t *Trial) error {
	past, err := r.at.Failures().Read()
	if err != nil {
		return err
	}
	t.State = Waiting
	switch h, err := r.at.Halt().Read(); {
	case err == nil:
		t.State, t.Error = Stopped, h.Words()
		return nil
	case errors.Is(err, ErrDamaged): // it continues from its checkpoint
		t.Error = err.Error()
	}
	if past.Error != "" && !past.Retrying {
		t.State, t.Error = Failed, past.Error
	}
	return nil
}

// Provenance reads only the provenance of a complete trial.
func (r Reader) Provenance() (Provenance, error) {
	var p Provenance
	d, err := r.at.Marker().read()
	if err == nil {
		err = d.check(ProvenanceFile, read)
	}
	if err == nil {
		err = readJSON(r.at.path(ProvenanceFile), &p)
	}
	return p, err
}

// decodeLines decodes one JSON object on each line. It returns *memory.Full if the objects do
// not fit into memory.
func decodeLines[T any](into *[]T) func(path string, data []byte) error {
	return func(path string, data []byte) error {
		out, err := readLines[T](path, format.Gauged(bytes.NewReader(data)))
		*into = out
		return err
	}
}

// longestLine is the length of the longest line that readLines accepts. A line of a curve has a
// hundred bytes; a pair of instructions with all its documents has some hundred thousand.
const longestLine = 16 << 20

// readLines reads one JSON object on each line.
func readLines[T any](path string, r io.Reader) ([]T, error) {
	var out []T
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, longestLine)
	lines.Split(wholeLine)
	at := func(err error) error { return fmt.Errorf("%s:%d: %w", path, len(out)+1, err) }
	for lines.Scan() {
		if err := memory.ForJSON(lines.Bytes()); err != nil {
			return nil, at(err)
		}
		var item T
		err := json.Unmarshal(lines.Bytes(), &item)
		if err != nil {
			return nil, at(err)
		}
		if out, err = memory.Append(out, item); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, at(err)
	}
	return slices.Clip(out), nil
}

// wholeLine splits data into lines that include their ends, as bytes.Lines does.
func wholeLine(data []byte, atEOF bool) (advance int, line []byte, err error) {
	if end := bytes.IndexByte(data, '\n') + 1; end > 0 {
		return end, data[:end], nil
	}
	if !atEOF || len(data) == 0 {
		return 0, nil, nil
	}
	return len(data), data, nil
}

// decodeJSON decodes a file that contains one value.
func decodeJSON(into any) func(path string, data []byte) error {
	return func(path string, data []byte) error {
		if err := memory.ForJSON(data); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := json.Unmarshal(data, into); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	}
}

func readJSON(path string, v any) error {
	data, err := disk.ReadFile(path)
	if err != nil {
		return err
	}
	return decodeJSON(v)(path, data)
}
