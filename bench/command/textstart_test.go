package command

import (
	"bytes"
	"encoding/binary"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
)

// A byte order mark at the start of any text file changes no output of a verb; text in UTF-16
// and files in unsupported compression are errors that name the format.
func TestTextStart(t *testing.T) {
	type writer = func(name, text string) (path string)
	a := func(file writer) string { return file("a.run", "1 Q0 x 1 2 t\n1 Q0 d1 2 1 t\n2 Q0 d2 1 1 t\n") }
	b := func(file writer) string { return file("b.run", "1 Q0 d1 1 2 b\n2 Q0 x 1 1 b\n") }
	qrels := func(file writer) string { return file("a.qrels", "1 0 d1 1\n2 0 d2 1\n") }
	data := func(file writer) string {
		file("data/corpus.jsonl", `{"_id": "d1", "text": "a b"}`+"\n"+`{"_id": "d2", "text": "b c"}`+"\n"+`{"_id": "x", "text": "c d"}`+"\n")
		file("data/queries.jsonl", `{"_id": "1", "text": "a"}`+"\n"+`{"_id": "2", "text": "c"}`+"\n")
		return filepath.Dir(filepath.Dir(file("data/qrels/test.tsv", "query-id\tcorpus-id\tscore\n1\td1\t1\n2\td2\t1\n")))
	}
	for name, args := range map[string]func(file writer) []string{
		"score": func(f writer) []string {
			return []string{"score", "--run", a(f), "--qrels", qrels(f), "--measure", "RR", "--per-query"}
		},
		"score pairs": func(f writer) []string {
			return []string{"score", "--run", a(f), "--run-before", b(f), "--qrels", qrels(f), "--changed", f("changed", "1 d1\n"), "--measure", "p-MRR"}
		},
		"compare": func(f writer) []string {
			return []string{"compare", b(f), a(f), "--qrels", qrels(f), "--measure", "RR"}
		},
		"import": func(f writer) []string {
			return []string{"import", a(f), "--qrels", qrels(f), "--measure", "RR", "--model", "m", "--out", "out"}
		},
		"import values": func(f writer) []string {
			return []string{"import", f("values", "1\tRR\t0.5\n2\tRR\t0.25\n"), "--qrels", qrels(f), "--model", "m", "--out", "out"}
		},
		"import a JSON run": func(f writer) []string {
			return []string{"import", f("a.json", `{"1": {"x": 2, "d1": 1}, "2": {"d2": 1}}`), "--qrels", qrels(f), "--measure", "RR", "--model", "m", "--out", "out"}
		},
		"evaluate": func(f writer) []string {
			return []string{"evaluate", "--model", "bm25", "--data", data(f), "--measure", "RR", "--out", "out"}
		},
		"evaluate a run": func(f writer) []string {
			return []string{"evaluate", "--model", a(f), "--data", data(f), "--measure", "RR", "--out", "out"}
		},
		"agreement": func(f writer) []string {
			return []string{"data", "agreement", f("r.csv", "a,b\nx,y\ny,y\nx,x\n"), "--format", "csv"}
		},
		"board": func(f writer) []string {
			return []string{"board", f("b.csv", "system,task,score\na,t,1\nb,t,2\n"), "--format", "csv"}
		},
		"plan": func(f writer) []string {
			return []string{"plan", f("e.yaml", "name: e\nmatrix:\n  loss: [\"uni(P)\"]\n  seed: [1]\nbase: {data: mini-infir, backbone: tiny-bert}\nevaluate: [mini-followir]\n")}
		},
	} {
		printed := func(change func(string) string) (int, string) {
			dir := t.TempDir()
			t.Chdir(t.TempDir())
			var stdout, stderr bytes.Buffer
			code := run(args(func(name, text string) string {
				path := filepath.Join(dir, name)
				writeFile(t, path, change(text))
				return path
			}), &stdout, &stderr)
			said, _, _ := strings.Cut(stdout.String(), "note: time:") // depends on the time
			return code, strings.ReplaceAll(said+stderr.String(), dir, "")
		}
		code, want := printed(func(text string) string { return text })
		if code != exitOK {
			t.Errorf("%s: exit %d: %s", name, code, want)
			continue
		}
		if code, got := printed(func(text string) string { return "\ufeff" + text }); code != exitOK || got != want {
			t.Errorf("%s with byte order marks: exit %d\n%s\nwant\n%s", name, code, got, want)
		}
		wide := func(text string) string {
			b := []byte("\xff\xfe")
			for _, unit := range utf16.Encode([]rune(text)) {
				b = binary.LittleEndian.AppendUint16(b, unit)
			}
			return string(b)
		}
		if code, got := printed(wide); code == exitOK || !strings.Contains(got, "UTF-16") {
			t.Errorf("%s in UTF-16: exit %d: %s", name, code, got)
		}
		code, got := printed(func(string) string { return "\xfd7zXZ\x00\x00\x04" })
		if code == exitOK || name != "plan" && !strings.Contains(got, "packed with xz") {
			t.Errorf("%s packed: exit %d: %s", name, code, got)
		}
	}
}
