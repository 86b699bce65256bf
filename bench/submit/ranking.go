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

// ranking is a run file as it is looked at line by line.
type ranking struct {
	name   string
	task   *datasets.Task
	depth  int // that is declared
	faults *faultList

	asked     map[string]bool            // queries of the task
	allowed   map[string]map[string]bool // candidates by query; nil where the whole corpus is ranked
	excluded  map[string]map[string]bool
	of        map[string]*rankedQuery // queries of the task
	unknown   map[string]bool         // other queries, shortened
	documents map[string]int          // -> line that names it first
	warnings  []string
	dropped   int // queries that rank their own document, which the task drops
}

// rankedQuery is what was seen of one query.
type rankedQuery struct {
	documents map[string]bool
	last      float64 // score of the line before
	deep      bool    // it was said that there are too many
	tied      bool
	unordered bool // its ranks are not those of its scores
	self      bool // it ranks the query's own document, which the task drops
	rank      int
}

// read looks at all lines, and then reads the ranking as any other is read; nil where it
// has faults. Documents with their query's own ID are dropped where the task excludes them,
// as they are from imported rankings.
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

// prepare gathers what lines are held to.
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

// sets are lists as sets; nil of nil.
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

// unpacked is the text of a run file, within bounds. Files that are packed in another way
// than their name says are refused.
func unpacked(f io.Reader, name string) (io.Reader, error) {
	in, want := bufio.NewReader(f), ""
	if strings.HasSuffix(name, ".gz") {
		want = "gzip"
	}
	head, _ := in.Peek(format.HeadSize) // a fault is that of the next read, too
	if packing := format.PackedBy(head); packing != want {
		return nil, fmt.Errorf("is not packed as its name says: found %s", cmp.Or(packing, "no packing"))
	}
	text, err := format.Unpack(io.NopCloser(in))
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	return format.Gauged(text), nil
}

// spareLines is how many lines a file may have beyond the rankings that are asked for.
const spareLines = 10_000

// lines looks at every line, and keeps no more than what the task asks for. ReadRun, which
// reads the ranking afterwards, stops at the first fault and leaves fields behind the tag
// alone; here all faults are listed. A file of more lines than the task can have is not read
// on: packed, such lines take next to nothing.
func (r *ranking) lines(text io.Reader) error {
	n, ranked, read := 0, 0, 0
	most := len(r.asked)*(r.depth+1) + spareLines
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, trec.MaxLine)
	for lines.Scan() {
		if n++; n > most {
			return fmt.Errorf("more than %d lines: %d queries of %d documents, and %d lines to spare", most, len(r.asked), r.depth, spareLines)
		}
		if read += len(lines.Bytes()); read > maxUnpacked {
			return fmt.Errorf("cannot be read: more than %s, the most that is read", memory.Size(maxUnpacked))
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

// line holds one line to the form and to the task.
func (r *ranking) line(n int, fields []string) error {
	if len(fields) != 6 {
		return fmt.Errorf("%d fields; want six: query Q0 document rank score tag", len(fields))
	}
	query, document := fields[0], fields[2]
	rank, err := strconv.Atoi(fields[3])
	if err != nil || rank < 0 {
		return fmt.Errorf("rank %s is no number from 0 on", shortened(fields[3]))
	}
	score, err := strconv.ParseFloat(fields[4], 64)
	if err != nil || math.IsNaN(score) || math.IsInf(score, 0) {
		return fmt.Errorf("score %s is no finite number", shortened(fields[4]))
	}
	if !r.asked[query] {
		if name := shortened(query); !r.unknown[name] {
			r.unknown[name] = true
			return fmt.Errorf("query %s is none of the task", name)
		}
		return nil // said where it first came
	}
	q := r.of[query]
	if q == nil {
		q = &rankedQuery{documents: map[string]bool{}, last: math.Inf(1), rank: -1}
		r.of[query] = q
	}
	return r.place(q, n, query, document, rank, score)
}

// place files a document in the ranking of a query.
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
		return nil // said already, and no more is kept
	case q.documents[document] || q.self && document == query:
		return fmt.Errorf("document %s comes twice for query %s", shortened(document), shortened(query))
	case r.excluded[query][document]:
		return fmt.Errorf("document %s is excluded for query %s", shortened(document), shortened(query))
	case r.allowed != nil && !r.allowed[query][document]:
		return fmt.Errorf("document %s is no candidate of query %s", shortened(document), shortened(query))
	}
	q.documents[document] = true
	if _, known := r.documents[document]; !known {
		r.documents[document] = n
	}
	if len(q.documents) > r.depth && !q.deep {
		q.deep = true
		return fmt.Errorf("query %s has more than %d documents, the depth that is declared", shortened(query), r.depth)
	}
	return nil
}

// checkDocuments streams the corpus for the documents that were ranked. Those of
// candidates are known to be there.
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
		r.faults.add(r.name, unknown[document], "document %s is none of the corpus", shortened(document))
	}
	return nil
}

// lacking are the queries of the task without a ranking, in its order.
func (r *ranking) lacking() (out []string) {
	for _, q := range r.task.Queries {
		if r.of[q.ID] == nil {
			out = append(out, q.ID)
		}
	}
	return out
}

// notes say what is no fault and can change a number.
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
		{unordered, "are not written in the order of their scores, by which they are ranked"},
		{short, "lack some of their candidates"},
	} {
		if c.n > 0 {
			out = append(out, fmt.Sprintf("%s: %d of %d rankings %s", r.name, c.n, len(r.of), c.what))
		}
	}
	return out
}

// shortened is a name from a file as an error quotes it.
func shortened(name string) string {
	const most = 80
	if len(name) > most {
		name = name[:most] + "..."
	}
	return strconv.Quote(name)
}

// count is how many faults there are so far.
func (l *faultList) count() (n int) {
	for _, of := range l.of {
		n += of
	}
	return n + len(l.failed)
}
