package spec

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"reflect"

	"infbench/internal/disk"
	"infbench/internal/parallel"
	"infbench/internal/strict"
)

// Write stores the plan as JSON at path.
func (p *Plan) Write(path string) error { return p.WriteTo(disk.OS{}, path) }

// WriteTo is Write on a given file system.
func (p *Plan) WriteTo(fsys disk.FS, path string) error {
	return disk.WriteTo(fsys, path, p.Encode)
}

// Encode writes the plan as sealed JSON. Equal plans give equal bytes.
func (p *Plan) Encode(w io.Writer) error {
	data, err := disk.EncodeSealed(plain(reflect.ValueOf(p).Elem()))
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// ReadPlan reads a plan that Write stored. It refuses a plan that was edited or damaged, and
// one that another build made with other keys or trial IDs (disk.FormatError).
func ReadPlan(path string) (*Plan, error) {
	data, err := disk.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read plan: %w", err)
	}
	p, err := parsePlan(data)
	if err != nil {
		return nil, fmt.Errorf("plan %s: %w", path, err)
	}
	return p, nil
}

// parsePlan checks the seal and the format of a plan before it decodes the trials.
func parsePlan(data []byte) (*Plan, error) {
	rest, holds := disk.SplitSealed(data)
	var top map[string]json.RawMessage
	if err := json.Unmarshal(rest, &top); err != nil {
		return nil, fmt.Errorf("not a plan file: %w", err)
	}
	if !holds {
		return nil, fmt.Errorf("%w; plan again", disk.ErrChanged)
	}
	if err := disk.CheckFormat("", string(top["format"]), fmt.Sprint(planFormat)); err != nil {
		return nil, err
	}
	p, err := decodePlan(top)
	if err != nil { // although nobody changed the file
		err = disk.CheckFormat("", fmt.Sprintf("%d of another build (%v)", planFormat, err), fmt.Sprint(planFormat))
	}
	return p, err
}

// decodePlan decodes a plan as strictly as an experiment. It decodes trials concurrently,
// because there can be ten thousand.
func decodePlan(top map[string]json.RawMessage) (*Plan, error) {
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
	parallel.Each(len(trials), func(i int) {
		t := &p.Trials[i]
		if err := strict.JSON(trials[i], t); err != nil {
			faults[i] = fmt.Errorf("trial %d: %w", i+1, err)
		} else if id := t.Hash(); id != t.ID {
			faults[i] = fmt.Errorf("trial %s hashes to %s", t.ID, id)
		}
	})
	p.share()
	return &p, cmp.Or(faults...)
}
