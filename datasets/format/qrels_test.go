package format

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"infbench/metrics/trec"
)

// TestOpenQrels reads the same judgments from every layout: trec_eval's (also MS MARCO's, by
// tabs and with the ending .tsv), BEIR's, those of ir_measures and PyTerrier, lines of three
// fields, and folders.
func TestOpenQrels(t *testing.T) {
	const (
		fields = "q1 0 d1 2\nq1 0 d2 0\nq2 0 d1 1\n"
		beir   = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq2\td1\t1\n"
	)
	tabs := strings.ReplaceAll(fields, " ", "\t")
	want := trec.Qrels{"q1": {"d1": 2, "d2": 0}, "q2": {"d1": 1}}
	for name, files := range map[string]map[string]string{
		"trec_eval's":              {"": fields},
		"of MS MARCO":              {".tsv": tabs},
		"after a comment":          {"": "# judged by hand\n" + fields},
		"BEIR's":                   {".tsv": beir},
		"BEIR's by another name":   {".txt": beir},
		"BEIR's with a BOM, CR LF": {".tsv": "\ufeff" + strings.ReplaceAll(beir, "\n", "\r\n")},
		"of ir_measures":           {".tsv": "query_id\tdoc_id\trelevance\titeration\nq1\td1\t2\t0\nq1\td2\t0\t0\nq2\td1\t1\t0\n"},
		"PyTerrier's in CSV":       {".csv": "qid,docno,label\nq1,d1,2\nq1,d2,0\nq2,d1,1\n"},
		"JSON Lines":               {".jsonl": `{"query-id":"q1","corpus-id":"d1","score":2}` + "\n" + `{"query-id":"q1","corpus-id":"d2","score":0}` + "\n" + `{"query-id":"q2","corpus-id":"d1","score":1}`},
		"three fields, tabs":       {".tsv": "q1\td1\t2\nq1\td2\t0\nq2\td1\t1\n"},
		"three fields, spaces":     {".txt": "q1 d1 2\nq1 d2 0\nq2 d1 1"},
		"a repeated judgment":      {".tsv": beir + "q1\td1\t2\n"},
		"a folder with qrels":      {"/qrels": fields, "/docs.sgml": "", "/topics": ""},
		"a folder with qrels.txt":  {"/qrels.txt": fields, "/qrels.old.txt": "x"},
		"a folder with one qrels*": {"/qrels.robust.txt": fields, "/README.md": ""},
		"a folder of BEIR":         {"/qrels/test.tsv": beir, "/qrels/dev.tsv": "x", "/corpus.jsonl": ""},
		"the qrels of BEIR":        {"/test.tsv": beir},
	} {
		qrels, err := OpenQrels(tree(t, files), trec.Options{})
		if err != nil || !reflect.DeepEqual(qrels, want) {
			t.Errorf("%s: %v, %v", name, qrels, err)
		}
	}
}

// TestOpenQrelsErrors checks that other files, and unclear ones, are errors.
func TestOpenQrelsErrors(t *testing.T) {
	for want, files := range map[string]map[string]string{
		":1: want four fields":                  {"": "301 0 1234\n"}, // trec_eval's without its grade, not document 0
		":2: want four fields":                  {"": "q 0 d 1\nq d 1\n"},
		":2: want three fields":                 {"": "q d 1\nq 0 d 1\n"},
		`:2: grade: found "1.5"`:                {"": "q d 1\nq e 1.5\n"},
		`:3: column "score`:                     {"": "query-id\tcorpus-id\tscore\nq\td\t1\nq\te\thigh\n"},
		`:1: no column "score`:                  {"": "query-id\tcorpus-id\nq\td\n"},
		`:3: query "q", document "d": graded 0`: {"": "query-id\tcorpus-id\tscore\nq\td\t1\nq\td\t0\n"},
		": no judgments":                        {"": "query-id\tcorpus-id\tscore\n"},
		"trec_eval's order is QRELS RUN":        {"": "q Q0 d 1 0.5 tag\n"},
		"name one of qrels.a, qrels.b":          {"/qrels.a": "x", "/qrels.b": "x"},
		"is a folder without judgments":         {"/docs": "x"},
		`query ID "q 1"`:                        {"": "query-id\tcorpus-id\tscore\nq 1\td\t1\n"},
	} {
		if qrels, err := OpenQrels(tree(t, files), trec.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %s", files, qrels, err, want)
		}
	}
}

// tree writes files and returns the path of the only one, named q with its ending, or of the
// folder, if the names begin with a slash.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "q")
	path := root
	for name, text := range files {
		if !strings.HasPrefix(name, "/") {
			path = root + name
		}
		at := root + filepath.FromSlash(name)
		if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return path
}
