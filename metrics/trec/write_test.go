package trec

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// TestWriteRun checks the text of a run.
func TestWriteRun(t *testing.T) {
	var out bytes.Buffer
	run := Run{"b": {{"x", 1}}, "a": {{"d1", 0.1}, {"d2", 3}, {"d3", 3}}}
	if err := WriteRun(&out, run, "tag"); err != nil {
		t.Fatal(err)
	}
	want := "a Q0 d3 1 3 tag\na Q0 d2 2 3 tag\na Q0 d1 3 0.1 tag\nb Q0 x 1 1 tag\n"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	if run["a"][0].Doc != "d1" {
		t.Error("writing sorted the caller's ranking")
	}
}

// TestRoundTrip writes random runs and qrels, of scores of every bit pattern, and
// reads them back identical.
func TestRoundTrip(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 3))
	run, qrels := Run{}, Qrels{}
	for q := range 20 {
		query := "q" + strconv.Itoa(q)
		qrels[query] = map[string]int{}
		for d := range 200 {
			score := math.Float64frombits(random.Uint64())
			if math.IsNaN(score) {
				score = math.Inf(1)
			}
			doc := "d\u00a0" + strconv.Itoa(d)
			run[query] = append(run[query], Scored{doc, score})
			qrels[query][doc] = random.IntN(7) - 2
		}
		run[query].Sort()
	}
	var text bytes.Buffer
	if err := WriteRun(&text, run, "t"); err != nil {
		t.Fatal(err)
	}
	again, _, err := Options{}.ReadRun(&text, "run")
	if err != nil || !reflect.DeepEqual(again, run) {
		t.Errorf("the run differs, %v", err)
	}
	text.Reset()
	if err := WriteQrels(&text, qrels); err != nil {
		t.Fatal(err)
	}
	judged, err := Options{}.ReadQrels(&text, "qrels")
	if err != nil || !reflect.DeepEqual(judged, qrels) {
		t.Errorf("the qrels differ, %v", err)
	}
}

// TestWriteErrors checks that nothing is written that would read back differently.
func TestWriteErrors(t *testing.T) {
	for name, err := range map[string]error{
		"white space in a query":    WriteRun(&bytes.Buffer{}, Run{"a b": {{"d", 1}}}, "t"),
		"empty query":               WriteRun(&bytes.Buffer{}, Run{"": {{"d", 1}}}, "t"),
		"query like a comment":      WriteRun(&bytes.Buffer{}, Run{"#a": {{"d", 1}}}, "t"),
		"newline in a document":     WriteRun(&bytes.Buffer{}, Run{"a": {{"d\n", 1}}}, "t"),
		"empty document":            WriteRun(&bytes.Buffer{}, Run{"a": {{"", 1}}}, "t"),
		"NaN":                       WriteRun(&bytes.Buffer{}, Run{"a": {{"d", math.NaN()}}}, "t"),
		"document twice":            WriteRun(&bytes.Buffer{}, Run{"a": {{"d", 1}, {"d", 2}}}, "t"),
		"empty tag":                 WriteRun(&bytes.Buffer{}, Run{"a": {{"d", 1}}}, ""),
		"white space in a judgment": WriteQrels(&bytes.Buffer{}, Qrels{"a": {"d e": 1}}),
		"comment in judgments":      WriteQrels(&bytes.Buffer{}, Qrels{"#": {"d": 1}}),
	} {
		if err == nil {
			t.Errorf("%s: written", name)
		}
	}
	if err := WriteRun(&bytes.Buffer{}, Run{"a": {{"d\u00a0e", 1}}}, "t"); err != nil {
		t.Errorf("a no-break space belongs to the identifier: %v", err)
	}
	if err := WriteRun(&bytes.Buffer{}, Run{"a": {{strings.Repeat("x", 1000), 1}}}, "t"); err != nil {
		t.Error(err)
	}
}
