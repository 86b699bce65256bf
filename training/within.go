package training

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"infbench/internal/nearest"
)

// Within selects the rows of a batch that a row is contrasted with: WithinBatch all of them,
// WithinOwn the rows of its own record and its own mined negatives, and "own+N" these and N rows
// of other records. These are drawn for each row without replacement; their passages are
// candidates of the term P and their pairs of IQ. The term I takes the instructions of all these
// rows, each text once, in place of those that Negatives selects. Empty means WithinBatch.
type Within string

// The selections without a number.
const (
	WithinBatch Within = "batch"
	WithinOwn   Within = "own"
)

// Check returns an error for any other text.
func (w Within) Check() error {
	if n, ok := strings.CutPrefix(string(w), "own+"); ok {
		if k, err := strconv.Atoi(n); err != nil || k < 1 || len(n) > 9 || strconv.Itoa(k) != n {
			return fmt.Errorf("candidates %q: want a number of rows of at least 1 after own+, such as own+4", string(w))
		}
		return nil
	}
	return nearest.OneOf("candidates", w, WithinOwn, "own+4", WithinBatch)
}

// narrow reports whether a row is contrasted with some rows of its batch only.
func (w Within) narrow() bool { return w != "" && w != WithinBatch }

// drawn is the number of rows of other records in "own+N".
func (w Within) drawn() int {
	n, _ := strconv.Atoi(strings.TrimPrefix(string(w), "own+"))
	return n
}

// contrasted lists, for each anchor of b, the places in b.Rows of the rows it is contrasted with,
// without itself: those of its record, then the drawn ones.
func (s *sampler) contrasted(b Batch, number int) [][]int {
	rng := s.stream("contrast", number)
	all := make([][]int, len(b.Rows))
	for i := range all {
		var others []int
		for k := range b.Rows {
			switch {
			case b.Records[k] != b.Records[i]:
				others = append(others, k)
			case k != i:
				all[i] = append(all[i], k)
			}
		}
		rng.Shuffle(len(others), func(x, y int) { others[x], others[y] = others[y], others[x] })
		all[i] = append(all[i], others[:min(s.within.drawn(), len(others))]...)
	}
	return all
}

// lent lists the rows of b.Candidates that lend anchor i an instruction, each text once and none
// equal to its own. Rows that only fill the list up do not count.
func (s *sampler) lent(b Batch, i int) (rows []int, counted []bool) {
	seen := []string{s.rows[b.Rows[i]].Instruction}
	for _, k := range b.Candidates[i] {
		text := s.rows[b.Rows[k]].Instruction
		if !slices.Contains(seen, text) {
			seen, rows, counted = append(seen, text), append(rows, b.Rows[k]), append(counted, true)
		}
	}
	for len(rows) < s.candidates()-1 {
		rows, counted = append(rows, b.Rows[i]), append(counted, false)
	}
	return rows[:s.candidates()-1], counted[:s.candidates()-1]
}

// asked lists the rows of b.Candidates that lend anchor i a query, filled up with -1.
func (s *sampler) asked(b Batch, i int) (rows []int) {
	for _, k := range b.Candidates[i] {
		rows = append(rows, b.Rows[k])
	}
	n := s.longest() - 1 + s.within.drawn()
	for len(rows) < n {
		rows = append(rows, -1)
	}
	return rows[:n]
}

// among marks, for each anchor, the rows that it is contrasted with and itself; nil: all rows.
func (b Batch) among() (marks [][]bool) {
	for i, others := range b.Candidates {
		row := make([]bool, len(b.Rows))
		row[i] = true
		for _, k := range others {
			row[k] = true
		}
		marks = append(marks, row)
	}
	return marks
}
