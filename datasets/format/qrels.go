package format

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"infbench/internal/disk"
	"infbench/internal/memory"
	"infbench/metrics/trec"
)

// QrelsColumns returns the columns of tables of judgments: query, document and grade, under the
// names that BEIR, mteb, InstructIR, R2MED, ir_measures and PyTerrier use.
func QrelsColumns() []Column {
	return []Column{
		{Name: "query-id|query_id|qid|q_id", Kind: ID},
		{Name: "corpus-id|corpus_id|pid|docid|p_id|doc_id|docno", Kind: ID},
		{Name: "score|relevance|label", Kind: Int},
	}
}

// ErrRanking means that a file has a ranking instead of judgments.
var ErrRanking = errors.New("this is a ranking (query Q0 document rank score tag), not judgments; trec_eval's order is QRELS RUN")

// OpenQrels reads judgments, plain, gzip or zstd. The layout follows from the ending and the first
// line: trec_eval's four fields (see trec.Options.ReadQrels), a table with a header line and
// QrelsColumns as BEIR has it, or three fields without a header: query, document and grade. In
// tables, a judgment that is repeated with another grade is an error; repeated with the same
// grade it is a warning. A folder stands for its file of judgments: qrels, the only file
// qrels*, or BEIR's qrels/test.tsv. A stream is read as trec_eval's fields.
func OpenQrels(path string, o trec.Options) (trec.Qrels, error) {
	path, err := QrelsFile(path)
	if err != nil {
		return nil, err
	}
	j := Judgments{Qrels: trec.Qrels{}}
	isTREC, err := EachJudgment(path, func(pos Pos, query, doc string, grade int) error {
		_, err := j.Add(pos, query, doc, grade)
		return err
	})
	if isTREC {
		return ReadFile(path, o.ReadQrels)
	}
	switch {
	case err != nil:
		return nil, err
	case j.Count == 0:
		return nil, fmt.Errorf("%s: no judgments in this file", path)
	case j.Repeated > 0 && o.Warn != nil:
		o.Warn(fmt.Errorf("%s: %d of %d judgments repeat an earlier one", path, j.Repeated, j.Count))
	}
	return j.Qrels, nil
}

// EachJudgment calls add with every judgment of a file: a table with QrelsColumns, or lines of
// query, document and grade without a header. It reads nothing from a file with trec_eval's four
// fields, and returns true.
func EachJudgment(path string, add func(pos Pos, query, doc string, grade int) error) (isTREC bool, err error) {
	layout, err := layoutOf(path)
	switch {
	case err != nil || layout == trecQrels:
		return err == nil, err
	case layout == bareQrels:
		return false, bareRows(path, add)
	}
	return false, tableRows(path, layout, add)
}

// QrelsFile returns the file of judgments that a path stands for: the path itself, or a file in a
// folder.
func QrelsFile(path string) (string, error) {
	info, err := disk.Stat(path)
	if err != nil || !info.IsDir() {
		return path, nil // reading it gives the error
	}
	entries, err := disk.ReadDir(path)
	if err != nil {
		return "", err
	}
	var found []string
	for _, e := range entries {
		name := PlainName(e.Name())
		if e.IsDir() || !strings.HasPrefix(strings.ToLower(name), "qrels") || strings.HasSuffix(name, ".md") {
			continue
		}
		if ending := filepath.Ext(name); strings.EqualFold(strings.TrimSuffix(name, ending), "qrels") && (ending == "" || ending == ".txt" || IsTable(name)) {
			return filepath.Join(path, e.Name()), nil
		}
		found = append(found, e.Name())
	}
	if len(found) == 1 {
		return filepath.Join(path, found[0]), nil
	}
	if len(found) > 1 {
		return "", fmt.Errorf("%s has several files of judgments: name one of %s", path, strings.Join(found, ", "))
	}
	for _, name := range []string{"qrels/test.tsv", "test.tsv"} { // BEIR's folder, or the qrels in it
		if file, err := Find(filepath.Join(path, filepath.FromSlash(name))); err == nil {
			return file, nil
		}
	}
	return "", fmt.Errorf("%s is a folder without judgments: neither a file qrels* nor qrels/test.tsv", path)
}

// qrelsLayout is a layout of judgments.
type qrelsLayout int

const (
	trecQrels   qrelsLayout = iota // query iteration document grade
	bareQrels                      // query document grade
	headedQrels                    // tab-separated below a header line, whatever the ending
	tableQrels                     // a table that Rows reads by its ending
)

// layoutOf finds the layout of a file of judgments. A run file is an error.
func layoutOf(path string) (qrelsLayout, error) {
	if disk.IsStream(path) {
		return trecQrels, nil
	}
	switch filepath.Ext(PlainName(path)) {
	case ".parquet", ".jsonl", ".json", ".ndjson", ".csv":
		return tableQrels, nil
	}
	f, err := Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 1<<16))
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", path, err)
	}
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(string(head), "\ufeff")) {
		n++
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Fields(line)
		names := slices.Concat(QrelsColumns()[0].names(), QrelsColumns()[1].names())
		switch tabbed := strings.Split(strings.TrimRight(line, "\r\n"), "\t"); {
		case slices.ContainsFunc(tabbed, func(name string) bool { return slices.Contains(names, name) }):
			return headedQrels, nil
		case len(fields) == 6 && isDecimal(fields[4]):
			return 0, fmt.Errorf("%s:%d: %w", path, n, ErrRanking)
		case len(fields) == 3 && fields[1] != "0" && isInteger(fields[2]): // not trec_eval's without a grade
			return bareQrels, nil
		}
		break
	}
	return trecQrels, nil
}

func isDecimal(text string) bool { _, err := decimal(text); return err == nil }
func isInteger(text string) bool { _, err := wholeNumber(text); return err == nil }

// tableRows passes on the judgments of a table.
func tableRows(path string, layout qrelsLayout, add func(Pos, string, string, int) error) error {
	rows := Rows([]string{path}, QrelsColumns())
	if layout == headedQrels {
		rows = func(yield func(*Row, error) bool) {
			tsvRows(path, QrelsColumns(), &Row{cells: make([]cell, len(QrelsColumns()))}, yield)
		}
	}
	for r, err := range rows {
		if err != nil {
			return err
		}
		if err := add(r.Pos, r.Text(0), r.Text(1), r.Int(2)); err != nil {
			return err
		}
	}
	return nil
}

// bareRows passes on the judgments of lines of three fields, separated by tabs or, without any, by
// spaces.
func bareRows(path string, add func(Pos, string, string, int) error) error {
	for line, err := range Lines(path) {
		if err != nil {
			return err
		}
		text := string(line.Text)
		if strings.HasPrefix(text, "#") {
			continue
		}
		fields := strings.Split(text, "\t")
		if len(fields) == 1 {
			fields = strings.Fields(text)
		}
		if len(fields) != 3 {
			return line.Pos.Errorf("want three fields as in the first line: query document grade")
		}
		grade, err := wholeNumber(strings.TrimSpace(fields[2]))
		if err != nil {
			return line.Pos.Errorf("grade: found %q, want integer", fields[2])
		}
		if err := add(line.Pos, fields[0], fields[1], int(grade)); err != nil {
			return err
		}
	}
	return nil
}

// Judgments collects the judgments of files. Qrels must not be nil.
type Judgments struct {
	Qrels           trec.Qrels
	Count, Repeated int // all judgments, and those that repeat an earlier one
}

// Add adds one judgment. isNew reports whether it is the first of its query and document. Another
// grade than that of the first is an error.
func (j *Judgments) Add(pos Pos, query, doc string, grade int) (isNew bool, err error) {
	const asked, kept = 4096, 1024 // memory is requested for so many judgments of so many bytes
	if j.Count++; j.Count%asked == 0 {
		if err := memory.For(asked * kept); err != nil {
			return false, &Error{Pos: pos, Err: err}
		}
	}
	if err := cmp.Or(trec.CheckQuery(query), trec.CheckDocument(doc)); err != nil {
		return false, &Error{Pos: pos, Err: err}
	}
	of := j.Qrels[query]
	if of == nil {
		of = map[string]int{}
		j.Qrels[query] = of
	}
	old, seen := of[doc]
	switch {
	case seen && old != grade:
		return false, pos.Errorf("query %q, document %q: graded %d after %d", query, doc, grade, old)
	case seen:
		j.Repeated++
		return false, nil
	}
	of[doc] = grade
	return true, nil
}
