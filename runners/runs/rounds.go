package runs

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"infbench/internal/disk"
	"infbench/runners/results"
)

// Rounds is the log of an active sweep in its run folder: ActiveFile.
type Rounds struct{ at Folder }

// Rounds returns the log of the folder.
func (f Folder) Rounds() Rounds { return Rounds{f} }

// Path returns the path of the log.
func (r Rounds) Path() string { return r.at.path(ActiveFile) }

// Read returns the log of an active sweep; nil for a folder without one. It checks every line
// against its hash in the next line.
func (r Rounds) Read() (*Active, error) {
	data, err := disk.ReadFile(r.Path())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	a := &Active{}
	if err := r.take(a, linesOf(data), 0); err != nil {
		return nil, err
	}
	return a, nil
}

// Begin writes the settings of an active sweep, or reads the log of another process that was
// faster.
func (r Rounds) Begin(s results.ActiveSettings) (*Active, error) {
	a := &Active{}
	text, err := a.line(&s, nil)
	if err != nil {
		return nil, err
	}
	if err := a.read(text); err != nil {
		return nil, err
	}
	err = disk.WriteNew(r.Path(), append(text, '\n'))
	if errors.Is(err, fs.ErrExist) {
		return r.Read()
	}
	return a, err
}

// Add appends a round to the log, or reads the equal round of another process. It writes the
// complete file again: the file is small, and is then complete whatever happens.
func (r Rounds) Add(a *Active, round results.ActiveRound) error {
	text, err := a.line(nil, &round)
	if err != nil {
		return err
	}
	before, err := disk.ReadFile(r.Path())
	if err != nil {
		return err
	}
	lines := linesOf(before)
	last := slices.IndexFunc(lines, func(l []byte) bool { return disk.Sum(string(l)) == a.last })
	if after := lines[last+1:]; last >= 0 && len(after) > 0 && bytes.Equal(after[0], text) {
		return r.take(a, after, last+1)
	}
	if last != len(lines)-1 {
		return fmt.Errorf("%s: another process has continued it", r.Path())
	}
	if err := a.read(text); err != nil {
		return err
	}
	return disk.WriteBytesTo(r.at.Files, r.Path(), append(append(before, text...), '\n'))
}

// take reads lines after the first before lines.
func (r Rounds) take(a *Active, lines [][]byte, before int) error {
	for i, text := range lines {
		if err := a.read(text); err != nil {
			return fmt.Errorf("%s:%d: %w", r.Path(), before+i+1, err)
		}
	}
	return nil
}

// linesOf returns the lines of a file, without their ends.
func linesOf(data []byte) [][]byte {
	return bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
}
