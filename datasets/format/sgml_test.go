package format

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// writeText writes a file and returns its path.
func writeText(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSGML(t *testing.T) {
	for _, tt := range []struct {
		name, record, text string
		want               [][]Element
	}{
		{"document", "doc", "<DOC>\n<DOCNO> FT911-3 </DOCNO>\n<HEADLINE>FT  14 MAY 91</HEADLINE>\n<TEXT>\n<P>A &amp; B,\n2 < 3</P><!-- x > y --> &lt;c\n</TEXT>\n</DOC>\n",
			[][]Element{{{"docno", "FT911-3"}, {"headline", "FT 14 MAY 91"}, {"text", "A & B, 2 < 3 <c"}}}},
		{"bare text", "doc", "<DOC>\n<DOCNO>1</DOCNO>\ncompact  memories\n</DOC>\n<DOC>\n<DOCNO>2</DOCNO>\nx</DOC>",
			[][]Element{{{"docno", "1"}, {"", "compact memories"}}, {{"docno", "2"}, {"", "x"}}}},
		{"one line", "doc", "<doc id=\"7\"><docno>a</docno>x</doc><doc><docno>b</docno></doc>",
			[][]Element{{{"docno", "a"}, {"", "x"}}, {{"docno", "b"}}}},
		{"topic", "top", "<top>\n\n<num> Number: 301 \n<title> International Organized Crime \n\n<desc> Description: \nIdentify x.\n\n<narr> Narrative: \nA document\nmust.\n\n</top>\n",
			[][]Element{{{"num", "Number: 301"}, {"title", "International Organized Crime"}, {"desc", "Description: Identify x."}, {"narr", "Narrative: A document must."}}}},
		{"attributes", "doc", "<DOC><F P=105>x</F> if a<b and c>d</DOC>",
			[][]Element{{{"f", "x"}, {"", "if a<b and c>d"}}}},
		{"latin 1", "doc", "<DOC><DOCNO>1</DOCNO>caf\xe9</DOC>", [][]Element{{{"docno", "1"}, {"", "café"}}}},
		{"empty", "doc", "\n", nil},
	} {
		var got [][]Element
		for r, err := range SGML(writeText(t, "x", tt.text), tt.record) {
			if err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			got = append(got, r.Elements)
		}
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s:\n got %q\nwant %q", tt.name, got, tt.want)
		}
	}
}

func TestSGMLFaults(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"<DOC>\n<DOCNO>1</DOCNO>\n", "x:1: <doc> is not closed"},
		{"<DOC>\n</DOC>\nstray\n", `x:3: text outside of <doc>: "stray"`},
		{"\n<DOC id=1\n>\n</DOC>", "x:2: <doc without >"},
	} {
		var err error
		for _, e := range SGML(writeText(t, "x", tt.text), "doc") {
			err = e
		}
		if err == nil || !strings.HasSuffix(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %s", tt.text, err, tt.want)
		}
	}
}
