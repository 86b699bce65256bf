package trec

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestReadRun checks that lines are interpreted as in trec_eval 10.
func TestReadRun(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want Run
		tag  string
	}{
		"plain":              {"q Q0 d1 1 2.5 t\nq Q0 d2 2 1.5 t\n", Run{"q": {{"d1", 2.5}, {"d2", 1.5}}}, "t"},
		"rank is ignored":    {"q Q0 d1 9 1 t\nq Q0 d2 1e1 2 t\nq Q0 d3 -1.0 0 t\n", Run{"q": {{"d2", 2}, {"d1", 1}, {"d3", 0}}}, "t"},
		"ties by bytes":      {"q Q0 a 1 1 t\nq Q0 B 1 1 t\nq Q0 é 1 1 t\nq Q0 aa 1 1 t\n", Run{"q": {{"é", 1}, {"aa", 1}, {"a", 1}, {"B", 1}}}, "t"},
		"zeros tie":          {"q Q0 a 1 0 t\nq Q0 b 1 -0 t\n", Run{"q": {{"b", math.Copysign(0, -1)}, {"a", 0}}}, "t"},
		"infinities":         {"q Q0 a 1 -inf t\nq Q0 b 1 1e999 t\nq Q0 c 1 0 t\n", Run{"q": {{"b", math.Inf(1)}, {"c", 0}, {"a", math.Inf(-1)}}}, "t"},
		"no last newline":    {"q Q0 d1 1 1 t", Run{"q": {{"d1", 1}}}, "t"},
		"crlf":               {"q Q0 d1 1 1 t\r\nq Q0 d2 1 2 u\r\n", Run{"q": {{"d2", 2}, {"d1", 1}}}, "u"},
		"all white space":    {" \tq\vQ0\f d1\t\t1 \r 1 t \n", Run{"q": {{"d1", 1}}}, "t"},
		"more fields":        {"q Q0 d1 1 1 t and more\nq Q0 d2 2 0 2x 3\nq Q0 d3 3 -1 4 \n", Run{"q": {{"d1", 1}, {"d2", 0}, {"d3", -1}}}, "4"},
		"blanks, comments":   {"\n  \n# no\n  # nor this\nq Q0 d1 1 1 t\n\n", Run{"q": {{"d1", 1}}}, "t"},
		"wide spaces belong": {"q\u00a0x Q0 d\u30001 1 1 t\n", Run{"q\u00a0x": {{"d\u30001", 1}}}, "t"},
		"interleaved":        {"a Q0 d1 1 1 t\nb Q0 d1 1 1 t\na Q0 d2 1 2 t\nb Q0 d2 1 0 t\n", Run{"a": {{"d2", 2}, {"d1", 1}}, "b": {{"d1", 1}, {"d2", 0}}}, "t"},
		"number prefixes":    {"q Q0 a 1 1.5x t\nq Q0 b 1 abc t\nq Q0 c 1 0x10 t\nq Q0 d 1 1e t\n", Run{"q": {{"c", 16}, {"a", 1.5}, {"d", 1}, {"b", 0}}}, "t"},
	} {
		run, tag, err := Options{}.ReadRun(strings.NewReader(c.text), "run")
		if err != nil || tag != c.tag || fmt.Sprint(run) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, tag %q, %v; want %v, tag %q", name, run, tag, err, c.want, c.tag)
		}
	}
}

// TestReadRunErrors checks that the error for each bad line names the file and the line.
func TestReadRunErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "run: no rankings",
		"\n# nothing\n":                  "run: no rankings",
		"q Q0 d1 1 1 t\nq Q0 d2 1\n":     "run:2: want six fields",
		"q Q0 d1 1 1\n":                  "run:1: want six fields",
		"q Q0 d1 1 1 \n":                 "run:1: want six fields",
		"\n\nq Q0 d1 1 nan t\n":          "run:3: the score is not a number (NaN)",
		"q Q0 d1 1 -NaN(x) t\n":          "run:1: the score is not a number (NaN)",
		"q Q0 d1 1 1 t\nq Q0 d1 2 0 t\n": `run:2: document "d1" comes twice for query "q"`,
		"q Q0 d 1 1 t\np Q0 d 1 1 t\n#\nq Q0 d 2 0 t\np Q0 d 2 0 t\n": `run:4: document "d" comes twice for query "q"`,
		"q Q0 d1 1 1 t\nq Q0 d\x002 1 1 t\nq\n":                       "run:2: NUL byte",
		"q\nq Q0 d\x002 1 1 t\n":                                      "run:1: want six fields",

		// A blank inside an ID shifts the fields.
		"q Q0 a 1 3 s\nq Q0 a x 2 9.0 s\n":     `run:2: the rank "x" is not a number`,
		"q Q0 a x 2 9.0 s\n":                   `run:1: not a run`,
		"q Q0 a 1 3 s\nq Q0 a nan 2 9.0 s\n":   `run:2: the rank "nan" is not a number`,
		"q Q0 a 1 3 s\nq Q0 a inf 2 9.0 s\n":   `run:2: the rank "inf" is not a number`,
		"q Q0 a 1 3 s\nq Q0 a x y 2 9.0 s\n":   `run:2: the rank "x" is not a number`,
		"q Q0 a 7 2 9.0 s\n":                   `run:1: the tag "9.0" is a number, and "s" follows`,
		"q Q0 a 1 3 s\nq Q0 a 7 2 -1e-3 s\n":   `run:2: the tag "-1e-3" is a number, and "s" follows`,
		"q Q0 a 1 3 s\nq Q0 a 7 2 0,9 s\n":     `run:2: the tag "0,9" is a number, and "s" follows`,
		"q Q0 a 1 3 s\nq Q0 a 7 8 2 9.0 s\n":   `run:2: the tag "2" is a number, and "9.0" follows`,
		"q 1 Q0 a 1 2 s\n":                     `run:1: not a run`,
		"q Q0 a 1 3 s\nq 1 Q0 a 1 2 s\n":       `run:2: the rank "a" is not a number`,
		"q Q0 a 1 3 s\nq 1 Q0 7 1 2.5 s\n":     `run:2: the tag "2.5" is a number, and "s" follows`,
		"q Q0 a 1 3 s\n\ufeffp Q0 a 1 3 s\n":   "run:2: the line begins with a byte order mark",
		"q Q0 a 1 3 s\n\n\ufeffq Q0 b 2 2 s\n": "run:3: the line begins with a byte order mark",
	} {
		run, _, err := Options{}.ReadRun(strings.NewReader(text), "run")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want an error with %q", text, run, err, want)
		}
	}
}

// TestReadQrels checks that lines are interpreted as in trec_eval 10.
func TestReadQrels(t *testing.T) {
	for text, want := range map[string]Qrels{
		"q 0 d1 1\nq 0 d2 0\n":                 {"q": {"d1": 1, "d2": 0}},
		"q 0 d1 1":                             {"q": {"d1": 1}},
		" q\t0 d1  2 \r\n":                     {"q": {"d1": 2}},
		"#q 0 d1 1\nq 0 d1 -1\n# x\n# y\n":     {"q": {"d1": -1}},
		"q 0 d1 1.9\nq 0 d2 abc\nq 0 d3 +3x\n": {"q": {"d1": 1, "d2": 0, "d3": 3}},
		"q 0 d1 99999999999999999999\n":        {"q": {"d1": math.MaxInt}},
		"q 0 d\u00a01 1\np 1 d\u00a01 2\n":     {"q": {"d\u00a01": 1}, "p": {"d\u00a01": 2}},
	} {
		qrels, err := Options{}.ReadQrels(strings.NewReader(text), "qrels")
		if err != nil || !reflect.DeepEqual(qrels, want) {
			t.Errorf("%q: %v, %v, want %v", text, qrels, err, want)
		}
	}
	for text, want := range map[string]string{
		"":                             "qrels: no judgments",
		"# only\n":                     "qrels: no judgments",
		"q 0 d1 1\n\nq 0 d2 1\n":       "qrels:2: want four fields",
		"q 0 d1\n":                     "qrels:1: want four fields",
		"q 0 d1 1\nq 0 d2 1 more\n":    "qrels:2: want four fields",
		"q 0 d1 1\nq 0 d1 1\n":         `qrels:2: document "d1" is judged twice for query "q"`,
		"q 0 d1 1\nq 0 d\x00 1\nq 0\n": "qrels:2: NUL byte",
		"q 0 d1 1\n\ufeffq 0 d2 1\n":   "qrels:2: the line begins with a byte order mark",
		"q 0 d 1 1\n":                  "qrels:1: want four fields",
	} {
		if _, err := (Options{}).ReadQrels(strings.NewReader(text), "qrels"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want an error with %q", text, err, want)
		}
	}
}

// TestSubtopicsAndChanged checks the two other formats.
func TestSubtopicsAndChanged(t *testing.T) {
	subtopics, err := ReadSubtopics(strings.NewReader("1 a d1 1\n1 b d1 0\n1 a d2 2\n"), "s")
	if want := (Subtopics{"1": {"d1": {"a": 1, "b": 0}, "d2": {"a": 2}}}); err != nil || !reflect.DeepEqual(subtopics, want) {
		t.Errorf("subtopics: %v, %v, want %v", subtopics, err, want)
	}
	if _, err := ReadSubtopics(strings.NewReader("1 a d1 1\n1 a d1 0\n"), "s"); err == nil || !strings.Contains(err.Error(), "s:2: ") {
		t.Errorf("an aspect judged twice: %v", err)
	}
	changed, err := ReadChanged(strings.NewReader("1\td1\n# x\n\n1 d2\r\n2 d1\n1 d1"), "c")
	if want := (Changed{"1": {"d1", "d2", "d1"}, "2": {"d1"}}); err != nil || !reflect.DeepEqual(changed, want) {
		t.Errorf("changed: %v, %v, want %v", changed, err, want)
	}
	for text, want := range map[string]string{"": "c: no documents", "1 d1\n2\n": "c:2: want two fields", "1 d1 x\n": "c:1: want two fields"} {
		if _, err := ReadChanged(strings.NewReader(text), "c"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want an error with %q", text, err, want)
		}
	}
}

// TestOptions checks float32 scores, the order of arrival and the warnings.
func TestOptions(t *testing.T) {
	text := "q Q0 a 1 16777217 t\nq Q0 b 1 16777216 t\n"
	run, _, err := Options{Float32: true}.ReadRun(strings.NewReader(text), "run")
	if err != nil || run["q"][0].Doc != "b" || run["q"][0].Score != run["q"][1].Score {
		t.Errorf("float32: %v, %v, want a tie that b leads", run, err)
	}
	if run, _, _ := (Options{}).ReadRun(strings.NewReader(text), "run"); run["q"][0].Doc != "a" {
		t.Errorf("float64: %v, want a first", run)
	}
	run, _, err = Options{KeepArrival: true}.ReadRun(strings.NewReader("q Q0 a 1 1 t\nq Q0 b 1 2 t\nq Q0 c 1 2 t\n"), "run")
	if err != nil || fmt.Sprint(run) != fmt.Sprint(Run{"q": {{"a", 1}, {"b", 2}, {"c", 2}}}) {
		t.Errorf("kept arrival: %v, %v", run, err)
	}
	run["q"].SortByArrival()
	if fmt.Sprint(run["q"]) != fmt.Sprint(Ranking{{"b", 2}, {"c", 2}, {"a", 1}}) {
		t.Errorf("sorted by arrival: %v", run)
	}
	var warnings []string
	o := Options{Warn: func(err error) { warnings = append(warnings, err.Error()) }}
	if _, _, err := o.ReadRun(strings.NewReader("\nq Q0 a 1 1 t\nq Q0 b 1 1,5 t\nq Q0 c 1 x t\n"), "run"); err != nil {
		t.Error(err)
	}
	if _, err := o.ReadQrels(strings.NewReader("q 0 a 1\nq 0 b 1.9\nq 0 c x\n"), "qrels"); err != nil {
		t.Error(err)
	}
	want := []string{`run:3: score "1,5" read as 1, as trec_eval does`, `qrels:2: grade "1.9" read as 1, as trec_eval does`}
	if !reflect.DeepEqual(warnings, want) {
		t.Errorf("warnings %q, want %q", warnings, want)
	}
}

// TestContradictingRanks checks the warning about ranks that contradict all scores.
func TestContradictingRanks(t *testing.T) {
	for text, want := range map[string]string{
		"q Q0 a 1 0.1 t\nq Q0 b 2 0.4 t\n":                                  "run:2",
		"p Q0 a 1 1 t\nq Q0 a 1 0.1 t\n#\nq Q0 b 2 0.1 t\nq Q0 c 3 0.4 t\n": "run:5",
		"q Q0 a 3 5 t\nq Q0 b 2 0.4 t\n":                                    "run:2",
		"q Q0 a 1 0.1 t\nq Q0 b 2 0.4 t\np Q0 a 1 1 t\np Q0 b 2 0 t\n":      "", // some agree
		"q Q0 a 1 0.4 t\nq Q0 b 2 0.1 t\n":                                  "",
		"q Q0 a 0 0.1 t\nq Q0 b 0 0.4 t\n":                                  "", // no ranks
		"q Q0 a 1 1 t\nq Q0 b 2 1 t\n":                                      "", // no scores
		"q Q0 a 1 0.1 t\np Q0 a 2 0.4 t\n":                                  "", // different queries
		"q Q0 a 1 inf t\nq Q0 b 2 inf t\n":                                  "",
	} {
		var warnings []string
		_, _, err := Options{Warn: func(err error) { warnings = append(warnings, err.Error()) }}.ReadRun(strings.NewReader(text), "run")
		warned := strings.Join(warnings, "; ")
		if err != nil || want == "" && warned != "" || want != "" && !strings.HasPrefix(warned, want+": all ranks contradict the scores") {
			t.Errorf("%q: %q, %v, want %q", text, warned, err, want)
		}
	}
}

// TestBlocks reads files far larger than a block, in and out of query order and on one worker
// and many, and finds the same run and the same lines in errors.
func TestBlocks(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	const queries, docs = 40, 2000
	var lines []string
	want := Run{}
	for q := range queries {
		query := "query" + strconv.Itoa(q)
		for d := range docs {
			score := float64(random.IntN(1000)) / 8
			doc := "document" + strconv.Itoa(d)
			lines = append(lines, fmt.Sprintf("%s Q0 %s 0 %v tag", query, doc, score))
			want[query] = append(want[query], Scored{doc, score})
		}
		want[query].Sort()
	}
	check := func(how string) {
		t.Helper()
		run, _, err := Options{}.ReadRun(strings.NewReader(strings.Join(lines, "\n")), "run")
		if err != nil || !reflect.DeepEqual(run, want) {
			t.Errorf("%s: the run differs, %v", how, err)
		}
	}
	check("in order")
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	check("one worker")
	random.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	check("shuffled, one worker")
	runtime.GOMAXPROCS(8)
	check("shuffled, eight workers")
	for _, at := range []int{0, 1, len(lines) / 2, len(lines) - 1} {
		broken := append([]string{}, lines...)
		broken[at] = "broken"
		_, _, err := Options{}.ReadRun(strings.NewReader(strings.Join(broken, "\n")), "run")
		if want := fmt.Sprintf("run:%d: ", at+1); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("broken line: %v, want %s", err, want)
		}
		broken[at] = lines[at]
		twice := append(broken, lines[at])
		_, _, err = Options{}.ReadRun(strings.NewReader(strings.Join(twice, "\n")), "run")
		if want := fmt.Sprintf("run:%d: ", len(lines)+1); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("repeated line: %v, want %s", err, want)
		}
	}
	long := "q Q0 " + strings.Repeat("x", 3*blockSize) + " 0 1 t\n"
	if _, _, err := (Options{}).ReadRun(strings.NewReader("q Q0 d 0 1 t\n"+long), "run"); err == nil || !strings.Contains(err.Error(), "run:2: line longer") {
		t.Errorf("a line of 3 MiB: %.100v", err)
	}
	if _, _, err := (Options{}).ReadRun(strings.NewReader("q Q0 "+strings.Repeat("x", blockSize-100)+" 0 1 t\nq Q0 d 0 1 t\n"), "run"); err != nil {
		t.Errorf("a line of almost 1 MiB: %.100v", err)
	}
}

// BenchmarkReadRun reads a run of 100 queries of 1,000 documents, already sorted.
func BenchmarkReadRun(b *testing.B) {
	var text bytes.Buffer
	for q := range 100 {
		for rank := range 1000 {
			fmt.Fprintf(&text, "%d Q0 %07d %d %.6f tag\n", q, (rank*7919+q*31)%5_000_000, rank+1, 30-float64(rank)/50)
		}
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := (Options{}).ReadRun(bytes.NewReader(text.Bytes()), "run"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReadQrels reads 50 judgments each of 1,000 queries.
func BenchmarkReadQrels(b *testing.B) {
	var text bytes.Buffer
	for q := range 1000 {
		for i := range 50 {
			fmt.Fprintf(&text, "%d 0 %07d %d\n", q, (i*i*7919+q*31)%5_000_000, i%4)
		}
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := (Options{}).ReadQrels(bytes.NewReader(text.Bytes()), "qrels"); err != nil {
			b.Fatal(err)
		}
	}
}

func TestFields(t *testing.T) {
	for line, want := range map[string][]string{
		"":                              nil,
		" \t\r\n":                       nil,
		"q1 Q0\td1  1 2.5 tag\r\n":      {"q1", "Q0", "d1", "1", "2.5", "tag"},
		"q1 Q0 d\u00a01 1 2.5 tag":      {"q1", "Q0", "d\u00a01", "1", "2.5", "tag"}, // a no-break space is part of an ID
		"\v\fq1 long-identifiers-of-16": {"q1", "long-identifiers-of-16"},
	} {
		if got := Fields([]byte(line)); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
