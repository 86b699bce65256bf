package runs

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"os"

	"infbench/internal/disk"
)

// lineAtMost is the longest line of progress that is read, in bytes. Longer ones are skipped.
const lineAtMost = 1 << 16

// tail reads a file that grows; it only reads the new part.
type tail struct {
	file os.FileInfo // nil before the first read
	at   int64
	rest []byte // incomplete last line
	skip bool   // the current line is too long

	last  Report  // the zero value before the first report
	known Report  // the last report with progress
	loss  float64 // of the last step
	curve Curve
}

// follow reads the text added to the file at path. It reads the file from the start if it is
// another file or has become shorter, and forgets a file that no longer exists.
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

// line reads one report. It ignores other lines.
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
	if p.Phase == PhaseTrain && p.Done >= 1 {
		t.loss = p.Loss
		t.curve.Add(p.Done, reported(&p))
	}
}
