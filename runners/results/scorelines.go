package results

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
	"unsafe"

	"infbench/datasets"
	"infbench/internal/memory"
)

// decodeScores does the same as decodeLines for results in a quarter of the time, because a
// sweep of 10,000 trials has millions. It parses lines in the form of Writer.Scores itself. Any
// other line goes to encoding/json, which decides its meaning or its error.
func decodeScores(into *[]Result) func(path string, data []byte) error {
	return func(path string, data []byte) error {
		lines := min(bytes.Count(data, []byte("\n")), len(data)/shortestScore) + 1
		if err := memory.ForMany(int64(lines) * int64(unsafe.Sizeof(Result{})+8)); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		s := scoreLines{out: make([]Result, 0, lines), values: make([]float64, 0, lines)}
		n := 0
		for line := range bytes.Lines(data) {
			n++
			if s.take(line) {
				continue
			}
			var item Result
			err := memory.ForJSON(line)
			if err == nil {
				err = json.Unmarshal(line, &item)
			}
			if err == nil {
				s.out, err = memory.Append(s.out, item)
			}
			if err != nil {
				return fmt.Errorf("%s:%d: %w", path, n, err)
			}
		}
		if *into = s.out; len(s.out) == 0 {
			*into = nil
		}
		return nil
	}
}

// shortestScore is the length of a line of Writer.Scores with empty names.
const shortestScore = len(`{"benchmark":"","task":"","query":"","measure":"","value":0}`)

// scoreLines are the results of the lines read so far. Their values are in one list, and
// repeated texts are stored once.
type scoreLines struct {
	out    []Result
	values []float64
	again  int // position in out of the result that probably has the query of the next line
}

// take decodes a line in the form of Writer.Scores. It returns false for any other line.
func (s *scoreLines) take(line []byte) bool {
	var before Result
	if len(s.out) > 0 {
		before = s.out[len(s.out)-1]
	}
	l := plainLine{rest: line, ok: true}
	var r Result
	r.Benchmark = l.text(`{"benchmark":"`, before.Benchmark)
	r.Task = l.text(`,"task":"`, before.Task)
	query := l.token(`,"query":"`)
	if l.next(`,"side":`) {
		r.Side = datasets.Side(l.text(`,"side":"`, string(before.Side)))
	}
	r.Measure = l.text(`,"measure":"`, before.Measure)
	value, defined := l.number(`,"value":`)
	r.Aggregate = l.skip(`,"aggregate":true`)
	r.Unranked = l.skip(`,"unranked":true`)
	if !l.skip("}") || !l.ok || string(l.rest) != "\n" && len(l.rest) > 0 {
		return false
	}
	if defined {
		s.values = append(s.values, value)
		r.Value = &s.values[len(s.values)-1]
	}
	r.Query = s.query(query, len(s.out) > 0 && !r.SameScoring(before))
	s.out = append(s.out, r)
	return true
}

// query returns a query's text. A scoring usually has the same queries as the previous one, in
// their order.
func (s *scoreLines) query(text []byte, first bool) string {
	if first {
		start := len(s.out) - 1
		for start > 0 && s.out[start-1].SameScoring(s.out[start]) {
			start--
		}
		s.again = start
	}
	if s.again < len(s.out) && s.out[s.again].Query == string(text) {
		s.again++
		return s.out[s.again-1].Query
	}
	return string(text)
}

// plainLine is the rest of a line of JSON without spaces and escapes. ok becomes false if the
// line has another form.
type plainLine struct {
	rest []byte
	ok   bool
}

// next reports whether the rest begins with a text.
func (l *plainLine) next(with string) bool {
	return len(l.rest) >= len(with) && string(l.rest[:len(with)]) == with
}

// skip removes a text from the beginning of the rest, if it is there.
func (l *plainLine) skip(with string) bool {
	found := l.next(with)
	if found {
		l.rest = l.rest[len(with):]
	}
	return found
}

// token returns the text after a key up to its closing quotation mark.
func (l *plainLine) token(key string) []byte {
	if l.ok = l.ok && l.skip(key); !l.ok {
		return nil
	}
	ascii := true
	for i, c := range l.rest {
		switch {
		case c == '"':
			text := l.rest[:i]
			l.rest, l.ok = l.rest[i+1:], ascii || utf8.Valid(text)
			return text
		case c < ' ' || c == '\\':
			l.ok = false
			return nil
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	l.ok = false
	return nil
}

// text returns a token as a string. If it equals before, the text of the previous line, it
// returns that.
func (l *plainLine) text(key, before string) string {
	if text := l.token(key); string(text) != before {
		return string(text)
	}
	return before
}

// number returns the number after a key; defined is false for null.
func (l *plainLine) number(key string) (value float64, defined bool) {
	if l.ok = l.ok && l.skip(key); !l.ok || l.skip("null") {
		return 0, false
	}
	n := numberLength(l.rest)
	value, err := strconv.ParseFloat(string(l.rest[:n]), 64)
	l.rest, l.ok = l.rest[n:], n > 0 && err == nil
	return value, l.ok
}

// numberLength returns the length of the JSON number at the beginning of a text, or 0.
// ParseFloat accepts more than JSON numbers.
func numberLength(text []byte) int {
	i := 0
	digits := func() (n int) {
		for ; i < len(text) && '0' <= text[i] && text[i] <= '9'; i++ {
			n++
		}
		return n
	}
	if i < len(text) && text[i] == '-' {
		i++
	}
	zero := i < len(text) && text[i] == '0'
	if n := digits(); n == 0 || zero && n > 1 {
		return 0
	}
	if i < len(text) && text[i] == '.' {
		if i++; digits() == 0 {
			return 0
		}
	}
	if i < len(text) && (text[i] == 'e' || text[i] == 'E') {
		if i++; i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		if digits() == 0 {
			return 0
		}
	}
	return i
}
