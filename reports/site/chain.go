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

// chained is a line of history.jsonl. Its Sum is the SHA-256 of the line without Sum, and Before is
// the Sum of the line before. A changed, dropped, added or moved line is thus found in its place.
type chained struct {
	Commit
	Before string `json:"before,omitempty"` // empty in the first line
	Sum    string `json:"sum"`
}

// sumField precedes the sum of a line, which ends the line.
const sumField = `,"sum":"`

// sumOf hashes a line without the sum at its end.
func sumOf(line []byte) (string, error) {
	at := bytes.LastIndex(line, []byte(sumField))
	if at < 0 {
		return "", errors.New("its sum is not at its end")
	}
	return disk.Sum(append(bytes.Clone(line[:at]), '}')), nil
}

// History is the record of a site so far.
type History struct {
	Commits []Commit
}

// ReadHistory reads history.jsonl; empty data is an empty history. It fails on a line that was not
// written in its place. Errors have file:line.
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

// readLine reads a line and checks it against its own sum.
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
		err = errors.New("the line was changed after it was written: its sum does not match")
	}
	return c, err
}

// add appends a line that follows a line with the sum last.
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

// WriteHistory writes the format that ReadHistory reads: each commit a line, chained.
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

// encode encodes a line.
func encode(c chained) ([]byte, error) {
	line, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("history: commit %s: %w", c.Commit.Commit, err)
	}
	return line, nil
}

// SumFile has the sum of the complete history.jsonl, in the format of sha256sum -c. Only it detects
// lines that were cut off at the end.
const SumFile = "history.sha256"

// sumLine returns the content of a history's SumFile.
func sumLine(history []byte) []byte {
	return fmt.Appendf(nil, "%x  %s\n", sha256.Sum256(history), HistoryFile)
}
