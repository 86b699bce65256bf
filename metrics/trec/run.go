package trec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"infbench/internal/memory"
	"infbench/internal/parallel"
)

// ErrNoRankings reports that a file of rankings is empty.
var ErrNoRankings = errors.New("no rankings in this file")

// ReadRun reads a run, with every ranking sorted, and the tag of the file's last line, which
// trec_eval prints as runid; name is the name of the file in errors.
//
// A line is "query Q0 document rank score tag ...", separated by ASCII white space; blank
// lines and lines that begin with # are skipped, and the rank is ignored. An empty file,
// fewer than six fields, a NaN score and a document that occurs twice for a query are errors,
// with file:line. So are signs of shifted fields, although trec_eval accepts them: a rank
// that is not a number, a number as the sixth of seven fields or more, and a first line
// without a number as score.
//
// The file is read in blocks that are parsed in parallel; the result does not depend on their
// number. A Run keeps only its identifiers from their text.
func (o Options) ReadRun(r io.Reader, name string) (Run, string, error) {
	parsed, err := o.parseBlocks(r)
	if err != nil {
		return nil, "", readError(name, 1+lines(parsed), err)
	}
	parts, tag, err := o.join(parsed, name)
	if err != nil {
		return nil, "", err
	}
	run, err := o.rank(parsed, parts, name)
	if err != nil {
		return nil, "", err
	}
	return run, tag, nil
}

// runBlock is one parsed block.
type runBlock struct {
	docs     []Scored  // scored documents of all segments, one after the other
	ids      arena     // text of query and document IDs
	segments []segment // in the order of the lines
	tag      string    // tag of the last line
	lines    int       // newlines in the block
	first    int       // the block's first line in the file, from 1; set by join
	odd      oddity
	foreign  *lineError // the block's first ranked line is not a line of a run
	order    rankOrder
	err      *lineError // the block's first error, with the line counted in the block
	repeats  bool       // a line repeats the previous line's document: rank will report it
}

// segment is a stretch of consecutive lines with the same query.
type segment struct {
	query string
	part
}

// part is the position of a segment's documents.
type part struct {
	block    int32
	from, to int32 // bounds in the block's docs
	line     int32 // line of the first document, in the block, from 1
}

// oddity is the first number in a block that was read in part or as 0.
type oddity struct {
	line  int // in the block, from 1; 0 if there is none
	text  string
	value float64
}

// rankOrder counts neighbouring lines of a query by whether their ranks and their scores give
// the same order.
type rankOrder struct {
	agree, contradict int
	line              int // line of the first contradiction
}

// add counts a line, given the differences of its rank and score from those of the previous
// line.
func (o *rankOrder) add(rank, score float64, line int) {
	switch {
	case rank*score < 0:
		o.agree++
	case rank*score > 0:
		if o.contradict++; o.contradict == 1 {
			o.line = line
		}
	}
}

// lines returns the number of newlines in blocks.
func lines(parsed []*runBlock) (n int) {
	for _, b := range parsed {
		n += b.lines
	}
	return n
}

// parseBlocks parses all of r, or up to a block that shows that r is not a run. The error is
// r's own, with the blocks before it.
func (o Options) parseBlocks(r io.Reader) ([]*runBlock, error) {
	var parsed []*runBlock
	var wrong atomic.Bool
	var group sync.WaitGroup
	workers := make(chan struct{}, runtime.GOMAXPROCS(0))
	source := blocks{r: r, free: make(chan []byte, 1+cap(workers))}
	for {
		text, err := source.next()
		if wrong.Load() {
			err = io.EOF
		}
		if err != nil && !errors.Is(err, errLongLine) {
			group.Wait()
			if err == io.EOF {
				err = nil
			}
			return parsed, err
		}
		b := &runBlock{}
		index := int32(len(parsed))
		parsed = append(parsed, b)
		workers <- struct{}{}
		group.Go(func() {
			b.parse(text, index, o.Float32)
			source.reuse(text)
			if err != nil && b.err == nil {
				b.err = &lineError{b.lines + 1, err.Error()}
			}
			if b.err != nil || b.repeats {
				wrong.Store(true)
			}
			<-workers
		})
	}
}

// queryKept is the approximate number of bytes per query in maps and slices, without its
// documents.
const queryKept = 200

// join collects each query's parts in the order of the file, numbers the blocks' lines and
// returns the first error of the file.
func (o Options) join(parsed []*runBlock, name string) (parts map[string][]part, tag string, err error) {
	parts = map[string][]part{}
	line, warned := 1, false
	var order rankOrder
	for _, b := range parsed {
		b.first = line
		line += b.lines
		if len(parts) == 0 && b.foreign != nil {
			return nil, "", b.place(b.foreign).in(name)
		}
		if b.err != nil {
			return nil, "", b.place(b.err).in(name)
		}
		if b.odd.line > 0 && !warned && o.Warn != nil {
			o.Warn(fmt.Errorf("%s: score %q read as %v, as trec_eval does", position(name, b.first+b.odd.line-1), b.odd.text, b.odd.value))
			warned = true
		}
		if order.contradict == 0 {
			order.line = b.first + b.order.line - 1
		}
		order.agree, order.contradict = order.agree+b.order.agree, order.contradict+b.order.contradict
		if err := memory.For(int64(len(b.segments)) * queryKept); err != nil {
			return nil, "", readError(name, b.first, err)
		}
		for _, s := range b.segments {
			parts[s.query] = append(parts[s.query], s.part)
		}
		if b.tag != "" {
			tag = b.tag
		}
	}
	if len(parts) == 0 {
		return nil, "", fmt.Errorf("%s: %w", name, ErrNoRankings)
	}
	if order.contradict > 0 && order.agree == 0 && o.Warn != nil {
		o.Warn(fmt.Errorf("%s: all ranks contradict the scores: the highest score ranks first, as in trec_eval, and ranks are ignored; negate the scores if they are distances", position(name, order.line)))
	}
	return parts, tag, nil
}

// place converts an error's line from the block to the file.
func (b *runBlock) place(e *lineError) *lineError {
	return &lineError{b.first + e.line - 1, e.text}
}

// rank joins each query's documents, reports duplicates and sorts, with queries in parallel.
// If there are several duplicates, it reports the first in the file.
func (o Options) rank(parsed []*runBlock, parts map[string][]part, name string) (Run, error) {
	queries := make([]string, 0, len(parts))
	for q := range parts {
		queries = append(queries, q)
	}
	if err := memory.For(copied(parts) + int64(len(queries))*queryKept/2); err != nil {
		return nil, fmt.Errorf("%s: rank %d queries: %w", name, len(queries), err)
	}
	rankings := make([]Ranking, len(queries))
	duplicates := make([]*lineError, len(queries))
	parallel.Workers(len(queries), func() func(int) {
		var seen docSet
		return func(i int) {
			own := parts[queries[i]]
			ranking := joinParts(parsed, own)
			if d := seen.duplicate(ranking); d >= 0 {
				duplicates[i] = &lineError{lineOf(parsed, own, d), fmt.Sprintf("document %q comes twice for query %q", ranking[d].Doc, queries[i])}
				return
			}
			if !o.KeepArrival {
				ranking.Sort()
			}
			rankings[i] = ranking
		}
	})
	if first := firstError(duplicates); first != nil {
		return nil, first.in(name)
	}
	run := make(Run, len(queries))
	for i, q := range queries {
		run[q] = rankings[i]
	}
	return run, nil
}

// copied returns the number of bytes that joinParts allocates for all queries.
func copied(parts map[string][]part) (n int64) {
	for _, own := range parts {
		if len(own) == 1 {
			continue
		}
		for _, p := range own {
			n += int64(p.to-p.from) * int64(unsafe.Sizeof(Scored{}))
		}
	}
	return n
}

// joinParts returns a query's documents in the order of the file, without a copy if they are
// contiguous.
func joinParts(parsed []*runBlock, parts []part) Ranking {
	if len(parts) == 1 {
		p := parts[0]
		return parsed[p.block].docs[p.from:p.to:p.to]
	}
	n := 0
	for _, p := range parts {
		n += int(p.to - p.from)
	}
	ranking := make(Ranking, 0, n)
	for _, p := range parts {
		ranking = append(ranking, parsed[p.block].docs[p.from:p.to]...)
	}
	return ranking
}

// lineOf returns the line of a query's i-th document.
func lineOf(parsed []*runBlock, parts []part, i int) int {
	for _, p := range parts {
		if n := int(p.to - p.from); i >= n {
			i -= n
			continue
		}
		return parsed[p.block].first + int(p.line) - 1 + i
	}
	return 0
}

// firstError returns the error with the smallest line, or nil.
func firstError(all []*lineError) (first *lineError) {
	for _, e := range all {
		if e != nil && (first == nil || e.line < first.line) {
			first = e
		}
	}
	return first
}

// parse parses the lines of text, up to the first error.
func (b *runBlock) parse(text []byte, index int32, float32Scores bool) {
	text, nul := noNUL(text)
	b.lines = countLines(text)
	b.docs = make([]Scored, 0, min(b.lines, len(text)/shortestLine)+1)
	b.err = nul
	var open *segment // the segment that the next line may continue
	var l runLine
	var tag span
	var before float64 // the rank of the previous line
	for line := 1; l.next < len(text); line++ {
		if problem := l.read(text); problem != "" {
			b.err = &lineError{line, problem}
			return
		}
		if l.query.empty() { // a blank line or a comment: line numbers jump
			open = nil
			continue
		}
		if len(b.docs) == 0 && !l.isOfRun(text) {
			b.foreign = &lineError{line, fmt.Sprintf("not a run: want numbers as rank and score, found %.40q and %.40q", l.rank.of(text), l.scoreText.of(text))}
		}
		rank, short := parseShort(l.rank.of(text))
		if !short {
			rank, _ = parseScore(l.rank.of(text))
		}
		if problem := l.shifted(text, short); problem != "" {
			b.err = &lineError{line, problem}
			return
		}
		if !l.whole && b.odd.line == 0 {
			b.odd = oddity{line, string(l.scoreText.of(text)), l.score}
		}
		if float32Scores {
			l.score = float64(float32(l.score))
		}
		if open == nil || !l.again && open.query != string(l.query.of(text)) {
			start := part{index, int32(len(b.docs)), 0, int32(line)}
			b.segments = append(b.segments, segment{b.ids.keep(l.query.of(text)), start})
			open = &b.segments[len(b.segments)-1]
		}
		if n := len(b.docs); n > int(open.from) {
			b.repeats = b.repeats || b.docs[n-1].Doc == string(l.doc.of(text))
			b.order.add(rank-before, l.score-b.docs[n-1].Score, line)
		}
		before = rank
		b.docs = append(b.docs, Scored{b.ids.keep(l.doc.of(text)), l.score})
		open.to = int32(len(b.docs))
		tag = l.tag
	}
	b.tag = string(tag.of(text))
}

// shortestLine is the length of the shortest line of a run, "q 0 d 1 1 t" and its newline:
// blank lines and comments get no memory.
const shortestLine = 12

// runLine is one parsed line, as bounds in the text: pointers into it would cost the garbage
// collector's write barrier on every line.
type runLine struct {
	start, next                            int  // start of the line and of the next one
	query, doc, rank, scoreText, tag, more span // query is empty for a blank line or comment; more is the text after the last field
	score                                  float64
	whole                                  bool // the score's text is exactly a number
	again                                  bool // the query is that of the previous line
}

// isOfRun reports whether the rank is a number and the score begins with one.
func (l *runLine) isOfRun(text []byte) bool {
	return isNumber(l.rank.of(text)) && floatPrefix(l.scoreText.of(text)) > 0
}

// shifted returns the evidence that an ID with a blank shifted the fields, or "". ranked is
// set if the rank is known to be a number.
func (l *runLine) shifted(text []byte, ranked bool) string {
	const why = "does an ID contain a blank, which shifts the fields?"
	switch rank, tag := l.rank.of(text), l.tag.of(text); {
	case !ranked && !isNumber(rank):
		return fmt.Sprintf("the rank %.40q is not a number: %s", rank, why)
	case !l.more.empty() && isDecimal(tag):
		return fmt.Sprintf("the tag %.40q is a number, and %.40q follows: %s", tag, l.more.of(text), why)
	}
	return ""
}

// span is a field's bounds.
type span struct{ start, end int }

func (s span) of(text []byte) []byte { return text[s.start:s.end:s.end] }
func (s span) empty() bool           { return s.start == s.end }
func (s span) shifted(by int) span   { return span{s.start + by, s.end + by} }

// field returns the next field of the line at i.
func field(text []byte, i int) span {
	start, end := fieldAt(text, i)
	return span{start, end}
}

// read advances to the next line of text; problem is "" for a valid line. Nearly every line
// begins and ends with the bytes of the previous one, query and Q0, tag and newline: these
// are compared instead of parsed again. After a blank line or a comment there is nothing to
// compare.
func (l *runLine) read(text []byte) (problem string) {
	head, tail := text[l.start:l.doc.start], text[l.scoreText.end:l.next]
	shift := l.next - l.start
	l.start = l.next
	if l.again = len(head) > 0 && bytes.HasPrefix(text[l.start:], head); l.again {
		l.query = l.query.shifted(shift)
		l.doc = field(text, l.start+len(head))
	} else {
		l.query = field(text, l.start)
		if l.query.empty() || text[l.query.start] == '#' {
			next := nextLine(text, l.query.end)
			*l = runLine{start: next, next: next, doc: span{next, next}, scoreText: span{next, next}}
			return ""
		}
		if hasMark(l.query.of(text)) {
			return innerMark
		}
		iteration := field(text, l.query.end)
		l.doc = field(text, iteration.end)
	}
	l.rank = field(text, l.doc.end)
	before := l.scoreText.end
	l.scoreText = field(text, l.rank.end)
	if len(tail) > 0 && bytes.HasPrefix(text[l.scoreText.end:], tail) {
		shift := l.scoreText.end - before
		l.tag, l.more, l.next = l.tag.shifted(shift), l.more.shifted(shift), l.scoreText.end+len(tail)
	} else {
		l.tag = field(text, l.scoreText.end)
		if l.tag.empty() {
			return "want six fields: query Q0 document rank score tag"
		}
		l.more = field(text, l.tag.end)
		l.next = nextLine(text, l.tag.end)
	}
	l.score, l.whole = parseScore(l.scoreText.of(text))
	if math.IsNaN(l.score) {
		return "the score is not a number (NaN) and cannot be ranked"
	}
	return ""
}

// nextLine returns the start of the line after that of i.
func nextLine(text []byte, i int) int {
	if i < len(text) && text[i] == '\n' {
		return i + 1
	}
	if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(text)
}
