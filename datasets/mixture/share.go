package mixture

import (
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Share selects part of the training data: up to 1 a share of its records, above 1 a number of
// them. 0 means all.
type Share float64

// Check rejects a value that is neither a share nor an integer.
func (s Share) Check() error {
	if x := float64(s); !(x >= 0) || math.IsInf(x, 0) || x > 1 && x != math.Trunc(x) {
		return fmt.Errorf("share %v: want a share of the records, above 0 and up to 1, or a whole number of them", x)
	}
	return nil
}

// Count returns the number of records that the share takes of n: rounded to the nearest integer, at
// least one.
func (s Share) Count(n int) (int, error) {
	switch {
	case s == 0 || s == 1:
		return n, nil
	case s < 1:
		return max(1, int(math.Round(float64(s)*float64(n)))), nil
	case float64(s) > float64(n):
		return 0, fmt.Errorf("share %v: there are %d records", float64(s), n)
	}
	return int(s), nil
}

// Draw chooses records by their IDs: those with the lowest SHA-256 of seed and ID, the earlier
// first among equals. With the same seed a larger share contains a smaller one. The draw does not
// depend on the order of the records, and for equal numbers not on the other records.
func (s Share) Draw(ids []string, seed int64) (taken []bool, err error) {
	n, err := s.Count(len(ids))
	if err != nil {
		return nil, err
	}
	if n == len(ids) {
		return slices.Repeat([]bool{true}, n), nil
	}
	hashes, order := make([]string, len(ids)), make([]int, len(ids))
	for i, id := range ids {
		sum := sha256.Sum256(fmt.Appendf(nil, "infbench share 1\n%d\n%s", seed, id))
		hashes[i], order[i] = string(sum[:]), i
	}
	slices.SortStableFunc(order, func(a, b int) int { return strings.Compare(hashes[a], hashes[b]) })
	taken = make([]bool, len(ids))
	for _, i := range order[:n] {
		taken[i] = true
	}
	return taken, nil
}

// Taken returns the sizes of the sources after Take, given the IDs of their records.
func Taken(sizes []Size, s Share, ids []string, seed int64) ([]Size, error) {
	taken, err := s.Draw(ids, seed)
	if err != nil {
		return nil, err
	}
	out, first := slices.Clone(sizes), 0
	for i, source := range sizes {
		out[i].Records = 0
		for _, kept := range taken[first : first+source.Records] {
			if kept {
				out[i].Records++
			}
		}
		if out[i].Records == 0 && source.Records > 0 {
			return nil, fmt.Errorf("share %v: nothing is left of the %d records of %s", float64(s), source.Records, source.Name)
		}
		first += source.Records
	}
	return out, nil
}

// Take returns a share of the data, drawn over all sources at once by the IDs from All: each source
// keeps about the same part. A source without remaining records is an error.
func (d Data) Take(s Share, seed int64) (Data, error) {
	if s == 0 || s == 1 {
		return d, nil
	}
	var ids []string
	for _, r := range d.All() {
		ids = append(ids, r.ID)
	}
	taken, err := s.Draw(ids, seed)
	if err != nil {
		return nil, err
	}
	rest, err := d.Keep(func(i int) bool { return taken[i] })
	if err != nil {
		return nil, fmt.Errorf("share %v: %w", float64(s), err)
	}
	return rest, nil
}
