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

// What others measured on other revisions of the data, or with other documents left
// out, stands in one column and is not compared.

// rowValues are the numbers of a board by row and column.
type rowValues map[publishedRow]map[publishedColumn]*published.Cell

// dataOf is what a number was measured on; unknown is equal to unknown only.
func dataOf(c *published.Cell) string { return c.Data + "\x00" + c.Conventions.Excluded }

// usual is what most numbers of each column were measured on, the first by text of
// equally many.
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

// byCount sorts keys, the most frequent first.
func byCount(counts map[string]int) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}

// class names what a row was measured on where that is not the usual: the best of a
// column is sought among rows of one class.
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

// classes names what rows were measured on: "A" for the usual data of each column,
// further letters for others, those of more rows first. There are none where all rows
// are of the usual data.
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
	notes = []string{fmt.Sprintf("Data %s: what most rows of each column were measured on. Rows of different data are not comparable, and bold is the best among rows of the same.", letter(0))}
	for i, key := range others {
		letters[key] = letter(i + 1)
		notes = append(notes, fmt.Sprintf("Data %s, %s: %s.", letter(i+1), words.Plural(counts[key], "row", "rows"), described(key)))
	}
	return letters, notes
}

// letter names what rows were measured on.
func letter(i int) string {
	if i > 25 {
		return fmt.Sprint(i + 1)
	}
	return string(rune('A' + i))
}
