package foreign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"infbench/datasets/format"
	"infbench/reports/published"
)

// jsonFile reads one JSON value piece by piece. Errors thus have a line, and a ranking of any size
// needs no second copy in memory.
type jsonFile struct {
	name  string
	dec   *json.Decoder
	lines *lineCounter
}

// lineCounter records where lines end.
type lineCounter struct {
	r    io.Reader
	seen int64
	ends []int64
}

// Read implements io.Reader.
func (c *lineCounter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	for i, b := range p[:n] {
		if b == '\n' {
			c.ends = append(c.ends, c.seen+int64(i))
		}
	}
	c.seen += int64(n)
	return n, err
}

// readJSON opens a file and passes it to read, which must consume one complete value.
func readJSON(path string, read func(*jsonFile) error) error {
	f, err := format.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() // read only: nothing to lose
	return newJSON(path, format.Gauged(f)).all(read)
}

// readPython is like readJSON for files that may contain NaN and Infinity, as Python's json writes
// them: they become texts. It reads the file into memory.
func readPython(path string, read func(*jsonFile) error) error {
	f, err := format.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() // read only: nothing to lose
	content, err := io.ReadAll(format.Gauged(f))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return newJSON(path, bytes.NewReader(published.QuoteNaN(content))).all(read)
}

// all passes the file to read, which must consume one complete value.
func (j *jsonFile) all(read func(*jsonFile) error) error {
	if err := read(j); err != nil {
		return err
	}
	if _, err := j.dec.Token(); !errors.Is(err, io.EOF) {
		return j.errorf("there is more after the JSON value")
	}
	return nil
}

func newJSON(name string, r io.Reader) *jsonFile {
	lines := &lineCounter{r: r}
	dec := json.NewDecoder(lines)
	dec.UseNumber()
	return &jsonFile{name, dec, lines}
}

// errorf returns an error with file and line.
func (j *jsonFile) errorf(text string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", j.name, j.line(), fmt.Errorf(text, args...))
}

// line returns the current line.
func (j *jsonFile) line() int {
	at, _ := slices.BinarySearch(j.lines.ends, j.dec.InputOffset())
	return at + 1
}

// token returns the next token.
func (j *jsonFile) token() (json.Token, error) {
	t, err := j.dec.Token()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, j.errorf("%w", err)
	}
	return t, nil
}

// object reads an object and calls visit for each key; visit must consume the value. A duplicate
// key is an error, since readers that keep one of the two values do not agree on which.
func (j *jsonFile) object(what string, visit func(key string) error) error {
	t, err := j.token()
	if err != nil {
		return err
	}
	if t != json.Delim('{') {
		return j.errorf("%s must be an object, found %s", what, describe(t))
	}
	seen := map[string]bool{}
	for j.dec.More() {
		t, err := j.token()
		if err != nil {
			return err
		}
		key, _ := t.(string)
		if seen[key] {
			return j.errorf("%q comes twice in %s", key, what)
		}
		seen[key] = true
		if err := visit(key); err != nil {
			return err
		}
	}
	_, err = j.token()
	return err
}

// number reads a finite number.
func (j *jsonFile) number(what string) (float64, error) {
	t, err := j.token()
	if err != nil {
		return 0, err
	}
	n, ok := t.(json.Number)
	if !ok {
		return 0, j.errorf("%s must be a number, found %s", what, describe(t))
	}
	v, err := strconv.ParseFloat(string(n), 64)
	if err != nil {
		return 0, j.errorf("%s: %s is beyond float64", what, n)
	}
	return v, nil
}

// value reads any value into v.
func (j *jsonFile) value(v any) error {
	if err := j.dec.Decode(v); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return j.errorf("%w", err)
	}
	return nil
}

// describe describes a token for an error.
func describe(t json.Token) string {
	switch t := t.(type) {
	case json.Delim:
		return map[json.Delim]string{'{': "an object", '[': "a list"}[t]
	case string:
		return fmt.Sprintf("the text %.40q", t)
	case nil:
		return "null"
	}
	return fmt.Sprint(t)
}

// outline returns the structure of the beginning of a JSON text: the keys at the top, and the depth
// of objects around the first number. The depth is 0 if there is no number, or if a list comes
// first.
func outline(head []byte) (keys []string, depth int) {
	dec := json.NewDecoder(bytes.NewReader(head))
	level, list := 0, 0
	key := false // whether the next text is a key
	for {
		t, err := dec.Token()
		if err != nil {
			return keys, depth
		}
		switch t := t.(type) {
		case json.Delim:
			switch t {
			case '{':
				level++
			case '}':
				level--
			case '[':
				list++
			case ']':
				list--
			}
			key = level > 0 && list == 0 && (t == '{' || t == '}' || t == ']')
			continue
		case string:
			if key {
				if level == 1 {
					keys = append(keys, t)
				}
				key = false
				continue
			}
		case float64:
			if depth == 0 && list == 0 {
				depth = level
			}
		}
		key = list == 0
	}
}
