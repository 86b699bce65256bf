package reports

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"infbench/reports/scores"
	"infbench/runners/results"
)

// DataLeft describes a slot whose values do not fit on a page.
type DataLeft struct {
	Slot   int    `json:"s"`
	Values int    `json:"n"`      // number of values
	SHA256 string `json:"sha256"` // hash of the values, as in Digest
}

// Digest returns the SHA-256 of all values, in hexadecimal, or "" if there are none. It
// depends on the values, their queries and slots, and the IDs and settings of their
// trials. It does not depend on the order of any of them or on the layout.
func (d *Data) Digest() string {
	bySlot := make([][]trialValues, len(d.Slots))
	for i := range d.Trials {
		t := &d.Trials[i]
		for _, v := range t.Values {
			bySlot[v.Slot] = append(bySlot[v.Slot], trialValues{trialHead(t.ID, t.Config), d.Queries[v.Queries], v.Values})
		}
	}
	sums := make([]string, len(d.Slots))
	for i, of := range bySlot {
		if len(of) > 0 {
			sums[i] = slotDigest(of)
		}
	}
	for _, left := range d.Left {
		sums[left.Slot] = left.SHA256
	}
	var lines []string
	for i, s := range d.Slots {
		if sums[i] != "" {
			lines = append(lines, fmt.Sprintf("%q %q %q %q %s\n", s.Benchmark, s.Task, s.Side, s.Measure, sums[i]))
		}
	}
	if len(lines) == 0 {
		return ""
	}
	slices.Sort(lines)
	sum := sha256.New()
	for _, line := range lines {
		io.WriteString(sum, line)
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// DigestOf returns the digest that a page of experiments shows; "" if they have no values.
func DigestOf(exps []*results.Experiment) (string, error) {
	v, err := scores.New(exps)
	if err != nil {
		return "", err
	}
	d := &Data{}
	for i, s := range v.Slots {
		d.Slots = append(d.Slots, DataSlot(s))
		if left := leaveOut(v, i); left.Values > 0 {
			d.Left = append(d.Left, left)
		}
	}
	return d.Digest(), nil
}

// trialValues holds the values of a trial on a slot, in the order of the query IDs.
type trialValues struct {
	head    string
	queries []string
	values  []float64
}

// trialHead identifies a trial and its settings.
func trialHead(id string, config map[string]string) string {
	text, _ := json.Marshal(config) // strings only
	return fmt.Sprintf("%q %s\n", id, text)
}

// slotDigest returns the SHA-256 of the values of a slot.
func slotDigest(of []trialValues) string {
	slices.SortStableFunc(of, func(a, b trialValues) int { return cmp.Compare(a.head, b.head) })
	sum := sha256.New()
	var line []byte
	for _, t := range of {
		io.WriteString(sum, t.head)
		for i, q := range t.queries {
			bits := math.Float64bits(t.values[i])
			if math.IsNaN(t.values[i]) {
				bits = math.Float64bits(math.NaN()) // one form of the many NaNs
			}
			line = binary.LittleEndian.AppendUint64(append(append(line[:0], q...), 0), bits)
			sum.Write(line)
		}
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// leaveOut describes the values of a slot that the page does not carry.
func leaveOut(v *scores.Set, slot int) DataLeft {
	left := DataLeft{Slot: slot}
	var of []trialValues
	for _, t := range v.Trials {
		if have, ok := t.Scores[v.Slots[slot]]; ok {
			left.Values += len(have.Values)
			of = append(of, trialValues{trialHead(t.ID, t.Config), have.Queries, have.Values})
		}
	}
	left.SHA256 = slotDigest(of)
	return left
}
