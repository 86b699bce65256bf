package datasets

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"infbench/metrics/trec"
)

// contrastTask has the topics "shoes" (bare query b, instructions b_0 to b_2), "moon" and "rice".
// Documents are named after their topic and the instructions under which they are relevant: s01
// under b_0 and b_1, s under the bare query only.
func contrastTask() *Task {
	t := &Task{Name: "T", Qrels: trec.Qrels{}}
	ask := func(id, query, instruction string, relevant ...string) {
		t.Queries = append(t.Queries, Query{ID: id, Text: query, Instruction: instruction})
		t.Qrels[id] = map[string]int{}
		for _, doc := range relevant {
			t.Qrels[id][doc] = 1
		}
	}
	for _, id := range []string{"s", "s0", "s01", "s1", "s2", "m", "m0", "m01", "r0", "r1", "x"} {
		t.Corpus = append(corpusOfTest(t), Document{ID: id, Text: "table " + id})
	}
	ask("b", "shoes", "", "s", "s0", "s01", "s1", "s2")
	ask("c", "moon", "", "m", "m0", "m01")
	ask("b_0", "shoes", "light ones", "s0", "s01")
	ask("b_1", "shoes", "red ones", "s1", "s01")
	ask("b_2", "shoes", "old ones", "s2")
	ask("c_0", "moon", "its phases", "m0", "m01")
	ask("c_1", "moon", "its age", "m01") // complies with c_0, too
	ask("d_0", "rice", "with beans", "r0")
	ask("d_1", "rice", "with peas", "r1")
	t.Qrels["b_0"]["s2"] = 0
	return t
}

func corpusOfTest(t *Task) MemoryCorpus {
	docs, _ := t.Corpus.(MemoryCorpus)
	return docs
}

// Each record contrasts two instructions by documents of exactly one of them.
func TestContrast(t *testing.T) {
	c, err := Contrast(contrastTask(), ContrastOptions{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := []Triplet{
		{"T:b_0:b_1", "light ones", "red ones", "shoes", "moon", "table s0", "table s1", "table m"},
		{"T:b_0:b_2", "light ones", "old ones", "shoes", "rice", "table s0", "table s2", "table r0"},
		{"T:b_1:b_0", "red ones", "light ones", "shoes", "rice", "table s1", "table s0", "table r0"},
		{"T:b_1:b_2", "red ones", "old ones", "shoes", "moon", "table s01", "table s2", "table m0"},
		{"T:b_2:b_0", "old ones", "light ones", "shoes", "rice", "table s2", "table s0", "table r1"},
		{"T:b_2:b_1", "old ones", "red ones", "shoes", "rice", "table s2", "table s01", "table r1"},
		{"T:d_0:d_1", "with beans", "with peas", "rice", "moon", "table r0", "table r1", "table m0"},
		{"T:d_1:d_0", "with peas", "with beans", "rice", "moon", "table r1", "table r0", "table m01"},
	}
	for i, got := range c.Triplets {
		if i < len(want) && got != want[i] {
			t.Errorf("record %d\n%+v, want\n%+v", i, got, want[i])
		}
	}
	left := []LeftOut{{noContrast, 1, []string{"c_0 c_1"}}}
	if c.Records != len(want) || c.Topics != 3 || c.Instructions != 7 || c.Used != 5 || !reflect.DeepEqual(c.LeftOut, left) {
		t.Errorf("%d records, %d topics, %d instructions, %d used, left out %v", c.Records, c.Topics, c.Instructions, c.Used, c.LeftOut)
	}
	again, err := Contrast(contrastTask(), ContrastOptions{Seed: 1})
	if err != nil || !reflect.DeepEqual(again, c) {
		t.Errorf("a second time: %+v, %v", again, err)
	}
	if other, err := Contrast(contrastTask(), ContrastOptions{Seed: 2}); err != nil || reflect.DeepEqual(other.Triplets, c.Triplets) || other.Records != c.Records {
		t.Errorf("with another seed: %+v, %v", other, err)
	}
}

// What cannot be a record is counted under its reason, with IDs; a task without any record is
// refused.
func TestContrastLeavesOut(t *testing.T) {
	taken := func(texts ...string) func(string) bool {
		return func(text string) bool { return slices.Contains(texts, text) }
	}
	for _, c := range []struct {
		name    string
		change  func(*Task, *ContrastOptions)
		records int
		left    string // LeftOut, printed
		fails   string
	}{
		{"a query in the test", func(_ *Task, o *ContrastOptions) { o.Taken = taken("rice") }, 6,
			"[{topics in a test 1 [d_0]} {" + noContrast + " 1 [c_0 c_1]}]", ""},
		{"an instruction in the test", func(_ *Task, o *ContrastOptions) { o.Taken = taken("red ones", "with peas") }, 2,
			"[{instructions in a test 2 [b_1 d_1]} {" + noContrast + " 1 [c_0 c_1]} {topics with one instruction 1 [d_0]}]", ""},
		{"a document in the test, with its title", func(k *Task, o *ContrastOptions) {
			k.Corpus.(MemoryCorpus)[4].Title = "caption"
			o.Taken = taken("caption table s2")
		}, 4, "[{documents in a test 1 [s2]} {" + noContrast + " 3 [b_0 b_2 b_1 b_2 c_0 c_1]}]", ""},
		{"a document in the test, without its title", func(k *Task, o *ContrastOptions) {
			k.Corpus.(MemoryCorpus)[4].Title = "caption"
			o.Taken = taken("table s2")
		}, 4, "[{documents in a test 1 [s2]} {" + noContrast + " 3 [b_0 b_2 b_1 b_2 c_0 c_1]}]", ""},
		{"no text", func(k *Task, _ *ContrastOptions) { k.Corpus.(MemoryCorpus)[8].Text = " \n" }, 6,
			"[{documents without text 1 [r0]} {" + noContrast + " 2 [c_0 c_1 d_0 d_1]}]", ""},
		{"a relevant document that the corpus lacks", func(k *Task, _ *ContrastOptions) { k.Corpus = slices.Delete(k.Corpus.(MemoryCorpus), 8, 9) }, 6,
			"[{documents without text 1 [r0]} {" + noContrast + " 2 [c_0 c_1 d_0 d_1]}]", ""},
		{"two documents with one text", func(k *Task, _ *ContrastOptions) { k.Corpus.(MemoryCorpus)[9].Text = "table r0" }, 6,
			"[{" + noContrast + " 1 [c_0 c_1]} {" + nothingBroken + " 1 [d_0]}]", ""},
		{"every document complies with every instruction", func(k *Task, _ *ContrastOptions) {
			k.Qrels["d_0"], k.Qrels["d_1"] = map[string]int{"r0": 1}, map[string]int{"r0": 2}
		}, 6, "[{" + noContrast + " 1 [c_0 c_1]} {" + nothingBroken + " 1 [d_0]}]", ""},
		{"an instruction twice", func(k *Task, _ *ContrastOptions) { k.Queries[8].Instruction = "with beans" }, 6,
			"[{" + noContrast + " 1 [c_0 c_1]} {topics with one instruction 1 [d_0]}]", ""},
		{"one topic", func(k *Task, _ *ContrastOptions) { k.Queries = k.Queries[2:5] }, 0, "",
			"task T: no record can be made: 3 " + noOtherTopic},
		{"no instruction", func(k *Task, _ *ContrastOptions) { k.Queries = k.Queries[:2] }, 0, "", "task T has no instructions"},
		{"one instruction of each query", func(k *Task, _ *ContrastOptions) { k.Queries = []Query{k.Queries[2], k.Queries[5]} }, 0, "",
			"task T has one instruction for each query"},
		{"narrowing alone", func(k *Task, _ *ContrastOptions) {
			k.Queries = []Query{k.Queries[1], k.Queries[5], k.Queries[6], k.Queries[0]}
		}, 0, "",
			"task T: no record can be made: 1 " + noContrast},
		{"shuffled, but one topic has most", func(k *Task, o *ContrastOptions) { k.Queries, o.Shuffle = k.Queries[:6], true }, 0, "",
			"task T: instructions cannot be shuffled among topics: one topic has 3 of 4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			task, o := contrastTask(), ContrastOptions{Seed: 1}
			c.change(task, &o)
			made, err := Contrast(task, o)
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Errorf("%v, want an error with %q", err, c.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(made.LeftOut); made.Records != c.records || got != c.left {
				t.Errorf("%d records, left out %s; want %d and %s", made.Records, got, c.records, c.left)
			}
		})
	}
}

// Records that stay are the same whatever else is left out.
func TestContrastDrawsEachRecordAlone(t *testing.T) {
	all, err := Contrast(contrastTask(), ContrastOptions{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	fewer := contrastTask()
	delete(fewer.Qrels, "b_2")
	some, err := Contrast(fewer, ContrastOptions{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range some.Triplets {
		if !slices.Contains(all.Triplets, r) {
			t.Errorf("another record: %+v", r)
		}
	}
}

// Shuffled, each instruction has the text of one of another topic, and nothing else changes.
func TestContrastShuffle(t *testing.T) {
	for seed := range uint64(20) {
		shuffled, err := Contrast(contrastTask(), ContrastOptions{Seed: seed, Shuffle: true})
		if err != nil {
			t.Fatal(err)
		}
		as := map[string]string{}
		plain, err := Contrast(contrastTask(), ContrastOptions{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		topic := map[string]string{}
		for _, q := range contrastTask().Queries {
			topic[q.Instruction] = q.Text
		}
		for i, r := range shuffled.Triplets {
			was := plain.Triplets[i]
			for from, to := range map[string]string{was.InstructionPositive: r.InstructionPositive, was.InstructionNegative: r.InstructionNegative} {
				if as[from] != "" && as[from] != to || topic[from] == topic[to] {
					t.Errorf("seed %d: %q became %q and %q", seed, from, as[from], to)
				}
				as[from] = to
			}
			r.InstructionPositive, r.InstructionNegative = was.InstructionPositive, was.InstructionNegative
			if r != was {
				t.Errorf("seed %d: %+v, want %+v", seed, r, was)
			}
		}
		if n := len(slices.Compact(slices.Sorted(maps.Values(as)))); n != len(as) {
			t.Errorf("seed %d: %d instructions became %d", seed, len(as), n)
		}
	}
}
