package trial

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/datasets/mixture"
	"infbench/metrics"
	"infbench/metrics/trec"
	"infbench/runners/results"
	"infbench/runners/spec"
)

// records returns the records of triplets, as one source of training data.
func records(triplets ...datasets.Triplet) []datasets.Record {
	var all []datasets.Record
	for _, t := range triplets {
		all = append(all, t.Record())
	}
	return all
}

func of(all []datasets.Record) mixture.Data {
	return mixture.Data{{Shape: datasets.TripletShape, Records: all}}
}

// Records without a poisoned instruction make a task of plain queries in addition to that of
// pairs. Both search the documents of both.
func TestHeldOutMixture(t *testing.T) {
	plain := datasets.Record{ID: "x", Rows: []datasets.Row{{Query: "q", Passage: "p", Negatives: []string{"n"}}}}
	tasks := heldOutBenchmark(append(records(datasets.Triplet{
		InstructionPositive: "i+", InstructionNegative: "i-", QueryPositive: "q+", QueryNegative: "q-",
		Positive: "p+", HardNegative1: "p1", HardNegative2: "p2",
	}), plain)).Tasks
	if len(tasks) != 2 || len(tasks[0].Pairs) != 1 || len(tasks[1].Pairs) != 0 {
		t.Fatalf("%+v", tasks)
	}
	if got, want := fmt.Sprint(tasks[1].Name, tasks[1].Queries, tasks[1].Qrels, tasks[1].Corpus, tasks[0].Corpus.Len()),
		"held-out queries[{r000001 q }] map[r000001:map[d000004:1]] [{d000001  p+} {d000002  p1} {d000003  p2} {d000004  p} {d000005  n}] 5"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Held-out records share no query and no passage with the training records, and the choice does
// not depend on the order.
func TestHoldOut(t *testing.T) {
	all := records(datasets.MiniInfIRSized(1, 300)...)
	held, rest, err := holdOut(of(all), 40)
	if err != nil || len(held) != 40 || rest.Len() < 150 {
		t.Fatalf("%d held out, %d left, %v", len(held), rest.Len(), err)
	}
	seen := map[string]bool{}
	for _, r := range held {
		for _, text := range contentTexts(r) {
			seen[text] = true
		}
	}
	for _, r := range rest.All() {
		for _, text := range contentTexts(r) {
			if seen[text] {
				t.Errorf("record %s is trained on and shares %q with what is held out", r.ID, text)
			}
		}
	}
	backward := slices.Clone(all)
	slices.Reverse(backward)
	again, _, err := holdOut(of(backward), 40)
	slices.Reverse(again)
	if err != nil || !reflect.DeepEqual(again, held) {
		t.Error("another order of the records holds out others")
	}
	if _, _, err := holdOut(of(all), 200); err == nil || !strings.Contains(err.Error(), "hold out fewer") {
		t.Errorf("two thirds held out: %v", err)
	}
}

// The task of one record, by hand.
func TestHeldOutBenchmark(t *testing.T) {
	task := heldOutBenchmark(records(datasets.Triplet{
		InstructionPositive: "i+", InstructionNegative: "i-", QueryPositive: "q+", QueryNegative: "q-",
		Positive: "p+", HardNegative1: "p1", HardNegative2: "p2",
	})).Tasks[0]
	if got, want := fmt.Sprint(task.Queries), "[{h000001-og q+ i+} {h000001-changed q+ i-}]"; got != want {
		t.Errorf("queries %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(task.Corpus, task.Qrels, task.Pairs), "[{d000001  p+} {d000002  p1} {d000003  p2}]"+
		" map[h000001-changed:map[d000002:1] h000001-og:map[d000001:1]] [{h000001 h000001-og h000001-changed  [d000001]}]"; got != want {
		t.Errorf("task %s, want %s", got, want)
	}
	// An encoder that follows the instruction: the positive falls from first to third, so p-MRR
	// is 1 - 1/3; nDCG@10 of either side is 1.
	run := trec.Run{
		"h000001-og":      {{Doc: "d000001", Score: 3}, {Doc: "d000002", Score: 2}, {Doc: "d000003", Score: 1}},
		"h000001-changed": {{Doc: "d000002", Score: 3}, {Doc: "d000003", Score: 2}, {Doc: "d000001", Score: 1}},
	}
	for name, want := range map[string]float64{"p-MRR": 2.0 / 3, "nDCG@10": 1} {
		m, err := metrics.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		task.Scorings = validationScorings(&task, m)
		scores, err := results.Score("validation", &task, run)
		if err != nil || len(scores) != map[bool]int{true: 1, false: 2}[name == "p-MRR"] {
			t.Fatalf("%s: %v, %v", name, scores, err)
		}
		for _, s := range scores {
			if s.Value == nil || math.Abs(*s.Value-want) > 1e-12 {
				t.Errorf("%s on side %q is %v, want %v", name, s.Side, s.Value, want)
			}
		}
	}
}

func TestKeepQueries(t *testing.T) {
	b, err := datasets.Mini("mini-followir", 9)
	if err != nil {
		t.Fatal(err)
	}
	task := &b.Tasks[0]
	keepQueries(task, 7)
	if len(task.Pairs) != 7 || len(task.Queries) != 14 {
		t.Errorf("%d pairs, %d queries", len(task.Pairs), len(task.Queries))
	}
}

// A share limits how many records of a small set are held out: 200 of 38,759 records, 6 of 24.
func TestHeldOutShare(t *testing.T) {
	for _, c := range []struct{ queries, share, records, want int }{
		{200, 25, 38759, 200}, {200, 25, 24, 6}, {200, 0, 24, 200}, {2, 25, 24, 2}, {200, 25, 3, 1},
	} {
		v := spec.Validation{Data: spec.HeldOut, Measure: "p-MRR", Queries: c.queries, Share: float64(c.share) / 100}
		if got := v.HeldOutOf(c.records); got != c.want {
			t.Errorf("%d, at most %d %%, of %d: %d held out, want %d", c.queries, c.share, c.records, got, c.want)
		}
	}
	b, rest, err := newValidation(&spec.Trial{Cell: spec.Cell{Validate: spec.Validation{Data: spec.HeldOut, Measure: "p-MRR", Queries: 200, Share: 0.25}}},
		of(records(datasets.MiniInfIRSized(1, 24)...)))
	if err != nil || len(b.Tasks[0].Pairs) != 6 || rest.Len() < 12 {
		t.Errorf("%d left, %v", rest.Len(), err)
	}
}
