package format

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding/thrift"
)

type label struct {
	ID    string `parquet:"id"`
	Score int32  `parquet:"score"`
}

// example has the column shapes of repositories on the Hugging Face hub: text, list of text, list
// of records, record of lists, optional values.
type example struct {
	ID       string   `parquet:"id"`
	Number   int64    `parquet:"number"`
	Grade    float64  `parquet:"grade"`
	Title    *string  `parquet:"title"`
	Gold     []string `parquet:"gold,list"`
	Labels   []label  `parquet:"labels,list"`
	Passages struct {
		Text     []string `parquet:"passage_text,list"`
		Selected []int32  `parquet:"is_selected,list"`
	} `parquet:"passages"`
}

func examples() []example {
	title := "a title"
	rows := []example{
		{ID: "a", Number: 7, Grade: 2, Title: &title, Gold: []string{"x", "y"}, Labels: []label{{"x", 1}, {"y", 0}}},
		{ID: "b", Number: -1, Gold: []string{}, Labels: nil},
		{ID: "c", Gold: []string{"z"}, Labels: []label{{"z", 3}}},
	}
	rows[2].Passages.Text = []string{"p", "q", "r"}
	rows[2].Passages.Selected = []int32{0, 1, 0}
	return rows
}

// writeParquet writes rows into a file below dir, perGroup rows in each row group.
func writeParquet[T any](t testing.TB, path string, rows []T, perGroup int, options ...parquet.WriterOption) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := parquet.NewGenericWriter[T](f, options...)
	for i := 0; i < len(rows); i += perGroup {
		if _, err := w.Write(rows[i:min(i+perGroup, len(rows))]); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

var exampleColumns = []Column{
	{Name: "id", Kind: ID},
	{Name: "number", Kind: ID},
	{Name: "grade", Kind: Int},
	{Name: "title", Kind: String, Optional: true},
	{Name: "gold", Kind: ID, List: true, Optional: true},
	{Name: "labels.id", Kind: ID, List: true},
	{Name: "labels.score", Kind: Int, List: true},
	{Name: "passages.passage_text", Kind: String, List: true},
	{Name: "absent", Kind: String, Optional: true},
}

// TestParquetShapes reads every shape of column, with every compression, over
// several row groups.
func TestParquetShapes(t *testing.T) {
	for name, codec := range map[string]compress.Codec{
		"none": &parquet.Uncompressed, "snappy": &parquet.Snappy, "zstd": &parquet.Zstd, "gzip": &parquet.Gzip,
	} {
		path := writeParquet(t, filepath.Join(t.TempDir(), "x.parquet"), examples(), 2, parquet.Compression(codec))
		var got [][]any
		for r, err := range Rows([]string{path, path}, exampleColumns) {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got = append(got, []any{r.Text(0), r.Text(1), r.Int(2), r.Text(3), strings.Join(r.Texts(4), " "),
				strings.Join(r.Texts(5), " "), append([]int64{}, r.Ints(6)...), strings.Join(r.Texts(7), " "), r.cells[8].has, r.Pos.Group, r.Pos.Row, int(r.At)})
		}
		want := [][]any{
			{"a", "7", 2, "a title", "x y", "x y", []int64{1, 0}, "", false, 0, 0, 0},
			{"b", "-1", 0, "", "", "", []int64{}, "", false, 0, 1, 1},
			{"c", "0", 0, "", "z", "z", []int64{3}, "p q r", false, 1, 0, 2},
		}
		want = append(want, want...)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n got %v\nwant %v", name, got, want)
		}
	}
}

// dropPageIndex removes the offsets of the page indexes from the footer of a parquet file, as most
// writers leave them out.
func dropPageIndex(t *testing.T, path string) {
	t.Helper()
	pf, f, err := openParquet(path, jumpBuffer)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	meta := *pf.Metadata()
	for _, group := range meta.RowGroups {
		for i := range group.Columns {
			c := &group.Columns[i]
			c.OffsetIndexOffset, c.OffsetIndexLength, c.ColumnIndexOffset, c.ColumnIndexLength = 0, 0, 0, 0
		}
	}
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), meta)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	n := len(whole)
	end := n - 8 - int(binary.LittleEndian.Uint32(whole[n-8:]))
	whole = append(whole[:end], footer...)
	whole = binary.LittleEndian.AppendUint32(whole, uint32(len(footer)))
	if err := os.WriteFile(path, append(whole, "PAR1"...), 0o644); err != nil {
		t.Fatal(err)
	}
	if pf, f, err := openParquet(path, jumpBuffer); err != nil {
		t.Fatal(err)
	} else if _, err := pf.RowGroups()[0].ColumnChunks()[0].OffsetIndex(); !errors.Is(err, parquet.ErrMissingOffsetIndex) {
		t.Fatalf("the index of pages is still there: %v", err)
	} else {
		f.Close()
	}
}

// TestParquetReadAt picks distant rows from several pages and groups, of flat columns and lists,
// with and without a page index.
func TestParquetReadAt(t *testing.T) {
	var rows []example
	for i := range 1000 {
		r := example{ID: fmt.Sprint("id", i), Number: int64(i)}
		for j := range i % 3 {
			r.Gold = append(r.Gold, fmt.Sprint(i, "/", j))
		}
		rows = append(rows, r)
	}
	path := writeParquet(t, filepath.Join(t.TempDir(), "x.parquet"), rows, 300, parquet.PageBufferSize(500))
	at := []int64{999, 0, 1, 5, 40, 41, 298, 299, 300, 599, 601, 640, 5}
	want := slices.Compact(slices.Sorted(slices.Values(at)))
	for _, name := range []string{"with index", "without index"} {
		var got []int64
		for r, err := range ReadAt(path, exampleColumns[:5], at) {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got = append(got, r.At)
			if i := int(r.At); r.Text(0) != rows[i].ID || !slices.Equal(r.Texts(4), rows[i].Gold) {
				t.Errorf("%s: row %d: %s %q, want %q", name, i, r.Text(0), r.Texts(4), rows[i].Gold)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: rows %v, want %v", name, got, want)
		}
		dropPageIndex(t, path)
	}
	var err error
	for _, e := range ReadAt(path, exampleColumns[:1], []int64{5, 1000}) {
		err = e
	}
	if err == nil || !strings.HasSuffix(err.Error(), "x.parquet: no row 1000, the file has 1000") {
		t.Errorf("behind the end: %v", err)
	}
}

// TestParquetSchema asks for columns that are not there or of another type.
func TestParquetSchema(t *testing.T) {
	path := writeParquet(t, filepath.Join(t.TempDir(), "x.parquet"), examples(), 9)
	for _, tt := range []struct {
		column Column
		want   string // "" for none
	}{
		{Column{Name: "id", Kind: String}, ""},
		{Column{Name: "_id|id", Kind: ID}, ""},
		{Column{Name: "number", Kind: Int}, ""},
		{Column{Name: "text"}, `x.parquet: no column "text" (string); the file has ["id" "number"`},
		{Column{Name: "number"}, `x.parquet: column "number": found int(64,true), want string`},
		{Column{Name: "id", Kind: Int}, `x.parquet: column "id": found string, want integer`},
		{Column{Name: "gold"}, `column "gold": found list of string, want string`},
		{Column{Name: "id", List: true}, `column "id": found string, want list of string`},
		{Column{Name: "labels.score", List: true}, `column "labels.score": found list of int(32,true), want list of string`},
		{Column{Name: "title", Kind: Int, Optional: true}, `column "title": found string, want integer`},
		{Column{Name: "absent", Optional: true}, `x.parquet: none of the columns asked for; the file has ["id"`},
	} {
		var err error
		rows := 0
		for _, e := range Rows([]string{path}, []Column{tt.column}) {
			if err = e; e == nil {
				rows++
			}
		}
		if tt.want == "" && (err != nil || rows != 3) {
			t.Errorf("%v: %d rows, %v", tt.column, rows, err)
		}
		if tt.want != "" && (err == nil || rows != 0 || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%v: %d rows, error %v, want %s", tt.column, rows, err, tt.want)
		}
	}
}

// TestParquetNull reads nulls where values are needed.
func TestParquetNull(t *testing.T) {
	type row struct {
		Text *string   `parquet:"text"`
		List []*string `parquet:"list,list"`
	}
	x := "x"
	path := writeParquet(t, filepath.Join(t.TempDir(), "x.parquet"), []row{{&x, []*string{&x}}, {&x, nil}, {nil, []*string{&x, nil}}}, 2)
	for _, tt := range []struct {
		column Column
		want   string
	}{
		{Column{Name: "text"}, `x.parquet: row group 1, row 0: column "text" is null, want string`},
		{Column{Name: "list", List: true}, `x.parquet: row group 1, row 0: column "list": null in list`},
	} {
		var err error
		for _, e := range Rows([]string{path}, []Column{tt.column}) {
			err = e
		}
		if err == nil || err.Error() != filepath.Dir(path)+"/"+tt.want {
			t.Errorf("error %v, want %s", err, tt.want)
		}
	}
}

// TestMayHaveNulls rules nulls out by the schema or by counts.
func TestMayHaveNulls(t *testing.T) {
	type optional struct {
		Text *string `parquet:"text"`
	}
	type required struct {
		Text string `parquet:"text"`
	}
	x, dir := "x", t.TempDir()
	for name, c := range map[string]struct {
		path string
		want bool
	}{
		"required":     {writeParquet(t, filepath.Join(dir, "a.parquet"), []required{{x}}, 1), false},
		"optional":     {writeParquet(t, filepath.Join(dir, "b.parquet"), []optional{{&x}, {&x}}, 1), false},
		"in the last":  {writeParquet(t, filepath.Join(dir, "c.parquet"), []optional{{&x}, {&x}, {nil}}, 1), true},
		"among others": {writeParquet(t, filepath.Join(dir, "d.parquet"), []optional{{nil}, {&x}}, 2), true},
		"no rows":      {writeParquet(t, filepath.Join(dir, "e.parquet"), []optional{}, 1), false},
	} {
		if got, err := MayHaveNulls(c.path, Column{Name: "text"}); err != nil || got != c.want {
			t.Errorf("%s: %v, %v, want %v", name, got, err, c.want)
		}
	}
	if _, err := MayHaveNulls(filepath.Join(dir, "a.parquet"), Column{Name: "title"}); err == nil {
		t.Error("no error for a column that is not there")
	}
}

// TestParquetWholeNumbers rejects grades that are not integers.
func TestParquetWholeNumbers(t *testing.T) {
	rows := examples()
	rows[1].Grade = 0.5
	path := writeParquet(t, filepath.Join(t.TempDir(), "x.parquet"), rows, 9)
	var err error
	for _, e := range Rows([]string{path}, []Column{{Name: "grade", Kind: Int}}) {
		err = e
	}
	if err == nil || !strings.HasSuffix(err.Error(), `row group 0, row 1: column "grade": found 0.5, want integer`) {
		t.Error(err)
	}
}

// TestParquetDamaged truncates a file at every byte: always an error, never a panic or an extra
// row.
func TestParquetDamaged(t *testing.T) {
	dir := t.TempDir()
	whole, err := os.ReadFile(writeParquet(t, filepath.Join(dir, "whole.parquet"), examples(), 2))
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(dir, "cut.parquet")
	for n := 0; n < len(whole); n += 7 {
		if err := os.WriteFile(cut, whole[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		var err error
		for _, e := range Rows([]string{cut}, exampleColumns) {
			err = e
		}
		if err == nil || !strings.Contains(err.Error(), "cut.parquet: not a complete parquet file") {
			t.Fatalf("first %d of %d bytes: %v", n, len(whole), err)
		}
	}
}

// TestMSMARCOSample reads a real file of MS MARCO v2.1 as pyarrow wrote it for the hub: ten queries
// with ten passages each, as lists inside a record.
func TestMSMARCOSample(t *testing.T) {
	path := testkit.SharedPath(t, "data", "msmarco-sample", "ms_marco_v2.1_validation_10.parquet")
	cols := []Column{
		{Name: "query_id", Kind: ID}, {Name: "query"},
		{Name: "passages.passage_text", List: true}, {Name: "passages.is_selected", Kind: Int, List: true},
		{Name: "answers", List: true}, {Name: "wellFormedAnswers", List: true},
	}
	n, passages, selected := 0, 0, int64(0)
	for r, err := range Rows([]string{path}, cols) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		passages += len(r.Texts(2))
		if len(r.Texts(2)) != len(r.Ints(3)) || len(r.Texts(4)) == 0 || r.Text(1) == "" {
			t.Errorf("%v: %d passages, %d marks, %d answers", r.Pos, len(r.Texts(2)), len(r.Ints(3)), len(r.Texts(4)))
		}
		for _, s := range r.Ints(3) {
			selected += s
		}
	}
	if n != 10 || passages != 100 || selected == 0 {
		t.Errorf("%d rows, %d passages, %d selected; want 10 and 100", n, passages, selected)
	}
}
