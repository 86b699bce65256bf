package format

import (
	"fmt"
	"io"

	"infbench/datasets/room"
)

// gauge counts the bytes that were read, decompressed, and asks now and then whether
// there is room for as many again with what is made of them. Nobody here knows what a
// caller keeps; the memory that is left tells.
type gauge struct{ since int }

const (
	gaugeStep = 1 << 20 // bytes between two questions
	gaugeKept = 4       // bytes in memory for a byte of text, at its worst: copies, maps, the growth of slices
)

// passed counts n bytes more; the error is a *room.Full.
func (g *gauge) passed(n int) error {
	if g.since += n; g.since < gaugeStep {
		return nil
	}
	asked := g.since
	g.since = 0
	return room.For(int64(asked) * gaugeKept)
}

// recordReader keeps one record from filling the memory of a parser that reads it whole:
// begin says that a record begins, and what then is read beyond a record's length is an
// error.
type recordReader struct {
	r    io.Reader
	left int
	gauge
}

// begin allows as many bytes as a record may have, and what the parser reads ahead.
func (r *recordReader) begin() { r.left = MaxLine + 1<<16 }

func (r *recordReader) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, fmt.Errorf("record longer than %d bytes", MaxLine)
	}
	n, err := r.r.Read(p[:min(len(p), r.left)])
	r.left -= n
	if full := r.passed(n); full != nil {
		return 0, full
	}
	return n, err
}
