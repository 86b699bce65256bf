package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"infbench/internal/disk"
)

// record has all results of a comparison.
type record struct {
	Machine machine `json:"machine"`
	Runs    int     `json:"runs"`
	Small   bool    `json:"small,omitempty"` // the figures mean nothing
	Lines   []line  `json:"lines"`
	Own     []own   `json:"own,omitempty"`
}

func (r *record) write(path string) error {
	data, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return disk.WriteBytes(path, append(data, '\n'))
}

func readRecord(path string) (*record, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := &record{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// tolerated is the largest allowed ratio of a row's figure to the earlier one.
const tolerated = 1.2

// holdTo lists the rows that are worse than before by more than the tolerated ratio, and
// fails if there are any. Rows with a peer are compared by their ratios, which hold across
// machines of a kind; rows without a peer by seconds, on the same machine only.
func (r *record) holdTo(before *record, stdout io.Writer) error {
	if r.Small != before.Small {
		return errors.New("one of the records has tiny inputs: they cannot be compared")
	}
	worse, notes := r.worse(before)
	for _, text := range append(notes, worse...) {
		fmt.Fprintln(stdout, text)
	}
	if len(worse) > 0 {
		return fmt.Errorf("%d figures are over %.0f %% worse than before", len(worse), 100*(tolerated-1))
	}
	return nil
}

// worse lists the rows that are worse, and those that could not be compared.
func (r *record) worse(before *record) (worse, notes []string) {
	told := func(row, what, unit string, was, is float64) {
		if was > 0 && is > was*tolerated {
			worse = append(worse, fmt.Sprintf("worse: %s: %s was %.3g%s, is %.3g%s", row, what, was, unit, is, unit))
		}
	}
	for _, l := range r.Lines {
		old := find(before.Lines, func(o line) bool { return o.Row == l.Row })
		if l.Ratio == nil || old == nil || old.Ratio == nil {
			notes = append(notes, fmt.Sprintf("not compared: %s: no ratio in both records", l.Row))
			continue
		}
		if l.Theirs.Program == old.Theirs.Program {
			told(l.Row, "time relative to "+l.Theirs.Program, " x", old.Ratio.Median, l.Ratio.Median)
		} else {
			notes = append(notes, fmt.Sprintf("not compared: %s: the peer was %s, is %s", l.Row, old.Theirs.Program, l.Theirs.Program))
		}
		told(l.Row, "memory", " MiB", median(old.Ours.MiB), median(l.Ours.MiB))
	}
	if len(r.Own) > 0 && (r.Machine.Processor != before.Machine.Processor || r.Machine.Threads != before.Machine.Threads) {
		return worse, append(notes, "not compared: rows without a peer: the records are from different machines")
	}
	for _, o := range r.Own {
		old := find(before.Own, func(other own) bool { return other.Row == o.Row })
		if o.All == nil || old == nil || old.All == nil {
			notes = append(notes, fmt.Sprintf("not compared: %s: no figure in both records", o.Row))
			continue
		}
		told(o.Row, "time", " s", median(old.All.Seconds), median(o.All.Seconds))
		told(o.Row, "memory", " MiB", median(old.All.MiB), median(o.All.MiB))
	}
	return worse, notes
}

// find returns the first item that matches, or nil.
func find[T any](items []T, is func(T) bool) *T {
	for i := range items {
		if is(items[i]) {
			return &items[i]
		}
	}
	return nil
}

// The marks between which docs/performance.md has the tables.
const (
	pageBegin = "<!-- make peers DOCS=1 writes from here -->\n"
	pageEnd   = "<!-- to here -->\n"
)

// wanting lists the rows that the tables lack, or that have no figures, and why.
func (r *record) wanting() (rows []string) {
	lack := func(row, why string) { rows = append(rows, fmt.Sprintf("%s (%s)", row, cmp.Or(why, "not run"))) }
	for _, b := range bouts() {
		for _, row := range b.rows {
			l := find(r.Lines, func(l line) bool { return l.Row == row.name })
			switch {
			case l == nil:
				lack(row.name, "")
			case l.Ratio == nil || l.Why != "":
				lack(row.name, l.Why)
			}
		}
	}
	for _, w := range ownWorks() {
		o := find(r.Own, func(o own) bool { return o.Row == w.name })
		switch {
		case o == nil:
			lack(w.name, "")
		case o.All == nil || o.Why != "":
			lack(w.name, o.Why)
		}
	}
	return rows
}

// writePage puts the tables between the marks of a file. It refuses tables of tiny inputs, of
// few turns or with a missing row.
func (r *record) writePage(path string) error {
	if r.Small || r.Runs < usualTurns {
		return fmt.Errorf("%s: tables of tiny inputs or fewer than %d turns do not belong there", path, usualTurns)
	}
	if rows := r.wanting(); len(rows) > 0 {
		return fmt.Errorf("%s: tables without figures of %s do not belong there", path, strings.Join(rows, ", "))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	head, rest, ok := strings.Cut(string(text), pageBegin)
	_, tail, closed := strings.Cut(rest, pageEnd)
	if !ok || !closed {
		return fmt.Errorf("%s has no %q followed by %q", path, strings.TrimSpace(pageBegin), strings.TrimSpace(pageEnd))
	}
	tables, err := r.markdown()
	if err != nil {
		return err
	}
	return disk.WriteBytes(path, []byte(head+pageBegin+"\n"+tables+"\n"+pageEnd+tail))
}
