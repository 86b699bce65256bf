package annotate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"infbench/internal/disk"
)

// KeyFormat is the name and version of the key's format.
const KeyFormat = "infbench-annotation-key/1"

// Key maps the numbers of sheets back to questions. Annotators do not get it.
type Key struct {
	Format    string  `json:"format"`
	Source    string  `json:"source"` // base name of the judged.jsonl
	SHA256    string  `json:"sha256"` // hash of the judged.jsonl
	Records   int     `json:"records"`
	Sample    int     `json:"sample"` // the drawn records
	Scenarios string  `json:"scenarios"`
	Seed      uint64  `json:"seed"`
	Items     []Item  `json:"items"`
	Sheets    []Order `json:"sheets"`
	Seal      string  `json:"seal"` // SHA-256 of the encoded key before this field; sheets name it
}

// Order is the sequence in which one annotator sees the items and their candidates.
type Order struct {
	Annotator string  `json:"annotator"`
	Places    []Place `json:"places"`
}

// Place is an item of a sheet. It has the item's index in the key and, by position on the sheet,
// each candidate's position in the key.
type Place struct {
	Item       int   `json:"item"`
	Candidates []int `json:"candidates"`
}

// sealField precedes the seal; in a JSON text its quotes would be escaped.
const sealField = `"seal": "`

// Encode returns the key as a file with its seal, by which a later change of the key is noticed.
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

// ReadKey reads a key and checks its seal.
func ReadKey(file string) (*Key, error) {
	data, err := disk.ReadText(file)
	if err != nil {
		return nil, err
	}
	k := new(Key)
	if err := json.Unmarshal(data, k); err != nil {
		return nil, fmt.Errorf("%s: not the key of a sheet: %w", file, err)
	}
	if err := k.check(data); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return k, nil
}

// check compares the file's bytes with the output of Encode.
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
				return fmt.Errorf("sheet of %s: item %d is not in the key", o.Annotator, i+1)
			}
		}
	}
	return nil
}

// isOrder reports whether places is a permutation of 0 to n-1.
func isOrder(places []int, n int) bool {
	sorted := slices.Sorted(slices.Values(places))
	for i, at := range sorted {
		if at != i {
			return false
		}
	}
	return len(sorted) == n
}

// Code returns the ID of one annotator's sheet; it reveals nothing about the content.
func (k *Key) Code(annotator string) string { return disk.Sum([]byte(k.Seal + "\n" + annotator))[:16] }

// Annotators lists the names of the annotators, one sheet each.
func (k *Key) Annotators() []string {
	var out []string
	for _, o := range k.Sheets {
		out = append(out, o.Annotator)
	}
	return out
}
