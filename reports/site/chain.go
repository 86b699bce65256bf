package site

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"infbench/internal/disk"
	"infbench/internal/strict"
)

// chained is a line of history.jsonl. Its Sum is the SHA-256 of the line as it stands
// without its Sum, and Before is the Sum of the line before, so that a line which was
// changed, dropped, added or moved is found where it stands.
type chained struct {
	Commit
	Before string `json:"before,omitempty"` // none in the first line
	Sum    string `json:"sum"`
}

// sumField stands before the sum of a line, which ends it.
const sumField = `,"sum":"`

// sumOf hashes a line that ends with its sum, as it stands without it.
func sumOf(line []byte) (string, error) {
	at := bytes.LastIndex(line, []byte(sumField))
	if at < 0 {
		return "", errors.New("its sum does not stand at its end")
	}
	return disk.Sum(append(bytes.Clone(line[:at]), '}')), nil
}

// History is what a site has measured so far.
type History struct {
	Commits []Commit
}

// ReadHistory reads history.jsonl; nothing is an empty history. It fails on a line that
// is not what was written where it stands. What is wrong carries file:line.
func ReadHistory(name string, data []byte) (History, error) {
	var h History
	n, last := 0, ""
	for line := range bytes.Lines(data) {
		n++
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		c, err := readLine(line)
		if err == nil {
			err = h.add(c, last)
		}
		if err != nil {
			return History{}, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		last = c.Sum
	}
	return h, nil
}

// readLine reads a line and holds it to its own sum.
func readLine(line []byte) (c chained, err error) {
	if err := strict.Line(line, &c); err != nil {
		return c, err
	}
	if !commitName.MatchString(c.Commit.Commit) {
		return c, fmt.Errorf("%q names no commit", c.Commit.Commit)
	}
	if c.Sum == "" {
		return c, errors.New("the line has lost its sum, or was not written by infbench publish")
	}
	sum, err := sumOf(line)
	if err == nil && sum != c.Sum {
		err = errors.New("the line was changed after it was written: its sum does not fit")
	}
	return c, err
}

// add takes a line over that follows one of that sum.
func (h *History) add(c chained, last string) error {
	first := len(h.Commits) == 0
	switch {
	case slices.ContainsFunc(h.Commits, func(have Commit) bool { return have.Commit == c.Commit.Commit }):
		return fmt.Errorf("commit %s is there twice", c.Commit.Commit)
	case c.Before != last && first:
		return errors.New("the lines before this one are gone")
	case c.Before != last:
		return errors.New("the line does not follow the one before: lines were dropped, added or moved")
	}
	h.Commits = append(h.Commits, c.Commit)
	return nil
}

// WriteHistory is what ReadHistory reads: each commit a line, chained.
func WriteHistory(history []Commit) ([]byte, error) {
	var out []byte
	before := ""
	for _, c := range history {
		line, err := encode(chained{Commit: c, Before: before, Sum: strings.Repeat("0", 2*sha256.Size)})
		if err != nil {
			return nil, err
		}
		sum, err := sumOf(line)
		if err != nil {
			return nil, err
		}
		if line, err = encode(chained{Commit: c, Before: before, Sum: sum}); err != nil {
			return nil, err
		}
		out, before = append(append(out, line...), '\n'), sum
	}
	return out, nil
}

// encode writes a line.
func encode(c chained) ([]byte, error) {
	line, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("history: commit %s: %w", c.Commit.Commit, err)
	}
	return line, nil
}

// SumFile names the whole of history.jsonl, as sha256sum -c reads it: lines that were
// cut off at its end are missed by it alone.
const SumFile = "history.sha256"

// sumLine is what a history's SumFile holds.
func sumLine(history []byte) []byte {
	return fmt.Appendf(nil, "%x  %s\n", sha256.Sum256(history), HistoryFile)
}
