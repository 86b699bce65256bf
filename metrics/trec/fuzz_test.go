package trec

import (
	"bytes"
	"reflect"
	"testing"

	"infbench/internal/testkit"
)

// FuzzRun reads arbitrary input; accepted input must be written and read back the same.
func FuzzRun(f *testing.F) {
	for _, seed := range []string{"q Q0 d 1 1.5 t\n", "q Q0 d 1 1 t\r\n\n# c\nq Q0 e 2 -0 t x", "a Q0 d 1 inf t\nb Q0 d 1 0x1p-3 t\na Q0 e 1 1e-400 t", "q Q0 d 1 nan t", "q Q0 d\x00 1 1 t", "\x1f\x8b", "q\u00a0 Q0 \xff 1 1 t\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		testkit.Small.Within(t, len(text), func() {
			run, tag, err := Options{}.ReadRun(bytes.NewReader(text), "run")
			if err != nil {
				return
			}
			var out bytes.Buffer
			if err := WriteRun(&out, run, tag); err != nil {
				t.Fatalf("read, but not written: %v", err)
			}
			again, tag2, err := Options{}.ReadRun(&out, "again")
			if err != nil || tag2 != tag || !reflect.DeepEqual(again, run) {
				t.Fatalf("%v, tag %q, reads back as %v, tag %q, %v", run, tag, again, tag2, err)
			}
		})
	})
}

// FuzzQrels is FuzzRun for judgments, and also reads the other formats.
func FuzzQrels(f *testing.F) {
	for _, seed := range []string{"q 0 d 1\n", "# c\nq 0 d -1\r\nq 0 e 1.9", "q 0 d 99999999999999999999\n", "q d\n", "q 0 d 1 x\n", "q 0 d\x00 1"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		testkit.Small.Within(t, len(text), func() {
			ReadSubtopics(bytes.NewReader(text), "subtopics")
			ReadChanged(bytes.NewReader(text), "changed")
			qrels, err := Options{}.ReadQrels(bytes.NewReader(text), "qrels")
			if err != nil {
				return
			}
			var out bytes.Buffer
			if err := WriteQrels(&out, qrels); err != nil {
				if hasComment(qrels) {
					return // an ID after white space may begin with #, and is an error
				}
				t.Fatalf("read, but not written: %v", err)
			}
			again, err := Options{}.ReadQrels(&out, "again")
			if err != nil || !reflect.DeepEqual(again, qrels) {
				t.Fatalf("%v reads back as %v, %v", qrels, again, err)
			}
		})
	})
}

// hasComment reports whether a query ID begins with #.
func hasComment(qrels Qrels) bool {
	for query := range qrels {
		if query[0] == '#' {
			return true
		}
	}
	return false
}

// FuzzRunLines compares reading lines one after the other, which skips the parts that a line
// shares with the previous one, with reading each line as the first.
func FuzzRunLines(f *testing.F) {
	for _, seed := range []string{
		"q Q0 d 1 1.5 t\nq Q0 e 2 1 t\nqq Q0 e 2 1 t\n", "q Q0 d 1 1 t\nq Q0 \n", "q Q0 d 1 1 t\nq Q0  \td 1 1 t\nq Q0 d 1 1  t\n\nq Q0 f 1 1 t",
		" q Q0 d 1 1 t\n q Q0 e 1 1 tt\n# q Q0 d 1 1 t\n q Q0 g 1 1 t\n", "q Q0 d 1 1 t x\nq Q0 d2 1 1 t x\nq Q0 d3 1 1 t xy\n", "q Q0 d 1 1 t\r\nq Q0 e 1 1 t\r\n", "q Q0 d 1 1\nq Q0 e 1 1\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		testkit.Small.Within(t, len(text), func() {
			var l runLine
			for l.next < len(text) {
				at := l.next
				problem := l.read(text)
				alone := runLine{start: at, next: at, doc: span{at, at}, scoreText: span{at, at}}
				if alone.read(text) != problem {
					t.Fatalf("%q at %d: %q", text, at, problem)
				}
				if problem != "" {
					return
				}
				if alone.again = l.again; alone != l {
					t.Fatalf("%q at %d: %+v, alone %+v", text, at, l, alone)
				}
			}
		})
	})
}
