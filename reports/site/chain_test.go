package site

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// fourCommits is a history with the text of its lines.
func fourCommits(t *testing.T) (h []Commit, lines []string) {
	t.Helper()
	for i, name := range []string{"c0ffee1", "c0ffee2", "c0ffee3", "c0ffee4"} {
		h = append(h, Commit{Commit: name, Date: "2026-11-20", Values: []CommitValue{{System: "bm25 <b>", Test: "mair/one", Scoring: "nDCG@10", Value: 0.5 + float64(i)/10, Queries: 3}}})
	}
	return h, slices.Collect(strings.Lines(string(history(t, h))))
}

func history(t *testing.T, h []Commit) []byte {
	t.Helper()
	data, err := WriteHistory(h)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestFlippedHistory flips every bit of a history and of one with a single line. Each result is an
// error with its line, or reads as the same numbers.
func TestFlippedHistory(t *testing.T) {
	four, _ := fourCommits(t)
	for _, h := range [][]Commit{four, four[:1]} {
		data, refused := history(t, h), 0
		for at := range data {
			for bit := range 8 {
				changed := bytes.Clone(data)
				changed[at] ^= 1 << bit
				read, err := ReadHistory("h", changed)
				if err == nil && !reflect.DeepEqual(read.Commits, h) {
					t.Fatalf("bit %d of byte %d: read as\n%+v", bit, at, read)
				}
				if err != nil {
					refused++
				}
			}
		}
		t.Logf("%d of %d refused", refused, 8*len(data))
	}
}

// TestHistoryOfOtherLines drops, moves and adds lines.
func TestHistoryOfOtherLines(t *testing.T) {
	h, lines := fourCommits(t)
	other := h[1]
	other.Values = []CommitValue{{System: "bm25", Test: "mair/one", Scoring: "nDCG@10", Value: 0.9, Queries: 3}}
	resummed := slices.Collect(strings.Lines(string(history(t, []Commit{h[0], other}))))[1]
	plain := func(c Commit) string {
		return fmt.Sprintf(`{"commit":%q,"values":[{"system":"bm25","test":"a/b","scoring":"AP","value":0.5,"queries":1}]}`+"\n", c.Commit)
	}
	for name, test := range map[string]struct {
		lines []string
		want  string // "" reads
	}{
		"the first is gone":      {lines[1:], "h:1: the lines before this one are gone"},
		"one in the middle":      {slices.Concat(lines[:1], lines[2:]), "h:2: the line does not follow"},
		"two change places":      {[]string{lines[0], lines[2], lines[1], lines[3]}, "h:2: the line does not follow"},
		"the last comes first":   {slices.Concat(lines[3:], lines[:3]), "h:1: the lines before this one are gone"},
		"one twice":              {slices.Concat(lines[:2], lines[1:]), "h:3: commit c0ffee2 is there twice"},
		"one of another history": {[]string{lines[0], resummed, lines[2], lines[3]}, "h:3: the line does not follow"},
		"one without a sum":      {[]string{lines[0], plain(h[1]), lines[2]}, "h:2: the line has lost its sum"},
		"first without a sum":    {[]string{plain(Commit{Commit: "old"}), lines[0]}, "h:1: the line has lost its sum"},
		"a value more in a line": {[]string{lines[0], strings.TrimSpace(lines[1]) + lines[2]}, "h:2: data after the JSON value"},
		"all without sums":       {[]string{plain(h[0]), plain(h[1])}, "h:1: the line has lost its sum"},
		"windows":                {[]string{strings.Replace(strings.Join(lines, ""), "\n", "\r\n", -1)}, ""},
	} {
		_, err := ReadHistory("h", []byte(strings.Join(test.lines, "")))
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.HasPrefix(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}
