package trec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"

	"infbench/internal/memory"
)

const (
	blockSize = 1 << 20 // large enough to amortise a goroutine's wake-up, small compared with any budget
	kept      = 4       // bytes in memory per byte of a run or of qrels: the text and its parsed form
)

// MaxLine is the length of the longest accepted line: a file with one endless line must not
// fill the memory.
const MaxLine = 1 << 20

// blocks cuts a file into blocks of complete lines. Every block has its own memory, which is
// not overwritten unless the block was given back to reuse. So strings may point into it.
type blocks struct {
	r    io.Reader
	rest []byte // the beginning of a line whose end has not been read
	size int    // size of the last block's memory
	done bool
	free chan []byte // blocks to overwrite; nil if none is given back
}

// reuse gives back a block that nothing points into any more.
func (b *blocks) reuse(text []byte) {
	select {
	case b.free <- text[:cap(text)]:
	default: // there are enough
	}
}

// buffer returns memory of at least n bytes: that of a reused block, if one fits. It may
// contain rest, the beginning of a line, which must be moved and not cleared.
func (b *blocks) buffer(n int) []byte {
	select {
	case free := <-b.free:
		if len(free) >= n {
			return free
		}
	default:
	}
	return make([]byte, n)
}

// next returns the next block; only the file's last line may lack its newline. If the block
// does not fit into memory, the error is a *memory.Full. The error is io.EOF after the last
// block and errLongLine for a line beyond MaxLine, with the lines before it.
func (b *blocks) next() ([]byte, error) {
	if b.done {
		return nil, io.EOF
	}
	b.size = min(max(16*b.size, blockSize/64), blockSize) // small files get small blocks
	if err := memory.For(int64(kept * b.size)); err != nil {
		return nil, err
	}
	buffer := b.buffer(max(b.size, 2*len(b.rest)))
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
	if len(b.rest) > MaxLine {
		b.done = true
		return buffer[:end], errLongLine
	}
	if end == 0 {
		return b.next()
	}
	return buffer[:end], nil
}

// fill reads until buffer is full. Unlike io.ReadFull it distinguishes the end of r, io.EOF,
// from a truncated gzip stream, io.ErrUnexpectedEOF.
func fill(r io.Reader, buffer []byte) (n int, err error) {
	for n < len(buffer) && err == nil {
		var m int
		m, err = r.Read(buffer[n:])
		n += m
	}
	return n, err
}

// innerMark is the error for a byte order mark inside a file, which would become part of an
// ID. A mark at the start of the file is dropped before this check.
const innerMark = "the line begins with a byte order mark, probably because files were joined: remove it"

// hasMark reports whether text begins with a byte order mark.
func hasMark(text []byte) bool {
	return len(text) > 2 && text[0] == 0xef && string(text[:3]) == "\ufeff"
}

var errLongLine = fmt.Errorf("line longer than %d bytes", MaxLine)

// cutLine splits the first line, without its newline, off text.
func cutLine(text []byte) (line, rest []byte) {
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		return text[:i], text[i+1:]
	}
	return text, nil
}

// cutField splits the first field off line. Only ASCII white space separates fields, as in
// C's isspace: a no-break space is part of the identifier.
func cutField(line []byte) (field, rest []byte) {
	start, end := fieldAt(line, 0)
	return line[start:end], line[end:]
}

// Fields splits a line at the white space that separates the fields of runs and qrels.
func Fields(line []byte) (fields []string) {
	for {
		field, rest := cutField(line)
		if len(field) == 0 {
			return fields
		}
		fields, line = append(fields, string(field)), rest
	}
}

// fieldAt returns the bounds of the first field of text's line at or after i; start and end
// are equal if the line has no more fields.
func fieldAt(text []byte, i int) (start, end int) {
	for i < len(text) && text[i] <= ' ' && text[i] != '\n' && isSpace(text[i]) {
		i++
	}
	return i, fieldEnd(text, i)
}

// fieldEnd returns the index of the first white space at or after i, or the length of text.
// It checks eight bytes at a time: fields are short and of varying length, so a loop over
// bytes would mispredict at the end of each.
func fieldEnd(text []byte, i int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for i+8 <= len(text) {
		word := binary.LittleEndian.Uint64(text[i:])
		// The high bit of each byte that is at most a space; only the lowest one is reliable.
		low := (word - (' '+1)*ones) & ^word & highs
		if low == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(low) / 8
		if isSpace(text[i]) {
			return i
		}
		i++ // another control character: part of the field
	}
	for i < len(text) && !isSpace(text[i]) {
		i++
	}
	return i
}

func isSpace(c byte) bool { return c == ' ' || c-'\t' <= '\r'-'\t' }

// position returns the prefix of every error: the file's name and the line from 1.
func position(name string, line int) string { return fmt.Sprintf("%s:%d", name, line) }

// readError returns an error of reading before a line. It leaves out the line if the line
// does not matter for the error.
func readError(name string, line int, err error) error {
	if _, full := errors.AsType[*memory.Full](err); full {
		name = position(name, line)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// lineError is the error in one line, counted from 1.
type lineError struct {
	line int
	text string
}

func (e *lineError) in(name string) error {
	return fmt.Errorf("%s: %s", position(name, e.line), e.text)
}

// noNUL returns text up to the line that contains a NUL byte, and an error for that line.
// trec_eval would silently stop there.
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

// countLines returns the number of newlines in text.
func countLines(text []byte) int { return bytes.Count(text, []byte{'\n'}) }
