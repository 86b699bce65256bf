package submit

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"infbench/datasets"
	"infbench/datasets/format"
	"infbench/internal/memory"
	"infbench/metrics/trec"
)

// ranking is a run file that is checked line by line.
type ranking struct {
	name   string
	task   *datasets.Task
	depth  int // declared depth
	faults *faultList

	asked     map[string]bool            // queries of the task
	allowed   map[string]map[string]bool // candidates by query; nil if the complete corpus is ranked
	excluded  map[string]map[string]bool
	of        map[string]*rankedQuery // queries of the task that have a ranking
	unknown   map[string]bool         // other queries, shortened
	documents map[string]int          // -> line of its first occurrence
	warnings  []string
	dropped   int // number of queries that rank their own document, which the task drops
}

// rankedQuery is the ranking of one query so far.
type rankedQuery struct {
	documents map[string]bool
	last      float64 // score of the previous line
	deep      bool    // the fault of too many documents was reported
	tied      bool
	unordered bool // its ranks do not follow its scores
	self      bool // it ranks the query's own document, which the task drops
	rank      int
}

// read checks all lines and then reads the ranking with the usual reader; nil if it has faults.
// If the task excludes documents with their query's own ID, they are dropped, as in imports.
func (r *ranking) read(c *contents) trec.Run {
	r.prepare()
	before := r.faults.count()
	f, err := c.root.Open(r.name)
	if err != nil {
		r.faults.add(r.name, 0, "%v", err)
		return nil
	}
	defer f.Close() // read only: nothing to lose
	text, err := unpacked(f, r.name)
	if err == nil {
		err = r.lines(text)
	}
	if err != nil {
		r.faults.stop(r.name, err)
		return nil
	}
	if err := r.checkDocuments(); err != nil {
		r.faults.fail(fmt.Errorf("documents of %s: %w", r.task.Name, err))
		return nil
	}
	if r.faults.count() > before {
		return nil
	}
	warn := func(err error) { r.warnings = append(r.warnings, err.Error()) }
	if _, err = f.Seek(0, io.SeekStart); err == nil {
		text, err = unpacked(f, r.name)
	}
	var run trec.Run
	if err == nil {
		run, _, err = trec.Options{Warn: warn}.ReadRun(text, r.name)
	}
	if err != nil {
		r.faults.add(r.name, 0, "%v", err)
		return nil
	}
	return run.Without(r.task.Excluded)
}

// prepare collects the valid queries and documents.
func (r *ranking) prepare() {
	r.of, r.unknown, r.documents, r.asked = map[string]*rankedQuery{}, map[string]bool{}, map[string]int{}, map[string]bool{}
	for _, q := range r.task.Queries {
		r.asked[q.ID] = true
	}
	r.allowed, r.excluded = sets(r.task.Candidates), sets(r.task.Excluded)
	for query, documents := range r.excluded {
		for document := range documents {
			delete(r.allowed[query], document)
		}
	}
}

// sets converts lists to sets; nil for nil.
func sets(lists map[string][]string) map[string]map[string]bool {
	if lists == nil {
		return nil
	}
	out := make(map[string]map[string]bool, len(lists))
	for query, documents := range lists {
		out[query] = make(map[string]bool, len(documents))
		for _, d := range documents {
			out[query][d] = true
		}
	}
	return out
}

// unpacked is the text of a run file, limited in size. It is an error if the compression does
// not match the file name.
func unpacked(f io.Reader, name string) (io.Reader, error) {
	in, want := bufio.NewReader(f), ""
	if strings.HasSuffix(name, ".gz") {
		want = "gzip"
	}
	head, _ := in.Peek(format.HeadSize) // the next read returns the error again
	if packing := format.PackedBy(head); packing != want {
		return nil, fmt.Errorf("its content does not match its extension: found %s", cmp.Or(packing, "no packing"))
	}
	text, err := format.Unpack(io.NopCloser(in))
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	return format.Gauged(text), nil
}

// spareLines is the number of extra lines that a file may have.
const spareLines = 10_000

// lines checks every line, and keeps only as much as the task needs. It lists all faults,
// whereas ReadRun, which reads the ranking afterwards, stops at the first one and ignores
// fields after the tag. It stops at a file with more lines than the task can have: compressed,
// such lines take almost no space.
func (r *ranking) lines(text io.Reader) error {
	n, ranked, read := 0, 0, 0
	most := len(r.asked)*(r.depth+1) + spareLines
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, trec.MaxLine)
	for lines.Scan() {
		if n++; n > most {
			return fmt.Errorf("more than %d lines: %d queries of %d documents, and %d extra lines", most, len(r.asked), r.depth, spareLines)
		}
		if read += len(lines.Bytes()); read > maxUnpacked {
			return fmt.Errorf("cannot be read: more than %s, the limit", memory.Size(maxUnpacked))
		}
		fields := trec.Fields(lines.Bytes())
		if len(fields) == 0 || fields[0][0] == '#' {
			continue
		}
		ranked++
		if err := r.line(n, fields); err != nil {
			r.faults.add(r.name, n, "%v", err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("line %d cannot be read: %w", n+1, err)
	}
	if ranked == 0 {
		r.faults.add(r.name, 0, "%v", trec.ErrNoRankings)
	}
	return nil
}

// line checks the form of a line and its query and document.
func (r *ranking) line(n int, fields []string) error {
	if len(fields) != 6 {
		return fmt.Errorf("%d fields; want six: query Q0 document rank score tag", len(fields))
	}
	query, document := fields[0], fields[2]
	rank, err := strconv.Atoi(fields[3])
	if err != nil || rank < 0 {
		return fmt.Errorf("rank %s is not a whole number from 0", shortened(fields[3]))
	}
	score, err := strconv.ParseFloat(fields[4], 64)
	if err != nil || math.IsNaN(score) || math.IsInf(score, 0) {
		return fmt.Errorf("score %s is not a finite number", shortened(fields[4]))
	}
	if !r.asked[query] {
		if name := shortened(query); !r.unknown[name] {
			r.unknown[name] = true
			return fmt.Errorf("query %s is not in the task", name)
		}
		return nil // reported at its first occurrence
	}
	q := r.of[query]
	if q == nil {
		q = &rankedQuery{documents: map[string]bool{}, last: math.Inf(1), rank: -1}
		r.of[query] = q
	}
	return r.place(q, n, query, document, rank, score)
}

// place adds a document to the ranking of a query.
func (r *ranking) place(q *rankedQuery, n int, query, document string, rank int, score float64) error {
	if document == query && !q.self && r.excluded[query][document] {
		q.self = true
		r.dropped++
		return nil
	}
	q.tied = q.tied || score == q.last
	q.unordered = q.unordered || score > q.last || rank <= q.rank
	q.last, q.rank = score, rank
	switch {
	case q.deep:
		return nil // already reported, and no more is kept
	case q.documents[document] || q.self && document == query:
		return fmt.Errorf("document %s occurs twice for query %s", shortened(document), shortened(query))
	case r.excluded[query][document]:
		return fmt.Errorf("document %s is excluded for query %s", shortened(document), shortened(query))
	case r.allowed != nil && !r.allowed[query][document]:
		return fmt.Errorf("document %s is not a candidate of query %s", shortened(document), shortened(query))
	}
	q.documents[document] = true
	if _, known := r.documents[document]; !known {
		r.documents[document] = n
	}
	if len(q.documents) > r.depth && !q.deep {
		q.deep = true
		return fmt.Errorf("query %s has more than %d documents, the declared depth", shortened(query), r.depth)
	}
	return nil
}

// checkDocuments looks up the ranked documents in the corpus. Candidates are known to be in it.
func (r *ranking) checkDocuments() error {
	if r.allowed != nil || r.task.Corpus == nil {
		return nil
	}
	unknown := make(map[string]int, len(r.documents))
	for document, line := range r.documents {
		unknown[document] = line
	}
	for d, err := range r.task.Corpus.Documents() {
		if err != nil {
			return err
		}
		if delete(unknown, d.ID); len(unknown) == 0 {
			return nil
		}
	}
	for _, document := range slices.SortedFunc(maps.Keys(unknown), func(a, b string) int { return unknown[a] - unknown[b] }) {
		r.faults.add(r.name, unknown[document], "document %s is not in the corpus", shortened(document))
	}
	return nil
}

// lacking are the queries of the task without a ranking, in order.
func (r *ranking) lacking() (out []string) {
	for _, q := range r.task.Queries {
		if r.of[q.ID] == nil {
			out = append(out, q.ID)
		}
	}
	return out
}

// notes describe irregularities that are not faults but can change a number.
func (r *ranking) notes() (out []string) {
	out = slices.Clone(r.warnings)
	tied, unordered, short := 0, 0, 0
	for query, q := range r.of {
		if q.tied {
			tied++
		}
		if q.unordered {
			unordered++
		}
		if r.allowed != nil && len(q.documents) < min(r.depth, len(r.allowed[query])) {
			short++
		}
	}
	for _, c := range []struct {
		n    int
		what string
	}{
		{r.dropped, "have the document with the query's own ID, which the task drops"},
		{tied, "have equal scores, which are ranked by document ID, descending"},
		{unordered, "are not in the order of their scores, by which they are ranked"},
		{short, "lack some of their candidates"},
	} {
		if c.n > 0 {
			out = append(out, fmt.Sprintf("%s: %d of %d rankings %s", r.name, c.n, len(r.of), c.what))
		}
	}
	return out
}

// shortened quotes a name from a file for an error.
func shortened(name string) string {
	const most = 80
	if len(name) > most {
		name = name[:most] + "..."
	}
	return strconv.Quote(name)
}

// count is the number of faults so far.
func (l *faultList) count() (n int) {
	for _, of := range l.of {
		n += of
	}
	return n + len(l.failed)
}
