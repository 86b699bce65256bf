package data

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"infbench/bench/catalog"
	"infbench/bench/sheet"
	"infbench/datasets"
	"infbench/datasets/format"
)

// isCorpus tells a training corpus from a benchmark: by its name, or as a file.
func isCorpus(name string) bool {
	info, err := os.Stat(name)
	file := err == nil && !info.IsDir() && format.IsTable(name)
	return file || slices.Contains(catalog.Corpora(), name)
}

// corpusStats prints the counts of a training corpus as the paper's Table 1 has them.
func corpusStats(w io.Writer, name string, world uint64, format string) error {
	records, err := catalog.OpenTriplets(name, world)
	if err != nil {
		return err
	}
	n, err := datasets.TripletStats(records)
	if err != nil {
		return err
	}
	mean := func(s datasets.WordStatistics) string { return fmt.Sprintf("%.2f", s.Mean) }
	s := sheet.Sheet{
		Title: name, Left: 1,
		Head: []string{"corpus", "records", "#I", "#Q", "#P", "words/I", "words/Q", "words/P"},
		Rows: [][]string{{name, strconv.Itoa(n.Records),
			strconv.Itoa(n.Instructions.Texts), strconv.Itoa(n.Queries.Texts), strconv.Itoa(n.Passages.Texts),
			mean(n.Instructions), mean(n.Queries), mean(n.Passages)}},
		Notes: []string{fmt.Sprintf("every text of a record counts, as in the paper's Table 1; distinct are %d, %d and %d. Words are separated by white space",
			n.Instructions.Distinct, n.Queries.Distinct, n.Passages.Distinct)},
	}
	return sheet.Print(w, format, n, s)
}
