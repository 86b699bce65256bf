package format

import (
	"bytes"
	"fmt"
	"io"

	"infbench/internal/memory"
)

// gauge counts the bytes that were read, decompressed, and asks now and then whether
// there is room for as many again with what is made of them. Nobody here knows what a
// caller keeps; the memory that is left tells.
type gauge struct{ since int }

// Gauged reads what in reads, for a parser that keeps what it reads; where memory runs
// short it ends with a *memory.Full.
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
	gaugeStep = 1 << 20 // bytes between two questions
	gaugeKept = 4       // bytes in memory for a byte of text, at its worst: copies, maps, the growth of slices
)

// passed counts n bytes more; the error is a *memory.Full.
func (g *gauge) passed(n int) error {
	if g.since += n; g.since < gaugeStep {
		return nil
	}
	asked := g.since
	g.since = 0
	return memory.For(int64(asked) * gaugeKept)
}

// fieldKept is how many bytes a field, an element or a tag takes in memory, beside its text.
const fieldKept = 48

// roomForParts says whether there is room for the parts that a separator makes of a text.
func roomForParts(text []byte, separator byte) error {
	if len(text) < gaugeStep/fieldKept {
		return nil
	}
	if n := bytes.Count(text, []byte{separator}) * fieldKept; n >= gaugeStep {
		return memory.For(int64(n))
	}
	return nil
}

// recordReader keeps one record from filling the memory of a parser that reads it whole:
// begin says that a record begins, and what then is read beyond a record's length is an
// error.
type recordReader struct {
	r      io.Reader
	left   int
	fields int // of the record so far
	gauge
}

// begin allows as many bytes as a record may have, and what the parser reads ahead.
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
