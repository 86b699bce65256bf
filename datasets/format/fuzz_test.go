package format

import (
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"infbench/internal/testkit"
)

// fuzzColumns ask for every shape. All are optional, so that tests get past schema errors.
var fuzzColumns = []Column{
	{Name: "id", Kind: ID, Optional: true}, {Name: "n|number|grade", Kind: Int, Optional: true}, {Name: "text|title", Optional: true},
	{Name: "labels.id", Kind: ID, List: true, Optional: true}, {Name: "labels.score", Kind: Int, List: true, Optional: true},
	{Name: "gold", List: true, Optional: true},
}

// fuzzRows reads data as a file of the given name, up to its end or first error. It then reads the
// found rows again through ReadAt, which must return the same.
func fuzzRows(t *testing.T, name string, data []byte, cols []Column) {
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	var at []int64
	var texts []string
	for r, err := range Rows([]string{path}, cols) {
		if err != nil {
			break
		}
		if !utf8.ValidString(r.Text(2)) {
			t.Errorf("%v: text is not UTF-8: %q", r.Pos, r.Text(2))
		}
		at = append(at, r.At)
		texts = append(texts, r.Text(2))
	}
	i := 0
	for r, err := range ReadAt(path, cols, at) {
		if err != nil {
			t.Fatalf("ReadAt row %d of %d: %v", i, len(at), err)
		}
		if r.Text(2) != texts[i] {
			t.Fatalf("ReadAt row %d: %q, want %q", i, r.Text(2), texts[i])
		}
		i++
	}
	if i != len(at) {
		t.Fatalf("ReadAt found %d of %d rows", i, len(at))
	}
}

func FuzzJSONL(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "\ufeff{\"id\":1}\r\n\n{\"id\":\"a\",\"n\":2.0,\"text\":\"\\ud800\\\"\"}", `{"labels":[{"id":"a","score":1}],"gold":[]}`,
		`{"labels":{"id":["b"],"score":[3]}}`, `{"text":{"a":[1,"}"]},"id":null}`, "[]", "{\"id\":1e999}", "{\"text\":\"\xff\"}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		testkit.Small.Within(t, len(data), func() {
			fuzzRows(t, "x.jsonl", data, fuzzColumns)
		})
	})
}

func FuzzTSV(f *testing.F) {
	for _, seed := range []string{"", "id\tn\ttext\n1\t2\tx\n", "\ufeffid\ttext\r\n\t\n\n", "text\nx\n\ny", "id\tid\ttext\n1\t2\t3"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		testkit.Small.Within(t, len(data), func() {
			fuzzRows(t, "x.tsv", data, fuzzColumns[:3])
		})
	})
}

func FuzzSGML(f *testing.F) {
	for _, seed := range []string{
		"<DOC>\n<DOCNO>1</DOCNO>\nx &amp; y < z</DOC>\n", "<doc><a b=c>x<!-- </a></doc>", "<DOC><a>x</a", "</DOC><DOC>", "<doc>\xe9</doc>", "<doc><x><y></doc>",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		testkit.Small.Within(t, len(data), func() {
			path := filepath.Join(t.TempDir(), "x")
			if err := os.WriteFile(path, data, 0o644); err != nil {
				t.Fatal(err)
			}
			for r, err := range SGML(path, "doc") {
				if err != nil {
					return
				}
				for _, e := range r.Elements {
					if !utf8.ValidString(e.Text) || len(e.Text) > 8*len(data) {
						t.Errorf("element %q: %q", e.Name, e.Text)
					}
				}
			}
		})
	})
}

// FuzzParquet opens and reads damaged parquet files.
func FuzzParquet(f *testing.F) {
	path := filepath.Join(f.TempDir(), "x.parquet")
	writeParquet(f, path, examples(), 2)
	whole, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add([]byte("PAR1PAR1"))
	for i := 4; i < len(whole); i += 37 {
		damaged := append([]byte{}, whole...)
		damaged[i] ^= 0x41
		f.Add(damaged)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		testkit.Small.Within(t, len(data), func() {
			fuzzRows(t, "x.parquet", data, fuzzColumns)
		})
	})
}
