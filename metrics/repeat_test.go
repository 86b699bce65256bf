package metrics

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"infbench/metrics/trec"
)

// TestRepeats scores one input 20 times with every measure: every value and summary has the same
// bits, whatever the iteration order of maps.
func TestRepeats(t *testing.T) {
	measures := append(everyMeasure(t), AlphaNDCG{K: 20, Alpha: 0.3}, ERRIA{K: 20, Alpha: 0.3}, AlphaNDCG{K: 20, Alpha: 0.9}, ERRIA{Alpha: 0.1})
	first := make([]string, len(measures))
	for turn := range 20 {
		cases, err := everything().Cases()
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			c.Documents, c.Aspects = 60, []Aspect{{ID: "1", Weight: 0.7, Docs: []string{"d1", "d2", "d3", "d5"}}, {ID: "2", Weight: 0.3, Docs: []string{"d4", "d6"}}}
		}
		for i, rows := range ScoreAll(measures, cases) {
			value, ok := Summarize(measures[i], rows)
			if !ok {
				t.Fatalf("%s is defined for no query", measures[i])
			}
			got := fmt.Sprintf("%b", value)
			for _, r := range rows {
				got += fmt.Sprintf(" %s %b %v", r.Case.Query, r.Value, r.OK)
			}
			if turn == 0 {
				first[i] = got
			} else if got != first[i] {
				t.Errorf("%s, turn %d: %s, at first %s", measures[i], turn, got, first[i])
			}
		}
	}
}

// everything returns inputs for all measures: rankings with ties under three instructions, both
// judgments, 12 aspects and a judge's scores.
func everything() Inputs {
	random := rand.New(rand.NewPCG(5, 8))
	in := Inputs{
		Run: trec.Run{}, Before: trec.Run{}, Reversed: trec.Run{}, Qrels: trec.Qrels{}, BeforeQrels: trec.Qrels{},
		Subtopics: trec.Subtopics{}, Quality: map[string]Quality{}, Arrival: true,
	}
	for _, query := range strings.Fields("a_q1 a_q2 b_q1 b_q2 c_q1") {
		in.Qrels[query], in.BeforeQrels[query] = map[string]int{}, map[string]int{}
		in.Subtopics[query] = map[string]map[string]int{}
		for doc := range 60 {
			id := fmt.Sprint("d", doc)
			for _, run := range []trec.Run{in.Run, in.Before, in.Reversed} {
				run[query] = append(run[query], trec.Scored{Doc: id, Score: float64(random.IntN(20)) / 7})
			}
			in.Qrels[query][id], in.BeforeQrels[query][id] = random.IntN(5)-1, random.IntN(5)-1
			in.Subtopics[query][id] = map[string]int{}
			for aspect := range 12 {
				in.Subtopics[query][id][fmt.Sprint(aspect)] = random.IntN(4) / 2
			}
		}
		for _, run := range []trec.Run{in.Run, in.Before, in.Reversed} {
			run[query].Sort()
		}
		in.Quality[query] = Quality{Query: 3 * random.Float64(), Instructed: 3 * random.Float64()}
	}
	return in
}

// TestAspectOrder covers a greedy ideal whose documents have the same worth except for rounding, so
// that the order of summation decides. The values are ndeval 4.5's.
func TestAspectOrder(t *testing.T) {
	cases, err := everything().Cases()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		measure Measure
		want    string
	}{
		{ERRIA{K: 20, Alpha: 0.3}, "0.641709 0.674791 0.696752 0.610618 0.669295"},
		{AlphaNDCG{K: 20, Alpha: 0.3}, "0.790887 0.834114 0.855184 0.835181 0.858920"},
		{ERRIA{K: 20, Alpha: 0.9}, "0.720495 0.738312 0.739833 0.643310 0.718740"},
		{AlphaNDCG{K: 20, Alpha: 0.9}, "0.817023 0.859281 0.859460 0.811761 0.871661"},
	} {
		var got []string
		for _, r := range ScoreAll([]Measure{c.measure}, cases)[0] {
			got = append(got, fmt.Sprintf("%.6f", r.Value))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s = %q, want %s", c.measure, got, c.want)
		}
	}
}
