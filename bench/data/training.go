package data

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"infbench/bench/catalog"
	"infbench/bench/sheet"
	"infbench/bench/usage"
	"infbench/datasets"
	"infbench/metrics/nearest"
	"infbench/reports/words"
)

// trainingStats counts a source of training data as the paper's Table 1 does: the
// poisoned texts with the others, lengths in words.
type trainingStats struct {
	Source       string  `json:"source"`
	Records      int     `json:"records"`
	Rows         int     `json:"rows"`
	Instructions counted `json:"instructions"`
	Queries      counted `json:"queries"`
	Passages     counted `json:"passages"`
	Negatives    counted `json:"negatives"`
}

// counted is a number of texts with their mean length.
type counted struct {
	Number int     `json:"number"`
	Words  float64 `json:"mean_words"` // 0 where there are none
}

// isTraining says whether a name is of training data rather than of a collection:
// folders may be either and count as collections where they open as one.
func isTraining(name string, world uint64) bool {
	if slices.Contains(datasets.Names(), name) {
		return false
	}
	if _, err := catalog.CheckData(name); err != nil {
		return false
	}
	if slices.Contains(catalog.Corpora(), name) || strings.Contains(name, " + ") {
		return true
	}
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		return true
	}
	_, err := catalog.LoadBenchmark(name, world)
	return err != nil
}

// unknownData is the error of a name that is neither a benchmark nor training data.
func unknownData(name string, err error) error {
	unknown := new(nearest.UnknownError)
	if _, fault := catalog.CheckData(name); fault != nil && (!errors.As(fault, &unknown) || unknown.Name != name) {
		return usage.Error{Err: fault} // of a mixture or a path
	}
	if errors.As(err, &unknown) {
		return nearest.Unknown("benchmark or training data", name, append(datasets.Names(), catalog.Corpora()...))
	}
	return err
}

// writeTrainingStats counts every source of a mixture.
func writeTrainingStats(w io.Writer, name string, world uint64, format string) error {
	corpora, err := catalog.OpenData(name, world)
	if err != nil {
		return err
	}
	var all []trainingStats
	for _, c := range corpora {
		n, err := countCorpus(c)
		if err != nil {
			return err
		}
		all = append(all, n)
	}
	switch s := trainingSheet(name, corpora, all); format {
	case "json":
		enc := json.NewEncoder(w)
		enc.SetIndent("", "    ")
		return enc.Encode(all)
	case "csv":
		return s.WriteCSV(w)
	default:
		return s.WriteTable(w)
	}
}

func trainingSheet(name string, corpora []catalog.Corpus, all []trainingStats) sheet.Sheet {
	s := sheet.Sheet{Title: name, Left: 1, Head: []string{
		"source", "records", "rows", "instructions", "queries", "passages", "negatives", "instruction words", "query words", "passage words"}}
	for i, n := range all {
		s.Rows = append(s.Rows, []string{n.Source, strconv.Itoa(n.Records), strconv.Itoa(n.Rows),
			strconv.Itoa(n.Instructions.Number), strconv.Itoa(n.Queries.Number), strconv.Itoa(n.Passages.Number), strconv.Itoa(n.Negatives.Number),
			n.Instructions.mean(), n.Queries.mean(), n.Passages.mean()})
		if note := corpora[i].Note(); note != "" {
			s.Notes = append(s.Notes, note)
		}
	}
	return s
}

func (c counted) mean() string {
	if c.Number == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", c.Words)
}

// countCorpus reads a source.
func countCorpus(c catalog.Corpus) (trainingStats, error) {
	n := trainingStats{Source: c.Name}
	for r, err := range c.All {
		if err != nil {
			return n, fmt.Errorf("%s: %w", c.Name, err)
		}
		n.Records++
		n.Rows += len(r.Rows)
		n.Instructions.add(r.Instructions())
		n.Queries.add(r.Queries())
		n.Passages.add(r.Passages())
		n.Negatives.add(r.Negatives())
	}
	for _, count := range []*counted{&n.Instructions, &n.Queries, &n.Passages, &n.Negatives} {
		count.Words /= float64(max(1, count.Number))
	}
	return n, nil
}

// add counts texts; Words is their sum until all are there.
func (c *counted) add(texts []string) {
	c.Number += len(texts)
	for _, text := range texts {
		c.Words += float64(len(strings.Fields(text)))
	}
}

// showTraining describes training data that no registry describes, opening it but
// reading none of it.
func showTraining(w io.Writer, name string) error {
	corpora, err := catalog.OpenData(name, 1)
	if err != nil {
		return err
	}
	for _, c := range corpora {
		fmt.Fprintf(w, "%s: training data, %s a record\n", words.Clean(c.Name), words.Plural(c.Shape.Rows(), "row", "rows"))
		if note := c.Note(); note != "" {
			fmt.Fprintf(w, "  %s\n", words.Clean(note))
		}
	}
	return nil
}
