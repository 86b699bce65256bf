package format

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"iter"
	"unicode/utf8"
)

// MaxLine is the maximum length of a line in bytes. The longest documents of the benchmarks (the
// long ones of BRIGHT) have 1.3 million characters, and the longest known line, a query with 11,000
// excluded IDs, half a megabyte.
const MaxLine = 64 << 20

// Line is one line of a text file without its line break. It is valid until the next is read.
type Line struct {
	Pos  Pos
	Text []byte
	Off  int64 // byte offset of its start in the decompressed text without byte order mark
}

// Lines streams the lines of a text file, decompressed. A byte order mark is dropped; CR LF and a
// missing last line break are accepted. A line that is not UTF-8 or longer than MaxLine bytes ends
// the stream with an error. So does a line for which memory has no room, given what the reader has
// kept so far.
func Lines(path string) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		for line, err := range rawLines(path) {
			if err == nil && !utf8.Valid(line.Text) {
				err = line.Pos.Errorf("not UTF-8")
			}
			if !yield(line, err) || err != nil {
				return
			}
		}
	}
}

// rawLines is like Lines without the check for UTF-8.
func rawLines(path string) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		f, err := Open(path)
		if err != nil {
			yield(Line{}, err)
			return
		}
		defer f.Close()
		readLines(path, f, MaxLine, yield)
	}
}

// readLines is like rawLines for a reader; name is used in positions.
func readLines(name string, r io.Reader, maxLine int, yield func(Line, error) bool) {
	br := bufio.NewReaderSize(r, 1<<16)
	var long []byte // collects a line that outgrows the reader's buffer
	line := Line{Pos: Pos{File: name}}
	var g gauge
	for {
		line.Pos.Line++
		text, size, err := readLine(br, &long, maxLine)
		if err == nil {
			err = g.passed(size)
		}
		if err != nil && err != io.EOF {
			yield(Line{}, line.Pos.Errorf("%w", err))
			return
		}
		if err == io.EOF && size == 0 {
			return
		}
		line.Text = text
		if !yield(line, nil) || err == io.EOF {
			return
		}
		line.Off += int64(size)
	}
}

// readLine returns the next line without its line break, and its size including it.
func readLine(br *bufio.Reader, long *[]byte, maxLine int) (text []byte, size int, err error) {
	text, err = br.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		*long = append((*long)[:0], text...)
		var g gauge
		for err == bufio.ErrBufferFull && len(*long) <= maxLine {
			text, err = br.ReadSlice('\n')
			if full := g.passed(len(text)); full != nil {
				return nil, len(*long), full
			}
			*long = append(*long, text...)
		}
		text = *long
	}
	size = len(text)
	text = bytes.TrimSuffix(text, []byte("\n"))
	text = bytes.TrimSuffix(text, []byte("\r"))
	if len(text) > maxLine {
		return nil, size, fmt.Errorf("line longer than %d bytes", maxLine)
	}
	return text, size, err
}
