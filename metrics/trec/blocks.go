package trec

import (
	"bytes"
	"fmt"
	"io"
	"slices"
)

const (
	blockSize = 1 << 20 // large enough to amortise a goroutine's wake-up, small beside any budget
	lineLimit = 1 << 20 // the longest line read: a file of one endless line must not fill the memory
)

// blocks cuts a file into blocks of whole lines. Every block has its own memory
// and is never written again, so that strings may point into it.
type blocks struct {
	r    io.Reader
	rest []byte // the beginning of a line whose end has not been read
	done bool
}

// next returns the next block; only the file's last line may lack its newline.
// The error is io.EOF after the last block and errLongLine for a line beyond
// lineLimit, with the lines before it.
func (b *blocks) next() ([]byte, error) {
	if b.done {
		return nil, io.EOF
	}
	buffer := make([]byte, max(blockSize, 2*len(b.rest)))
	n := copy(buffer, b.rest)
	m, err := fill(b.r, buffer[n:])
	n += m
	if err == io.EOF {
		b.done = true
		if n == 0 {
			return nil, io.EOF
		}
		if n < len(buffer)/2 {
			return bytes.Clone(buffer[:n]), nil
		}
		return buffer[:n], nil
	}
	if err != nil && n < len(buffer) {
		return nil, err
	}
	end := bytes.LastIndexByte(buffer, '\n') + 1
	b.rest = buffer[end:]
	if len(b.rest) > lineLimit {
		b.done = true
		return buffer[:end], errLongLine
	}
	if end == 0 {
		return b.next()
	}
	return buffer[:end:end], nil
}

// fill reads until buffer is full. Unlike io.ReadFull it keeps the end of r,
// io.EOF, apart from that of a truncated gzip stream, io.ErrUnexpectedEOF.
func fill(r io.Reader, buffer []byte) (n int, err error) {
	for n < len(buffer) && err == nil {
		var m int
		m, err = r.Read(buffer[n:])
		n += m
	}
	return n, err
}

var errLongLine = fmt.Errorf("line longer than %d bytes", lineLimit)

// cutLine splits the first line, without its newline, off text.
func cutLine(text []byte) (line, rest []byte) {
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		return text[:i], text[i+1:]
	}
	return text, nil
}

// cutField splits the first field off line. Fields are separated by ASCII white
// space only, as C's isspace has it: a no-break space belongs to the identifier.
func cutField(line []byte) (field, rest []byte) {
	i := 0
	for i < len(line) && isSpace(line[i]) {
		i++
	}
	start := i
	for i < len(line) && !isSpace(line[i]) {
		i++
	}
	return line[start:i], line[i:]
}

func isSpace(c byte) bool { return c == ' ' || c-'\t' <= '\r'-'\t' }

// position is the prefix of every error: the file's name and the line from 1.
func position(name string, line int) string { return fmt.Sprintf("%s:%d", name, line) }

// lineError is what is wrong with one line, counted from 1.
type lineError struct {
	line int
	text string
}

func (e *lineError) in(name string) error {
	return fmt.Errorf("%s: %s", position(name, e.line), e.text)
}

// noNUL returns text up to the line that holds a NUL byte, and an error for it.
// trec_eval would stop there without a word.
func noNUL(text []byte) ([]byte, *lineError) {
	i := bytes.IndexByte(text, 0)
	if i < 0 {
		return text, nil
	}
	start := bytes.LastIndexByte(text[:i], '\n') + 1
	return text[:start], &lineError{1 + bytes.Count(text[:start], []byte{'\n'}), "NUL byte in a text file"}
}

// sorted returns the keys of m in byte order.
func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// countLines is the number of newlines in text.
func countLines(text []byte) int { return bytes.Count(text, []byte{'\n'}) }
