package results

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/internal/testkit"
)

// scoreTexts are score files of every kind: as written by this program, as another program
// might write them, and broken ones.
var scoreTexts = []string{
	"",
	"\n",
	`{"benchmark":"b","task":"t","query":"q","measure":"nDCG@10","value":0.5}` + "\n",
	`{"benchmark":"b","task":"t","query":"q","measure":"nDCG@10","value":0.5}`,
	`{"benchmark":"b","task":"t","query":"q","side":"original","measure":"AP","value":-1.25e-07,"unranked":true}` + "\n" +
		`{"benchmark":"b","task":"t","query":"r","side":"original","measure":"AP","value":null}` + "\n" +
		`{"benchmark":"b","task":"t","query":"q","side":"changed","measure":"AP","value":1}` + "\n" +
		`{"benchmark":"b","task":"t","query":"r","side":"changed","measure":"AP","value":0,"aggregate":true,"unranked":true}` + "\n",
	`{"benchmark":"b","task":"t","query":"é ü 漢","measure":"m","value":1e300}` + "\n",
	`{"benchmark":"b","task":"t","query":"a\u003cb \"","measure":"m","value":1}` + "\n",
	`{"benchmark":"b","task":"t","query":"` + "\xff" + `","measure":"m","value":1}` + "\n",
	`{"task":"t","benchmark":"b","query":"q","measure":"m","value":1,"more":[1]}` + "\n",
	`{"benchmark":"b","task":"t","query":"q","measure":"m","value":1}` + "\r\n",
	`{ "benchmark": "b", "task": "t", "query": "q", "measure": "m", "value": 1 }` + "\n\n",
	`{"benchmark":"b","task":"t","query":"q","measure":"m"}` + "\n",
	`{"benchmark":"b","task":"t","query":"q","measure":"m","value":1}{}` + "\n",
	`{"benchmark":"b","task":"t","query":"q","measure":"m","value":1,"value":2}` + "\n",
	`{"benchmark":"b","task":"t","query":"q","measure":"m","value":1e999}` + "\n",
	`{"benchmark":"b","task":"t","query":"q","measure":"m","value":01}` + "\n",
	`{"benchmark":"b","task":"t","query":"q","measure":"m","value":0x1p-2}` + "\n",
	`{"benchmark":"b","task":"t","query":"q","measure":"m","value":+1}` + "\n",
	`{"benchmark":"b","task":"t","query":"q","measure":"m","value":1.}` + "\n",
	`{"benchmark":"b","task":"t","query":"q","measure":"m","value":.5}` + "\n",
	`{"benchmark":"b","task":"t","query":"q","measure":"m","value":1e}` + "\n",
	`{"benchmark":"b","task":"t","query":"q","measure":"m","value":1_0}` + "\n",
	`{"benchmark":"b","task":"t","query":"q","measure":"m","value":NaN}` + "\n",
	`{"benchmark":"b","task":"t","query":"q","measure":"m","value":"1"}` + "\n",
	`{"benchmark":"b","task":"t","query":"q","measure":"m","value":1` + "\n",
	`{"benchmark":"b` + "\n",
}

// FuzzScoreLines compares decodeScores with encoding/json: the same results and the same error
// messages.
func FuzzScoreLines(f *testing.F) {
	for _, text := range scoreTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		testkit.Small.Within(t, len(text), func() {
			var got, want []Result
			err, expected := decodeScores(&got)("f", []byte(text)), decodeLines(&want)("f", []byte(text))
			if fmt.Sprint(err) != fmt.Sprint(expected) {
				t.Fatalf("error %v, want %v", err, expected)
			}
			if expected == nil && !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	})
}

// TestScoreLinesTakesWhatIsWritten checks that every line of Writer.Scores is decoded without
// encoding/json, except lines with escapes, and that repeated texts are stored once.
func TestScoreLinesTakesWhatIsWritten(t *testing.T) {
	var all []Result
	for _, side := range []datasets.Side{datasets.None, datasets.Original, datasets.Changed} {
		for q := range 3 {
			v := 1 / float64(q+3)
			all = append(all, Result{Benchmark: "b", Task: "t", Query: fmt.Sprint("ü-", q), Side: side, Measure: "AP@1000", Value: &v, Unranked: q == 1})
		}
		all = append(all, Result{Benchmark: "b", Task: "t", Query: "undefined", Side: side, Measure: "AP@1000"})
	}
	var written strings.Builder
	if err := encodeLines(&written, all); err != nil {
		t.Fatal(err)
	}
	var s scoreLines
	s.values = make([]float64, 0, len(all))
	for line := range strings.Lines(written.String()) {
		if !s.take([]byte(line)) {
			t.Errorf("not taken: %s", line)
		}
	}
	if !reflect.DeepEqual(s.out, all) {
		t.Errorf("got %+v", s.out)
	}
	texts := testing.AllocsPerRun(10, func() { // 3 texts of the first line, 4 queries, 2 sides, the two lists
		var into []Result
		if err := decodeScores(&into)("f", []byte(written.String())); err != nil {
			t.Error(err)
		}
	})
	if texts > 16 {
		t.Errorf("%v allocations for %d lines", texts, len(all))
	}
}

// BenchmarkScoreLines decodes a score file of 200 lines, the size of a trial's file in a sweep,
// with decodeScores and with encoding/json.
func BenchmarkScoreLines(b *testing.B) {
	var all []Result
	for i := range 200 {
		v := 1 / float64(i+3)
		all = append(all, Result{Benchmark: "followir", Task: fmt.Sprint("core", i/20), Query: fmt.Sprintf("query-%04d", i%20), Side: datasets.Original, Measure: "AP@1000", Value: &v})
	}
	var written strings.Builder
	if err := encodeLines(&written, all); err != nil {
		b.Fatal(err)
	}
	data := []byte(written.String())
	for name, decode := range map[string]func(*[]Result) func(string, []byte) error{"own": decodeScores, "json": decodeLines[Result]} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				var into []Result
				if err := decode(&into)("f", data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
