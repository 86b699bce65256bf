package spec

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"infbench/datasets/atomicfile"
	"infbench/datasets/format/strict"
	"infbench/datasets/sealed"
)

// Write stores the plan as JSON at path.
func (p *Plan) Write(path string) error { return p.WriteTo(atomicfile.OS{}, path) }

// WriteTo is Write on a given file system.
func (p *Plan) WriteTo(fsys atomicfile.FS, path string) error {
	return atomicfile.WriteTo(fsys, path, p.Encode)
}

// Encode writes the plan as sealed JSON, equal plans to equal bytes.
func (p *Plan) Encode(w io.Writer) error {
	data, err := sealed.Encode(plain(reflect.ValueOf(p).Elem()))
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// ErrNewer says that a newer infbench wrote a plan file: it is whole, and not for
// this one to read or to replace.
var ErrNewer = errors.New("a newer infbench wrote it, and only such a one reads it")

// ReadPlan reads a plan that Write stored, in this version or an older one, and
// refuses one whose trials do not hash to their IDs: it was edited or damaged. A
// plan of a newer version is ErrNewer.
func ReadPlan(path string) (*Plan, error) {
	data, err := atomicfile.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read plan: %w", err)
	}
	p, err := parsePlan(data, planFormat)
	if err != nil {
		return nil, fmt.Errorf("plan %s: %w", path, err)
	}
	return p, nil
}

// parsePlan reads a plan of any format from 1 to newest. There is one layout yet;
// the format that changes it turns the older into its own here.
func parsePlan(data []byte, newest int) (*Plan, error) {
	rest, right := sealed.Split(data)
	var top map[string]json.RawMessage
	if err := json.Unmarshal(rest, &top); err != nil {
		return nil, fmt.Errorf("not a plan file: %w", err)
	}
	var format int
	if err := json.Unmarshal(top["format"], &format); err != nil || format < 1 {
		return nil, fmt.Errorf("format %s: want a number from 1 to %d", top["format"], newest)
	}
	if format > newest {
		err := fmt.Errorf("format %d, and this infbench reads formats up to %d: %w", format, newest, ErrNewer)
		if !right {
			err = fmt.Errorf("%w, or the file was changed: its sum is wrong", err)
		}
		return nil, err
	}
	p, err := decodePlan(top, newest)
	switch {
	case errors.As(err, new(strict.Errors)) && right && len(rest) < len(data): // nobody changed it
		return nil, fmt.Errorf("%w: %v", ErrNewer, err)
	case err != nil:
		return nil, err
	case !right:
		return nil, errors.New("the file was changed; plan again")
	}
	return p, nil
}

// decodePlan decodes a plan as strictly as an experiment, its trials several at a
// time: there can be ten thousand.
func decodePlan(top map[string]json.RawMessage, newest int) (*Plan, error) {
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
	faults, changed := make([]error, len(trials)), make([]error, len(trials))
	each(len(trials), func(i int) {
		if err := strict.JSON(trials[i], &p.Trials[i]); err != nil {
			faults[i] = fmt.Errorf("trial %d: %w", i+1, err)
		} else {
			changed[i] = p.Trials[i].checkID(trials[i], p.Format, newest)
		}
	})
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	p.share()
	return &p, cmp.Or(changed...)
}

// checkID holds a trial to its ID by what the file says, whatever keys this version
// has, and notes where this version gives it another.
func (t *Trial) checkID(stored []byte, format, newest int) error {
	if format == newest && t.hash(newest) == t.ID {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(stored))
	dec.UseNumber()
	var said map[string]any
	if err := dec.Decode(&said); err != nil {
		return err
	}
	was := map[string]any{"format": format, "cell": said["cell"], "evaluate": said["evaluate"], "revisions": said["revisions"]}
	if got := hashOf(was); got != t.ID {
		return fmt.Errorf("trial %s hashes to %s: the file was changed; plan again", t.ID, got)
	}
	before, after := map[string]string{}, map[string]string{}
	flatten(was, "", before)
	flatten(plain(reflect.ValueOf(t.identity(newest))), "", after)
	for _, c := range changes(before, after) {
		t.unlike = append(t.unlike, Change{strings.TrimPrefix(c.Key, "cell."), c.Old, c.New, true})
	}
	return nil
}

// CheckRunnable refuses a trial of an older plan to which this version gives
// another ID: its numbers would be no longer what that ID stands for.
func (t *Trial) CheckRunnable() error {
	if len(t.unlike) == 0 {
		return nil
	}
	return fmt.Errorf("trial %s cannot run as it was planned: %s; sweep its experiment file again", t.ID, Reason(t.unlike))
}
