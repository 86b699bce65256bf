package annotate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"infbench/internal/disk"
)

// KeyFormat names the shape of a key.
const KeyFormat = "infbench-annotation-key/1"

// Key leads from the numbers of sheets back to questions. Annotators do not get it.
type Key struct {
	Format    string  `json:"format"`
	Source    string  `json:"source"` // base name of the judged.jsonl
	SHA256    string  `json:"sha256"` // of it
	Records   int     `json:"records"`
	Sample    int     `json:"sample"` // of these records
	Scenarios string  `json:"scenarios"`
	Seed      uint64  `json:"seed"`
	Items     []Item  `json:"items"`
	Sheets    []Order `json:"sheets"`
	Seal      string  `json:"seal"` // SHA-256 of all that stands before it; sheets name it
}

// Order is what an annotator sees in which order.
type Order struct {
	Annotator string  `json:"annotator"`
	Places    []Place `json:"places"`
}

// Place is an item of a sheet: its index in the key, and by position on the sheet the
// position of the candidate in the key.
type Place struct {
	Item       int   `json:"item"`
	Candidates []int `json:"candidates"`
}

// sealField stands before the seal; in a JSON text its quotes would be escaped.
const sealField = `"seal": "`

// Encode is the key as a file, sealed: the seal tells a key that was changed after
// sheets were made from one that was not.
func (k *Key) Encode() ([]byte, error) {
	k.Seal = ""
	data, err := json.MarshalIndent(k, "", " ")
	if err != nil {
		return nil, fmt.Errorf("key: %w", err)
	}
	at := bytes.LastIndex(data, []byte(sealField)) + len(sealField)
	k.Seal = disk.Sum(data[:at])
	return append(slices.Insert(data, at, []byte(k.Seal)...), '\n'), nil
}

// ReadKey reads a key and holds it to its seal.
func ReadKey(file string) (*Key, error) {
	data, err := disk.ReadText(file)
	if err != nil {
		return nil, err
	}
	k := new(Key)
	if err := json.Unmarshal(data, k); err != nil {
		return nil, fmt.Errorf("%s: no key of a sheet: %w", file, err)
	}
	if err := k.check(data); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return k, nil
}

// check holds what was read to what Encode writes.
func (k *Key) check(data []byte) error {
	if err := disk.CheckFormat("", k.Format, KeyFormat); err != nil {
		return err
	}
	at := bytes.LastIndex(data, []byte(sealField))
	if at < 0 || k.Seal != disk.Sum(data[:at+len(sealField)]) {
		return errors.New("the key was changed after it was written: its seal does not fit")
	}
	for i := range k.Items {
		if err := k.Items[i].check(); err != nil {
			return err
		}
	}
	for _, o := range k.Sheets {
		for i, p := range o.Places {
			if p.Item < 0 || p.Item >= len(k.Items) || !isOrder(p.Candidates, len(k.Items[p.Item].Candidates)) {
				return fmt.Errorf("sheet of %s: item %d is none of the key's", o.Annotator, i+1)
			}
		}
	}
	return nil
}

// isOrder says whether places are 0 to n-1 in some order.
func isOrder(places []int, n int) bool {
	sorted := slices.Sorted(slices.Values(places))
	for i, at := range sorted {
		if at != i {
			return false
		}
	}
	return len(sorted) == n
}

// Code names the sheet of one annotator; it tells nothing of what stands on it.
func (k *Key) Code(annotator string) string { return disk.Sum([]byte(k.Seal + "\n" + annotator))[:16] }

// Annotators lists those who get a sheet.
func (k *Key) Annotators() []string {
	var out []string
	for _, o := range k.Sheets {
		out = append(out, o.Annotator)
	}
	return out
}
