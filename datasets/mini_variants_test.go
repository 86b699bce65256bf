package datasets

import (
	"slices"
	"strings"
	"testing"
)

// asksIn lists the values that an instruction has words for.
func asksIn(w *miniWorld, instruction string) map[miniTrait]bool {
	found := map[miniTrait]bool{}
	for f := range w.facets {
		for v := range w.facets[f].values {
			for _, word := range wordsOf(instruction) {
				if slices.Contains(w.facets[f].values[v].asks, word) {
					found[miniTrait{f, v}] = true
				}
			}
		}
	}
	return found
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" ,.", c) })
}

// TestMiniVariants: rewordings and paraphrases ask for the values of the own instruction,
// paraphrases in other words; contradictions ask for others. No variant equals the own text, and a
// query with any of them is as short as all texts of the world.
func TestMiniVariants(t *testing.T) {
	const world = 7
	w := newMiniWorld(world)
	for _, name := range MiniNames() {
		b, err := Mini(name, world)
		if err != nil {
			t.Fatal(err)
		}
		own := map[string]Query{}
		for _, task := range b.Tasks {
			for _, q := range task.Queries {
				own[task.Name+" "+q.ID] = q
			}
		}
		variants, ok := MiniVariants(name, world)
		if !ok {
			t.Fatalf("%s has no variants", name)
		}
		count := map[VariantKind]map[string]int{Rewording: {}, Paraphrase: {}, Contradiction: {}}
		for _, v := range variants {
			q, known := own[v.Task+" "+v.Query]
			if !known || v.Instruction == q.Instruction {
				t.Fatalf("%s: variant %+v of %+v", name, v, q)
			}
			count[v.Kind][v.Task+" "+v.Query]++
			before, after := asksIn(w, q.Instruction), asksIn(w, v.Instruction)
			same := len(before) == len(after)
			for m := range after {
				same = same && before[m]
			}
			if same == (v.Kind == Contradiction) && !saysNot.MatchString(q.Instruction) {
				t.Errorf("%s: %q for %q", v.Kind, v.Instruction, q.Instruction)
			}
			for _, word := range wordsOf(v.Instruction) {
				repeats := len(asksIn(w, word)) > 0 && slices.Contains(wordsOf(q.Instruction), word)
				if v.Kind == Paraphrase && repeats {
					t.Errorf("paraphrase %q repeats %q of %q", v.Instruction, word, q.Instruction)
				}
			}
			if n := len(miniTokens(q.Text + " " + v.Instruction)); n > 30 {
				t.Errorf("%d words: %q %q", n, q.Text, v.Instruction)
			}
		}
		for key, q := range own {
			asks := len(asksIn(w, q.Instruction)) > 0
			if count[Rewording][key] == 0 || asks != (count[Paraphrase][key] > 0) || asks != (count[Contradiction][key] > 0) {
				t.Errorf("%s: %q has %d, %d and %d variants", key, q.Instruction, count[Rewording][key], count[Paraphrase][key], count[Contradiction][key])
			}
		}
	}
	if _, ok := MiniVariants("mini-folowir", world); ok {
		t.Error("an unknown benchmark has variants")
	}
}

// TestMiniVariantsOfNegation: "A but not B" is contradicted by "B but not A", in the same words and
// without other values.
func TestMiniVariantsOfNegation(t *testing.T) {
	b, err := Mini("mini-followir", 1)
	if err != nil {
		t.Fatal(err)
	}
	variants, _ := MiniVariants("mini-followir", 1)
	w := newMiniWorld(1)
	found := 0
	for _, q := range b.Tasks[2].Queries {
		kept, dropped, negated := strings.Cut(q.Instruction, " but not ")
		for _, v := range variants {
			if !negated || v.Query != q.ID || v.Kind == Rewording {
				continue
			}
			now, gone, still := strings.Cut(v.Instruction, " but not ")
			if !still {
				t.Errorf("%s %q of %q negates nothing", v.Kind, v.Instruction, q.Instruction)
			}
			same := equalMarks(asksIn(w, now), asksIn(w, kept)) && equalMarks(asksIn(w, gone), asksIn(w, dropped))
			if same != (v.Kind == Paraphrase) {
				t.Errorf("%s %q of %q", v.Kind, v.Instruction, q.Instruction)
			}
			found++
		}
	}
	if found < 200 {
		t.Errorf("%d variants of negations", found)
	}
}

func equalMarks(a, b map[miniTrait]bool) bool {
	for m := range a {
		if !b[m] {
			return false
		}
	}
	return len(a) == len(b)
}
