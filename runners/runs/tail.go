package runs

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"os"

	"infbench/internal/disk"
)

// lineAtMost is the longest line of progress that is read; longer ones are passed over.
const lineAtMost = 1 << 16

// tail is what was read of a file that grows: only what was added is read.
type tail struct {
	file os.FileInfo // nil before anything was read
	at   int64
	rest []byte // of a line that was not whole
	skip bool   // the line under way is too long

	last  Report  // the zero value before there is one
	known Report  // the last that says how far the trial was
	loss  float64 // of the last step
	curve Curve
}

// follow reads what was added to the file at path. A file that is another, or that is
// shorter than it was, is read anew; one that is not there is forgotten.
func (t *tail) follow(path string) error {
	file, err := disk.Open(path)
	if err != nil {
		*t = tail{}
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if t.file == nil || !os.SameFile(t.file, info) || info.Size() < t.at {
		*t = tail{}
	}
	t.file = info
	part := make([]byte, 1<<16)
	for {
		n, err := file.ReadAt(part, t.at)
		t.at += int64(n)
		t.take(part[:n])
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return &fs.PathError{Op: "read", Path: path, Err: err}
		}
	}
}

// take reads the lines that text completes.
func (t *tail) take(text []byte) {
	for len(text) > 0 {
		line, after, whole := bytes.Cut(text, []byte("\n"))
		text = after
		switch {
		case !whole && (t.skip || len(t.rest)+len(line) > lineAtMost):
			t.rest, t.skip = nil, true
		case !whole:
			t.rest = append(t.rest, line...)
		case t.skip:
			t.skip = false
		default:
			t.line(append(t.rest, line...))
			t.rest = nil
		}
	}
}

// line takes in one report; what is none is left out.
func (t *tail) line(text []byte) {
	var p Report
	if json.Unmarshal(text, &p) != nil {
		return
	}
	t.last = p
	t.last.Step = nil
	if p.Total > 0 {
		t.known = t.last
	}
	if p.Phase == "train" && p.Done >= 1 {
		t.loss = p.Loss
		t.curve.Add(p.Done, reported(&p))
	}
}
