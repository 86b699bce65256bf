package trec

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// WriteRun writes run with queries in byte order, documents in the order of Sort, ranks from
// 1 and scores in the shortest text that reads back to the same float64. An identifier or tag
// that would not read back unchanged, a NaN score and a document that occurs twice are
// errors.
func WriteRun(w io.Writer, run Run, tag string) error {
	if err := writable("run tag", tag); err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 64<<10)
	var seen docSet
	for _, query := range sorted(run) {
		if err := CheckQuery(query); err != nil {
			return err
		}
		ranking := slices.Clone(run[query])
		if d := seen.duplicate(ranking); d >= 0 {
			return fmt.Errorf("write run: document %q comes twice for query %q", ranking[d].Doc, query)
		}
		ranking.Sort()
		if err := writeRanking(out, query, ranking, tag); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write run: %w", err)
	}
	return nil
}

func writeRanking(out *bufio.Writer, query string, ranking Ranking, tag string) error {
	var line []byte
	for i, d := range ranking {
		if err := CheckDocument(d.Doc); err != nil {
			return err
		}
		if math.IsNaN(d.Score) {
			return fmt.Errorf("write run: the score of document %q for query %q is NaN", d.Doc, query)
		}
		line = append(append(line[:0], query...), " Q0 "...)
		line = append(append(line, d.Doc...), ' ')
		line = append(strconv.AppendInt(line, int64(i+1), 10), ' ')
		line = append(strconv.AppendFloat(line, d.Score, 'g', -1, 64), ' ')
		line = append(append(line, tag...), '\n')
		if _, err := out.Write(line); err != nil {
			return fmt.Errorf("write run: %w", err)
		}
	}
	return nil
}

// WriteQrels writes qrels with queries and documents in byte order and 0 for the iteration.
// An identifier that would not read back unchanged is an error.
func WriteQrels(w io.Writer, qrels Qrels) error {
	out := bufio.NewWriterSize(w, 64<<10)
	for _, query := range sorted(qrels) {
		if err := CheckQuery(query); err != nil {
			return err
		}
		for _, doc := range sorted(qrels[query]) {
			if err := CheckDocument(doc); err != nil {
				return err
			}
			if _, err := fmt.Fprintf(out, "%s 0 %s %d\n", query, doc, qrels[query][doc]); err != nil {
				return fmt.Errorf("write qrels: %w", err)
			}
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write qrels: %w", err)
	}
	return nil
}

// WriteChanged writes a line for each query and document, with queries in byte order and the
// documents of each in their given order, so that ReadChanged returns the same. An identifier
// that would not read back unchanged is an error.
func WriteChanged(w io.Writer, changed Changed) error {
	out := bufio.NewWriterSize(w, 64<<10)
	for _, query := range sorted(changed) {
		if err := CheckQuery(query); err != nil {
			return err
		}
		for _, doc := range changed[query] {
			if err := CheckDocument(doc); err != nil {
				return err
			}
			if _, err := fmt.Fprintf(out, "%s\t%s\n", query, doc); err != nil {
				return fmt.Errorf("write documents of queries: %w", err)
			}
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write documents of queries: %w", err)
	}
	return nil
}

// CheckQuery returns an error for a query ID that no run or qrels file can contain: it would
// not read back as one field, or would read back as a comment.
func CheckQuery(query string) error {
	if query != "" && query[0] == '#' {
		return fmt.Errorf("query ID %q begins with #, which makes its lines comments", query)
	}
	return writable("query ID", query)
}

// CheckDocument returns an error for a document ID that no run or qrels file can contain.
func CheckDocument(doc string) error { return writable("document ID", doc) }

// writable returns an error for text that would not read back as one field.
func writable(what, text string) error {
	if text == "" {
		return fmt.Errorf("%s is empty", what)
	}
	for i := range len(text) {
		if isSpace(text[i]) || text[i] == 0 {
			return fmt.Errorf("%s %q has white space or a NUL byte, which a TREC file cannot hold", what, text)
		}
	}
	return nil
}
