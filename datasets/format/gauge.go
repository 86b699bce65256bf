package format

import (
	"bytes"
	"fmt"
	"io"

	"infbench/internal/memory"
)

// gauge counts the decompressed bytes read, and regularly checks that memory has room for the
// caller's copies of them. This package does not know how much a caller keeps, so it checks the
// free memory.
type gauge struct{ since int }

// Gauged returns a reader of in for a parser that keeps all its input. When memory runs short,
// reading fails with a *memory.Full.
func Gauged(in io.Reader) io.Reader { return &gaugedReader{in: in} }

type gaugedReader struct {
	in io.Reader
	gauge
}

func (g *gaugedReader) Read(p []byte) (int, error) {
	n, err := g.in.Read(p)
	if full := g.passed(n); full != nil {
		return 0, full
	}
	return n, err
}

const (
	gaugeStep = 1 << 20 // bytes between two checks
	gaugeKept = 4       // bytes in memory per byte of text in the worst case: copies, maps, the growth of slices
)

// passed adds n bytes to the count; the error is a *memory.Full.
func (g *gauge) passed(n int) error {
	if g.since += n; g.since < gaugeStep {
		return nil
	}
	asked := g.since
	g.since = 0
	return memory.For(int64(asked) * gaugeKept)
}

// fieldKept is the number of bytes in memory of a field, an element or a tag, without its text.
const fieldKept = 48

// roomForParts checks that memory has room for the parts into which a separator splits a text.
func roomForParts(text []byte, separator byte) error {
	if len(text) < gaugeStep/fieldKept {
		return nil
	}
	if n := bytes.Count(text, []byte{separator}) * fieldKept; n >= gaugeStep {
		return memory.For(int64(n))
	}
	return nil
}

// recordReader limits the length of a record for a parser that reads each record into memory. begin
// marks the start of a record; reading more than MaxLine bytes after it is an error.
type recordReader struct {
	r      io.Reader
	left   int
	fields int // fields in the record so far
	gauge
}

// begin allows the bytes of one record, and the parser's read-ahead.
func (r *recordReader) begin() { r.left, r.fields = MaxLine+1<<16, 0 }

func (r *recordReader) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, fmt.Errorf("record longer than %d bytes", MaxLine)
	}
	n, err := r.r.Read(p[:min(len(p), r.left)])
	r.left -= n
	before := r.fields * fieldKept / gaugeStep
	r.fields += bytes.Count(p[:n], []byte{','})
	if kept := r.fields * fieldKept; kept/gaugeStep > before {
		if full := memory.For(int64(kept)); full != nil {
			return 0, full
		}
	}
	if full := r.passed(n); full != nil {
		return 0, full
	}
	return n, err
}
