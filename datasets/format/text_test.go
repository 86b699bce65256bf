package format

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// pack compresses content as the ending of name says.
func pack(t testing.TB, name, content string) string {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	switch filepath.Ext(name) {
	case ".gz":
		w = gzip.NewWriter(&b)
	case ".zst":
		z, err := zstd.NewWriter(&b)
		if err != nil {
			t.Fatal(err)
		}
		w = z
	default:
		return content
	}
	if _, err := io.WriteString(w, content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var textColumns = []Column{{Name: "id", Kind: ID}, {Name: "n", Kind: Int}, {Name: "text"}, {Name: "title", Optional: true}}

// TestTextTables reads one table in all syntaxes and compressions, and again row by row through
// ReadAt.
func TestTextTables(t *testing.T) {
	tables := map[string]string{
		"x.jsonl": "\ufeff{\"id\": \"a\", \"n\": 1, \"text\": \"x\\ty\", \"title\": \"T\"}\r\n\n{\"text\": \"\\u00e9\", \"id\": 2, \"n\": 2.0, \"other\": {\"id\": [\"}\"]}}\n" +
			"{\"id\":\"c\",\"n\":-3,\"text\":\"\",\"title\":null}",
		"x.tsv": "\ufeffid\tn\ttext\ttitle\r\na\t1\tx y\tT\r\n2\t2\té\t\nc\t-3\t\t",
		"x.csv": "id,n,text,title\na,1,\"x\ty\",T\n2,2,é,\nc,-3,,\n",
	}
	for name, content := range tables {
		for _, ending := range []string{"", ".gz", ".zst"} {
			path := writeText(t, name+ending, pack(t, name+ending, content))
			var got [][]any
			var at []int64
			for r, err := range Rows([]string{path}, textColumns) {
				if err != nil {
					t.Fatalf("%s: %v", path, err)
				}
				got = append(got, []any{r.Text(0), r.Int(1), strings.ReplaceAll(r.Text(2), "\t", " "), r.Text(3)})
				at = append(at, r.At)
			}
			want := [][]any{{"a", 1, "x y", "T"}, {"2", 2, "é", ""}, {"c", -3, "", ""}}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s%s: got %v, want %v", name, ending, got, want)
			}
			var ids []string
			for r, err := range ReadAt(path, textColumns, []int64{at[2], at[0], at[2]}) {
				if err != nil {
					t.Fatalf("%s: %v", path, err)
				}
				ids = append(ids, r.Text(0))
			}
			if !reflect.DeepEqual(ids, []string{"a", "c"}) {
				t.Errorf("%s%s: ReadAt found %q, want a and c", name, ending, ids)
			}
		}
	}
}

// TestJSONNested reads lists of records and records of lists.
func TestJSONNested(t *testing.T) {
	path := writeText(t, "x.jsonl", `{"labels": [{"id": "a", "score": 1}, {"score": 2, "id": 7}], "gold": []}
{"labels": {"id": ["b"], "score": [3.0]}, "gold": ["x"], "deep": {"er": "y"}}`)
	cols := []Column{
		{Name: "labels.id", Kind: ID, List: true}, {Name: "labels.score", Kind: Int, List: true},
		{Name: "gold", List: true}, {Name: "none|deep.er", Optional: true},
	}
	var got []string
	for r, err := range Rows([]string{path}, cols) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, strings.Join(r.Texts(0), "+"), strings.Join(r.Texts(2), "+"), r.Text(3))
		if len(r.Ints(1)) != len(r.Texts(0)) {
			t.Errorf("%v: scores %v", r.Pos, r.Ints(1))
		}
	}
	if want := []string{"a+7", "", "", "b", "x", "y"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestTextFaults checks the errors of bad lines and their positions.
func TestTextFaults(t *testing.T) {
	list := []Column{{Name: "l", List: true}}
	for _, tt := range []struct {
		name, content string
		cols          []Column
		want          string
	}{
		{"x.jsonl", "{\"id\":1}\n{\"id\":1", textColumns[:1], "x.jsonl:2: malformed JSON at byte 7: unexpected end of JSON input"},
		{"x.jsonl", "[1]", textColumns[:1], "x.jsonl:1: found list, want an object"},
		{"x.jsonl", `{"id":null}`, textColumns[:1], `x.jsonl:1: column "id" is missing or null, want string or integer`},
		{"x.jsonl", `{"id":1.5}`, textColumns[:1], `x.jsonl:1: column "id": found 1.5, want integer`},
		{"x.jsonl", `{"id":true}`, textColumns[:1], `x.jsonl:1: column "id": found boolean, want string or integer`},
		{"x.jsonl", `{"l":"x"}`, list, `x.jsonl:1: column "l": found string, want list of string`},
		{"x.jsonl", `{"l":["x",null]}`, list, `x.jsonl:1: column "l": in list: found null, want string`},
		{"x.jsonl", `{"l":["x",3]}`, list, `x.jsonl:1: column "l": in list: found number, want string`},
		{"x.jsonl", "{\"id\":\"\xff\"}", textColumns[:1], "x.jsonl:1: not UTF-8"},
		{"x.tsv", "id\ttext\n1\t2\n", textColumns, `x.tsv:1: no column "n" (integer); the header has ["id" "text"]`},
		{"x.tsv", "id\n", list, `x.tsv:1: column "l": a text table holds no lists`},
		{"x.csv", "id,n,text\n1,x,y\n", textColumns, `x.csv:2: column "n": found "x", want integer`},
		{"x.csv", "id,n,text\n1,\"x,y\n", textColumns, `x.csv:2: extraneous or missing " in quoted-field`},
		{"x.csv", "id,n,text\n1,2,x\n3,4\n", textColumns, `x.csv:3: found 2 fields, want 3 as in the header`},
		{"x.txt", "", textColumns, `x.txt: unknown file ending ".txt"`},
	} {
		var err error
		for _, e := range Rows([]string{writeText(t, tt.name, tt.content)}, tt.cols) {
			err = e
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %q: %v, want %s", tt.name, tt.content, err, tt.want)
		}
	}
}

// TestTruncated truncates compressed files: the result must be an error, never a silent end.
func TestTruncated(t *testing.T) {
	content := strings.Repeat("{\"id\": \"a\"}\n", 5000)
	for _, name := range []string{"x.jsonl.gz", "x.jsonl.zst"} {
		packed := pack(t, name, content)
		for _, n := range []int{5, len(packed) / 2, len(packed) - 1} {
			var err error
			for _, e := range Rows([]string{writeText(t, name, packed[:n])}, textColumns[:1]) {
				err = e
			}
			if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), name) {
				t.Errorf("%s: first %d of %d bytes: %v", name, n, len(packed), err)
			}
		}
	}
}

func TestLongLines(t *testing.T) {
	long := strings.Repeat("x", 300_000)
	n := 0
	for line, err := range Lines(writeText(t, "x", long+"\n"+long)) {
		if err != nil || string(line.Text) != long || line.Pos.Line != n+1 || line.Off != int64(n*(len(long)+1)) {
			t.Fatalf("line %d: %d bytes at %d, %v", line.Pos.Line, len(line.Text), line.Off, err)
		}
		n++
	}
	if n != 2 {
		t.Errorf("%d lines, want 2", n)
	}
	var err error
	readLines("x", strings.NewReader("short\n"+long), 100_000, func(_ Line, e error) bool { err = e; return true })
	if err == nil || err.Error() != "x:2: line longer than 100000 bytes" {
		t.Errorf("over the cap: %v", err)
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "a.jsonl.zst"), nil, 0o644)
	os.Mkdir(filepath.Join(dir, "b"), 0o755)
	if got, err := Find(filepath.Join(dir, "a.jsonl")); err != nil || got != filepath.Join(dir, "a.jsonl.zst") {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := Find(filepath.Join(dir, "b")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder is no file: %v", err)
	}
}
