package probe

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/internal/testkit"
	"infbench/metrics/trec"
	"infbench/runners"
	"infbench/runners/results"
)

// deaf ranks by the text of a query and ignores its instruction.
type deaf struct{ calls int }

func (*deaf) Name() string { return "deaf" }

func (d *deaf) Retrieve(_ context.Context, t *datasets.Task, depth int) (trec.Run, error) {
	d.calls++
	return rankBy(t, depth, func(q datasets.Query) string { return q.Text }), nil
}

// rankBy orders the documents that a query may retrieve at random, seeded by a text.
func rankBy(t *datasets.Task, depth int, text func(datasets.Query) string) trec.Run {
	run := trec.Run{}
	for _, q := range t.Queries {
		var r trec.Ranking
		add := func(id string) {
			if !slices.Contains(t.Excluded[q.ID], id) {
				r = append(r, trec.Scored{Doc: id, Score: float64(sum(text(q)+id) * 0x9e3779b97f4a7c15 >> 11)})
			}
		}
		if t.Candidates != nil {
			for _, id := range t.Candidates[q.ID] {
				add(id)
			}
		} else {
			for d := range t.Corpus.Documents() {
				add(d.ID)
			}
		}
		r.Sort()
		run[q.ID] = r[:min(depth, len(r))]
	}
	return run
}

func sum(text string) (h uint64) {
	for i := range len(text) {
		h = h*1099511628211 + uint64(text[i])
	}
	return h
}

func mini(t *testing.T, name string, world uint64) (*datasets.Benchmark, []datasets.Variant) {
	t.Helper()
	b, err := datasets.Mini(name, world)
	if err != nil {
		t.Fatal(err)
	}
	variants, _ := datasets.MiniVariants(name, world)
	return b, variants
}

// A retriever that ignores instructions returns the same ranking for every kind, on any data:
// with pairs and candidates, and without either. It is called once for each task and returns
// rankings of the task's own queries only.
func TestDeafRetrieverHasNoEffect(t *testing.T) {
	for _, name := range datasets.MiniNames() {
		for world := range uint64(2) {
			if world > 0 && !testkit.IsDeep() {
				break
			}
			b, variants := mini(t, name, world+1)
			inner := &deaf{}
			p := &Probe{Retriever: inner, Benchmark: name, Options: Options{Seed: world, Variants: variants}}
			for i := range b.Tasks {
				run, err := p.Retrieve(t.Context(), &b.Tasks[i], 1000)
				if err != nil {
					t.Fatal(err)
				}
				if len(run) != len(b.Tasks[i].Queries) {
					t.Fatalf("%d rankings of %d queries", len(run), len(b.Tasks[i].Queries))
				}
			}
			if inner.calls != len(b.Tasks) {
				t.Errorf("%d calls for %d tasks", inner.calls, len(b.Tasks))
			}
			own := map[string]*float64{}
			kinds := map[string]int{}
			for _, l := range p.Lines {
				if l.Kind == results.AskedOwn {
					own[l.Task+l.Query] = l.Value
				}
				kinds[l.Kind]++
			}
			for _, l := range p.Lines {
				if was := own[l.Task+l.Query]; l.Overlap != 1 || (was == nil) != (l.Value == nil) || was != nil && *was != *l.Value {
					t.Fatalf("%+v, under the own instruction %v", l, was)
				}
			}
			for _, k := range []string{results.AskedNone, results.AskedShuffled, results.AskedRewording} {
				if kinds[k] == 0 {
					t.Errorf("%s has no query of kind %s: %v", name, k, kinds)
				}
			}
		}
	}
}

// Shuffled instructions are a derangement if all texts differ: no query keeps its own, each
// instruction is used once, another seed gives another order, the same seed the same.
func TestShuffledIsADerangement(t *testing.T) {
	task := &datasets.Task{Name: "t"}
	for i := range 40 {
		task.Queries = append(task.Queries, datasets.Query{ID: fmt.Sprint(i), Text: "q", Instruction: fmt.Sprintf("instruction %d", i)})
	}
	given := func(seed uint64) (all []string) {
		for _, a := range (Options{Seed: seed}).ask(task) {
			if a.kind == results.AskedShuffled {
				if a.instruction == a.query.Instruction {
					t.Errorf("query %s kept its own", a.query.ID)
				}
				all = append(all, a.instruction)
			}
		}
		return all
	}
	first := given(1)
	if n := len(slices.Compact(slices.Sorted(slices.Values(first)))); n != 40 {
		t.Errorf("%d of 40 instructions are given", n)
	}
	if !slices.Equal(first, given(1)) || slices.Equal(first, given(2)) {
		t.Error("seeds do not decide the order")
	}
}

// If all queries of a task have the same instruction it cannot be exchanged.
func TestOneInstructionCannotBeShuffled(t *testing.T) {
	task := &datasets.Task{Name: "t", Queries: []datasets.Query{{ID: "a", Instruction: "x"}, {ID: "b", Instruction: "x"}, {ID: "c"}}}
	for _, a := range (Options{}).ask(task) {
		if a.kind == results.AskedShuffled || a.query.ID == "c" {
			t.Errorf("asked %+v", a)
		}
	}
}

// A pair is one item. The first query also gets the second instruction, as a change or, if the
// task is a control, as a rewording. A reversed instruction is a contradiction.
func TestPairsAreUsedAsTheyAre(t *testing.T) {
	task := &datasets.Task{Name: "t",
		Queries: []datasets.Query{{ID: "1", Text: "q", Instruction: "A or B"}, {ID: "2", Text: "q", Instruction: "A"}, {ID: "3", Text: "q", Instruction: "not A"}, {ID: "1~none1", Text: "q", Instruction: "odd"}},
		Pairs:   []datasets.Pair{{ID: "p", Original: "1", Changed: "2", Reversed: "3"}}}
	find := func(kind, instruction string) (found []string) {
		ids := map[string]bool{"1~none1": true}
		for _, a := range (Options{}).ask(task) {
			if a.kind != results.AskedOwn && ids[a.id] {
				t.Errorf("ID %s is taken", a.id)
			}
			ids[a.id] = true
			if a.kind == kind && a.instruction == instruction {
				found = append(found, a.query.ID+" of "+a.item)
			}
		}
		return found
	}
	if got := find(results.AskedChanged, "A"); !slices.Equal(got, []string{"1 of p"}) {
		t.Errorf("changed: %q", got)
	}
	if got := find(results.AskedContradiction, "not A"); !slices.Equal(got, []string{"1 of p"}) {
		t.Errorf("contradiction: %q", got)
	}
	if got := find(results.AskedNone, ""); len(got) != 4 || got[2] != "3 of p" || got[3] != "1~none1 of 1~none1" {
		t.Errorf("none: %q", got)
	}
	task.Control = true
	if got := find(results.AskedRewording, "A"); !slices.Equal(got, []string{"1 of p"}) {
		t.Errorf("rewording: %q", got)
	}
}

// Items limits how many items of a task are asked. The seed draws them, with all queries of a
// pair.
func TestItemsAreDrawn(t *testing.T) {
	b, variants := mini(t, "mini-followir", 1)
	for _, n := range []int{1, 7, 80, 1000} {
		items, queries := map[string]bool{}, map[string]bool{}
		for _, a := range (Options{Items: n, Variants: variants}).ask(&b.Tasks[0]) {
			items[a.item], queries[a.query.ID] = true, true
		}
		if want := min(n, 80); len(items) != want || len(queries) != 2*want {
			t.Errorf("%d items asked: %d items, %d queries", n, len(items), len(queries))
		}
	}
}

func TestReadVariants(t *testing.T) {
	b := &datasets.Benchmark{Name: "own", Tasks: []datasets.Task{
		{Name: "x", Queries: []datasets.Query{{ID: "1"}, {ID: "2"}}}, {Name: "y", Queries: []datasets.Query{{ID: "2"}}}}}
	read := func(lines string) ([]datasets.Variant, error) {
		file := filepath.Join(t.TempDir(), "variants.jsonl")
		if err := os.WriteFile(file, []byte(lines), 0o644); err != nil {
			t.Fatal(err)
		}
		return ReadVariants(file, b)
	}
	got, err := read(`{"query":"1","kind":"paraphrase","instruction":"say"}` + "\n" + `{"query":"2","kind":"contradiction","instruction":"no","task":"y"}`)
	want := []datasets.Variant{{Task: "x", Query: "1", Kind: datasets.Paraphrase, Instruction: "say"}, {Task: "y", Query: "2", Kind: datasets.Contradiction, Instruction: "no"}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, c := range [][2]string{
		{`{"query":"1","kind":"paraphrse","instruction":"x"}`, `variants.jsonl:1: unknown kind of instruction "paraphrse"; did you mean "paraphrase"?`},
		{`{"query":"3","kind":"paraphrase","instruction":"x"}`, `variants.jsonl:1: own has no query "3"`},
		{`{"query":"2","kind":"paraphrase","instruction":"x"}`, `in several tasks (x, y)`},
		{`{"query":"2","kind":"paraphrase","instruction":"x","task":"z"}`, `unknown task with query "2"`},
		{`{"query":"1","kind":"paraphrase","instruction":""}`, "empty instruction"},
		{`{"query":"1","kind":"paraphrase"}`, "instruction"},
	} {
		if _, err := read(c[0]); err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%s: %v, want %q", c[0], err, c[1])
		}
	}
}

// A run file only has rankings of its own queries.
func TestRunFilesAreRefused(t *testing.T) {
	b, _ := mini(t, "mini-bright", 1)
	task := &b.Tasks[0]
	file := filepath.Join(t.TempDir(), "a.run")
	line := fmt.Sprintf("%s Q0 bright-0001 1 1 tag\n", task.Queries[0].ID)
	if err := os.WriteFile(file, []byte(line), 0o644); err != nil {
		t.Fatal(err)
	}
	saved, err := runners.OpenRunFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (&Probe{Retriever: saved}).Retrieve(t.Context(), task, 10); err == nil || !strings.Contains(err.Error(), "saved rankings cannot be probed") {
		t.Error(err)
	}
}

func TestCheckAndMain(t *testing.T) {
	if err := Check(&datasets.Benchmark{Name: "b", Tasks: []datasets.Task{{Queries: []datasets.Query{{ID: "1"}}}}}); err == nil {
		t.Error("a benchmark without instructions passes")
	}
	b, _ := mini(t, "mini-followir", 1)
	if m, err := Main(&b.Tasks[0]); err != nil || m.String() != "AP@1000" {
		t.Errorf("%v, %v", m, err)
	}
	b.Tasks[0].Scorings = b.Tasks[0].Scorings[:1] // p-MRR is a measure of pairs
	if _, err := Main(&b.Tasks[0]); err == nil {
		t.Error("p-MRR is taken for a measure of queries")
	}
}
