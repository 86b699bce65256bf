package data

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"infbench/bench/output"
	"infbench/datasets"
	"infbench/datasets/mixture"
	"infbench/internal/disk"
	"infbench/internal/nearest"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/runners/catalog"
	"infbench/runners/spec"
)

// isTraining reports whether a name means training data rather than a collection. A folder may
// be either: it counts as a collection if it opens as one, which is then returned as opened.
func isTraining(name string, world uint64) (training bool, opened *datasets.Benchmark) {
	if slices.Contains(datasets.Names(), name) {
		return false, nil
	}
	if _, err := catalog.CheckData(name); err != nil {
		return false, nil
	}
	if catalog.IsCorpus(name) || strings.Contains(name, " + ") {
		return true, nil
	}
	if info, err := disk.Stat(name); err == nil && !info.IsDir() {
		return true, nil
	}
	opened, err := catalog.LoadBenchmark(name, world)
	return err != nil && !errors.Is(err, datasets.ErrJudgedAbsent), opened
}

// unknownData is the error for a name that is neither a benchmark nor training data.
func unknownData(name string, err error) error {
	unknown := new(nearest.UnknownError)
	if _, fault := catalog.CheckData(name); fault != nil && (!errors.As(fault, &unknown) || unknown.Name != name) {
		return usage.Error{Err: fault} // an error about a mixture or a path
	}
	return catalog.WithCorpora(err)
}

// openStats opens the data to count. Data that are counted completely are read only once.
func openStats(cell *spec.Cell) ([]catalog.Corpus, error) {
	if cell.IsAblated() {
		return catalog.OpenLeft(cell)
	}
	return catalog.OpenCell(cell)
}

// writeTrainingStats counts every source of a cell's training mixture like the paper's Table 1,
// and saves the counts if there is a name.
func writeTrainingStats(w io.Writer, cell *spec.Cell, format, keep string) error {
	corpora, err := openStats(cell)
	if err != nil {
		return err
	}
	counts, sum := map[string]*mixture.Statistics{}, sha256.New()
	for _, c := range corpora {
		if counts[c.Name], err = mixture.Stats(hashing(c.All, sum)); err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	if keep != "" {
		if err := keepCounts(keep, corpora, counts, sum); err != nil {
			return err
		}
	}
	var all any = counts
	if len(corpora) == 1 {
		all = counts[corpora[0].Name]
	}
	return output.Print(w, format, all, trainingSheet(cell.Data, corpora, counts))
}

func trainingSheet(name string, corpora []catalog.Corpus, counts map[string]*mixture.Statistics) output.Sheet {
	s := output.Sheet{Title: name, Left: 1, Head: []string{"corpus", "records", "#I", "#Q", "#P", "words/I", "words/Q", "words/P"}}
	mean := func(s mixture.WordStatistics) string { return fmt.Sprintf("%.2f", s.Mean) }
	for _, c := range corpora {
		n := counts[c.Name]
		s.Rows = append(s.Rows, []string{c.Name, strconv.Itoa(n.Records),
			strconv.Itoa(n.Instructions.Texts), strconv.Itoa(n.Queries.Texts), strconv.Itoa(n.Passages.Texts),
			mean(n.Instructions), mean(n.Queries), mean(n.Passages)})
		s.Notes = append(s.Notes, fmt.Sprintf("%s: every text of a record counts, as in the paper's Table 1; distinct are %d, %d and %d. Words are separated by white space",
			c.Name, n.Instructions.Distinct, n.Queries.Distinct, n.Passages.Distinct))
		if note := c.Note(); note != "" {
			s.Notes = append(s.Notes, note)
		}
	}
	return s
}

// showTraining describes training data that is not in a registry. It opens the data but reads
// no records.
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
