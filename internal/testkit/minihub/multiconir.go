package minihub

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
)

// conditions is the number of conditions of a MultiConIR query.
const conditions = 10

// multiConIR returns the files of MultiConIR, by name; no hub serves them. A document meets
// the conditions that it repeats.
func multiConIR() map[string][]byte {
	files := map[string][]byte{}
	for i, domain := range []string{"Books", "Legal Document", "Medical Case", "Movies", "People"} {
		s := draw(generated("mini-bright", i), i, 4)
		var first, chains [][]string
		for k := range 3 {
			met := conditionsOf(&s, k)
			first, chains = append(first, conditionsRow(met)), append(chains, chainRow(met))
		}
		files["Task1/"+domain+"_Task1.csv"] = commaSeparated(first)
		files["Task2_&_3/"+domain+"_Task2_&_3.csv"] = commaSeparated(chains)
		files["Task4/"+domain+"_512.csv"], files["Task4/"+domain+"_1024.csv"] = commaSeparated(chains), commaSeparated(chains)
	}
	return files
}

// conditionsOf returns the conditions of row k: words from different documents.
func conditionsOf(s *sample, k int) []string {
	var all []string
	for n := range conditions {
		words := strings.Fields(s.docs[(k*conditions+n)%len(s.docs)].Text)
		all = append(all, strings.Join(words[:min(6, len(words))], " "))
	}
	return all
}

// conditionsRow is a row of task 1: a query for each number of conditions, the document that
// meets all of them, and for each query a document that misses its last condition. Cells
// alternate with their names.
func conditionsRow(met []string) []string {
	var row []string
	for n := range met {
		row = append(row, fmt.Sprintf("Query%d", n+1), strings.Join(met[:n+1], ", and "))
	}
	row = append(row, "Positive", strings.Join(met, ".\n"))
	for n := range met {
		without := strings.Join(slices.Concat(met[:n], met[n+1:]), ".\n")
		row = append(row, fmt.Sprintf("HN%d", n+1), without, fmt.Sprintf("HN_%d", n+1), without+" too")
	}
	return row
}

// chainRow is a row of the tasks 2 to 4: documents that meet fewer and fewer conditions.
func chainRow(met []string) []string {
	row := []string{"Query10", strings.Join(met, ", and "), "Natural_Query10", "I look for " + strings.Join(met, " with "), "Positive", strings.Join(met, ".\n")}
	for n := range met {
		row = append(row, fmt.Sprintf("HN%d", n+1), strings.Join(append(slices.Clone(met[:conditions-n-1]), "nothing else"), ".\n"))
	}
	return row
}

// commaSeparated writes rows whose cells alternate with their columns' names.
func commaSeparated(rows [][]string) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	every := func(row []string, from int) (cells []string) {
		for i := from; i < len(row); i += 2 {
			cells = append(cells, row[i])
		}
		return cells
	}
	lines := [][]string{every(rows[0], 0)}
	for _, row := range rows {
		lines = append(lines, every(row, 1))
	}
	if err := w.WriteAll(lines); err != nil {
		panic(fmt.Sprintf("minihub: write CSV: %v", err)) // into memory
	}
	return b.Bytes()
}
