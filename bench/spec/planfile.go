package spec

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"

	"infbench/datasets/atomicfile"
	"infbench/datasets/format/strict"
)

// Write stores the plan as JSON at path.
func (p *Plan) Write(path string) error { return p.WriteTo(atomicfile.OS{}, path) }

// WriteTo is Write on a given file system.
func (p *Plan) WriteTo(fsys atomicfile.FS, path string) error {
	return atomicfile.WriteTo(fsys, path, p.Encode)
}

// sumLine is the second line of a plan file: the SHA-256 of all that follows it.
const sumLine = "{\n  \"sum\": \"%x\",\n"

// Encode writes the plan as JSON, equal plans to equal bytes.
func (p *Plan) Encode(w io.Writer) error {
	data, err := json.MarshalIndent(plain(reflect.ValueOf(p).Elem()), "", "  ")
	if err != nil {
		return err
	}
	rest := append(bytes.TrimPrefix(data, []byte("{\n")), '\n')
	if _, err := fmt.Fprintf(w, sumLine, sha256.Sum256(rest)); err != nil {
		return err
	}
	_, err = w.Write(rest)
	return err
}

// splitSum takes the sum out of a plan file and says whether it is right. Older
// plans have none.
func splitSum(data []byte) (plan []byte, right bool) {
	length := len(fmt.Sprintf(sumLine, [sha256.Size]byte{}))
	if len(data) < length || !bytes.HasPrefix(data, []byte(sumLine[:len("{\n  \"sum\": ")])) {
		return data, true
	}
	head, rest := data[:length], data[length:]
	return append([]byte("{\n"), rest...), string(head) == fmt.Sprintf(sumLine, sha256.Sum256(rest))
}

// ReadPlan reads a plan that Write stored and refuses one whose trials do not
// hash to their IDs: it was edited or damaged.
func ReadPlan(path string) (*Plan, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read plan: %w", err)
	}
	data, right := splitSum(data)
	p, err := decodePlan(data)
	if err != nil {
		return nil, fmt.Errorf("read plan %s: %w", path, err)
	}
	if p.Format != planFormat {
		return nil, fmt.Errorf("plan %s: format %d, this infbench reads format %d; plan again", path, p.Format, planFormat)
	}
	hashes := make([]string, len(p.Trials))
	each(len(hashes), func(i int) { hashes[i] = p.Trials[i].hash() })
	for i, got := range hashes {
		if got != p.Trials[i].ID {
			return nil, fmt.Errorf("plan %s: trial %s hashes to %s: the file was changed, or made by another version; plan again", path, p.Trials[i].ID, got)
		}
	}
	if !right {
		return nil, fmt.Errorf("plan %s: the file was changed; plan again", path)
	}
	return p, nil
}

// decodePlan decodes a plan as strictly as an experiment, its trials several at a
// time: there can be ten thousand.
func decodePlan(data []byte) (*Plan, error) {
	var top map[string]json.RawMessage
	if err := json.Unmarshal(data, &top); err != nil {
		return nil, fmt.Errorf("not a plan file: %w", err)
	}
	var trials []json.RawMessage
	if err := json.Unmarshal(top["trials"], &trials); err != nil {
		return nil, fmt.Errorf("trials: %w", err)
	}
	delete(top, "trials")
	head, err := json.Marshal(top)
	if err != nil {
		return nil, err
	}
	var p Plan
	if err := strict.JSON(head, &p); err != nil {
		return nil, err
	}
	p.Trials = make([]Trial, len(trials))
	faults := make([]error, len(trials))
	each(len(trials), func(i int) {
		if err := strict.JSON(trials[i], &p.Trials[i]); err != nil {
			faults[i] = fmt.Errorf("trial %d: %w", i+1, err)
		}
	})
	return &p, errors.Join(faults...)
}
