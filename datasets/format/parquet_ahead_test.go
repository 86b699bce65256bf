package format

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/parquet-go/parquet-go"
)

// manyPages writes rows of every shape in row groups of 300, with dictionaries and several pages
// per column.
func manyPages(t testing.TB) string {
	t.Helper()
	type row struct {
		ID    string   `parquet:"id"`
		Kind  string   `parquet:"kind,dict"`
		Text  string   `parquet:"text"`
		Title *string  `parquet:"title"`
		Gold  []string `parquet:"gold,list"`
	}
	rows := make([]row, 1000)
	for i := range rows {
		r := row{ID: fmt.Sprint("id", i), Kind: fmt.Sprint("kind ", i%7), Text: strings.Repeat(fmt.Sprint("text ", i, " "), i%11)}
		if i%3 > 0 {
			r.Title = &r.Text
		}
		for j := range i % 5 {
			r.Gold = append(r.Gold, fmt.Sprint(i, "/", j))
		}
		rows[i] = r
	}
	return writeParquet(t, filepath.Join(t.TempDir(), "x.parquet"), rows, 300, parquet.PageBufferSize(700), parquet.Compression(&parquet.Zstd))
}

var manyColumns = []Column{{Name: "id", Kind: ID}, {Name: "kind"}, {Name: "text"}, {Name: "title", Optional: true}, {Name: "gold", List: true, Optional: true}}

// onProcessors calls do with GOMAXPROCS set to n; with one processor nothing is read ahead.
func onProcessors(n int, do func()) {
	before := runtime.GOMAXPROCS(n)
	defer runtime.GOMAXPROCS(before)
	do()
}

// rowsOf reads rows up to the first error, each printed with its position.
func rowsOf(path string, cols []Column) (rows []string, fault error) {
	for r, err := range Rows([]string{path}, cols) {
		if err != nil {
			return rows, err
		}
		rows = append(rows, strings.TrimSpace(fmt.Sprintln(r.Pos.Group, r.Pos.Row, r.At, r.Text(0), r.Text(1), r.Text(2), r.Text(3), r.cells[3].has, r.Texts(4))))
	}
	return rows, nil
}

// TestPagesAhead reads the same rows on any number of processors.
func TestPagesAhead(t *testing.T) {
	path := manyPages(t)
	var want []string
	var err error
	onProcessors(1, func() { want, err = rowsOf(path, manyColumns) })
	if err != nil || len(want) != 1000 {
		t.Fatalf("%d rows, %v", len(want), err)
	}
	if got := want[301]; got != "1 1 301 id301 kind 0 text 301 text 301 text 301 text 301  text 301 text 301 text 301 text 301  true [301/0]" {
		t.Errorf("row 301 is %q", got)
	}
	for _, n := range []int{2, 3, 16} {
		onProcessors(n, func() {
			if got, err := rowsOf(path, manyColumns); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%d processors: %d rows, %v", n, len(got), err)
			}
		})
	}
}

// TestPagesAheadDamaged changes bytes all over a file: several processors must return the same rows
// and then the same error as one.
func TestPagesAheadDamaged(t *testing.T) {
	path := manyPages(t)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	faults := 0
	for at := 4; at < len(whole); at += 211 {
		damaged := bytes.Clone(whole)
		damaged[at] ^= 0x55
		if err := os.WriteFile(path, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		var want, got []string
		var said, says error
		onProcessors(1, func() { want, said = rowsOf(path, manyColumns) })
		onProcessors(4, func() { got, says = rowsOf(path, manyColumns) })
		if said != nil {
			faults++
		}
		if fmt.Sprint(said) != fmt.Sprint(says) || !reflect.DeepEqual(got, want) {
			t.Errorf("byte %d: %d rows and %v, on one processor %d and %v", at, len(got), says, len(want), said)
		}
	}
	if faults < 20 {
		t.Errorf("%d of the changes were seen", faults)
	}
}

// TestPagesAheadEnd stops in the middle of a row group, by returning and by panicking: no goroutine
// may remain.
func TestPagesAheadEnd(t *testing.T) {
	path := manyPages(t)
	onProcessors(4, func() {
		before := runtime.NumGoroutine()
		for _, at := range []int{0, 299, 300, 450} {
			n := 0
			for range Rows([]string{path}, manyColumns) {
				if n++; n > at {
					break
				}
			}
			func() {
				defer func() { _ = recover() }()
				for r := range Rows([]string{path}, manyColumns) {
					if r.At == int64(at) {
						panic("the caller's own")
					}
				}
			}()
			now := runtime.NumGoroutine()
			for wait := 0; now > before && wait < 1000; wait++ { // the last goroutines are about to end
				time.Sleep(time.Millisecond)
				now = runtime.NumGoroutine()
			}
			if now > before {
				t.Errorf("stopped at row %d: %d goroutines, %d before", at, now, before)
			}
		}
	})
}

// TestSplice reads distant and unordered parts of a file as one.
func TestSplice(t *testing.T) {
	file := strings.NewReader("0123456789abcdefghijklmnopqrstuvwxyz")
	l := &chunkLayout{begin: 1000, dictionaries: []span{{30, 3}}, pages: []span{{1, 4}, {10, 0}, {5, 2}, {20, 5}, {12, 1}}}
	for _, c := range []struct {
		k, n int
		want string
	}{{0, 1, "uvw123456klmnoc"}, {0, 2, "uvw123456c"}, {1, 2, "uvwklmno"}, {3, 4, "uvwklmno"}} {
		s := newSplice(file, l, c.k, c.n)
		if err := iotest.TestReader(io.NewSectionReader(s, l.begin, int64(len(c.want))), []byte(c.want)); err != nil {
			t.Errorf("from %d every %d: %v", c.k, c.n, err)
		}
		if n, err := s.ReadAt(make([]byte, 100), l.begin); n != len(c.want) || err != io.EOF {
			t.Errorf("from %d every %d: read %d, %v", c.k, c.n, n, err)
		}
	}
	cut := newSplice(file, &chunkLayout{pages: []span{{34, 5}}}, 0, 1)
	if n, err := cut.ReadAt(make([]byte, 5), 0); n != 2 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("behind the file's end: read %d, %v", n, err)
	}
}

// BenchmarkParquetText reads one column of texts of a file with two.
func BenchmarkParquetText(b *testing.B) {
	type row struct {
		ID   string `parquet:"id"`
		Text string `parquet:"text"`
	}
	rows, size := make([]row, 20_000), 0
	for i := range rows {
		var text strings.Builder
		for j := range 300 + i%100 {
			fmt.Fprintf(&text, "%x ", (i*7919+j*j*104729)%1_000_003)
		}
		rows[i] = row{fmt.Sprint("doc-", i), text.String()}
		size += text.Len()
	}
	path := writeParquet(b, filepath.Join(b.TempDir(), "x.parquet"), rows, 5000, parquet.Compression(&parquet.Zstd))
	for _, n := range []int{1, runtime.GOMAXPROCS(0)} {
		b.Run(fmt.Sprint("processors=", n), func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			onProcessors(n, func() {
				for b.Loop() {
					for _, err := range Rows([]string{path}, []Column{{Name: "text"}}) {
						if err != nil {
							b.Fatal(err)
						}
					}
				}
			})
		})
	}
}
