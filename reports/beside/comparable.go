package beside

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/reports/published"
)

// Numbers measured on other revisions of the data, or with other documents left out, are
// in the same column but are not compared.

// rowValues holds the numbers of a board by row and column.
type rowValues map[publishedRow]map[publishedColumn]*published.Cell

// dataOf identifies the data of a number; unknown data equals only unknown data.
func dataOf(c *published.Cell) string { return c.Data + "\x00" + c.Conventions.Excluded }

// usual returns the data of most numbers of each column; among equals, the first in text
// order.
func (values rowValues) usual() map[publishedColumn]string {
	counts := map[publishedColumn]map[string]int{}
	for _, row := range values {
		for col, cell := range row {
			if counts[col] == nil {
				counts[col] = map[string]int{}
			}
			counts[col][dataOf(cell)]++
		}
	}
	out := map[publishedColumn]string{}
	for col, of := range counts {
		out[col] = byCount(of)[0]
	}
	return out
}

// byCount returns the keys, the most frequent first.
func byCount(counts map[string]int) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}

// class returns the data of a row if they are not the usual ones. The best of a column is
// chosen among rows of one class.
func class(row map[publishedColumn]*published.Cell, usual map[publishedColumn]string) string {
	var other []string
	for col, cell := range row {
		if dataOf(cell) != usual[col] {
			other = words.AddNew(other, dataOf(cell))
		}
	}
	slices.Sort(other)
	return strings.Join(other, "\x01")
}

// classes assigns letters to the data of rows: "A" to the usual data of each column,
// further letters to others, those of more rows first. It returns nil if all rows use the
// usual data.
func (values rowValues) classes(usual map[publishedColumn]string) (letters map[string]string, notes []string) {
	counts := map[string]int{}
	for _, row := range values {
		counts[class(row, usual)]++
	}
	others := slices.DeleteFunc(byCount(counts), func(key string) bool { return key == "" })
	if len(others) == 0 {
		return nil, nil
	}
	letters = map[string]string{"": letter(0)}
	notes = []string{fmt.Sprintf("Data %s: the data of most rows of each column. Rows with different data are not comparable. Bold marks the best among rows with the same data.", letter(0))}
	for i, key := range others {
		letters[key] = letter(i + 1)
		notes = append(notes, fmt.Sprintf("Data %s, %s: %s.", letter(i+1), words.Plural(counts[key], "row", "rows"), described(key)))
	}
	return letters, notes
}

// manyData is the number of revisions from which they are counted, not listed.
const manyData = 7

// described describes the data of the rows of a class.
func (values rowValues) described(on string, usual map[publishedColumn]string) string {
	var keys []string
	for _, row := range values {
		if class(row, usual) != on {
			continue
		}
		for _, cell := range row {
			keys = words.AddNew(keys, dataOf(cell))
		}
	}
	if len(keys) >= manyData {
		return fmt.Sprintf("%d revisions of the data", len(keys))
	}
	slices.Sort(keys)
	if len(keys) == 1 {
		return "revision " + described(keys[0])
	}
	return "revisions " + described(strings.Join(keys, "\x01"))
}

// letter returns the letter of the i-th class of data.
func letter(i int) string {
	if i > 25 {
		return fmt.Sprint(i + 1)
	}
	return string(rune('A' + i))
}
