package datasets

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestMiniReversal: the two instructions of a reversal have the same words in another order. Its
// passages show the value that one instruction asks for and the other excludes.
func TestMiniReversal(t *testing.T) {
	records, _ := MiniTriplets(MiniReversal, 1)
	for _, record := range records {
		first, second := miniTokens(record.InstructionPositive), miniTokens(record.InstructionNegative)
		slices.Sort(first)
		slices.Sort(second)
		if !slices.Equal(first, second) || record.InstructionPositive == record.InstructionNegative {
			t.Errorf("%s: %q and %q", record.ID, record.InstructionPositive, record.InstructionNegative)
		}
	}
}

// TestMiniComplement: both instructions of a complement ask for the same. Its passages show that,
// and each shows the value that the other's instruction excludes.
func TestMiniComplement(t *testing.T) {
	r := newMiniReader()
	records, _ := MiniTriplets(MiniComplement, 1)
	for _, record := range records {
		first, second := r.asked(record.InstructionPositive), r.asked(record.InstructionNegative)
		p, n := r.shown(t, record.Positive), r.shown(t, record.HardNegative1)
		if !reflect.DeepEqual(first.accepts, second.accepts) || len(first.refuses) != 1 || len(second.refuses) != 1 {
			t.Errorf("%s: %+v and %+v", record.ID, first, second)
		}
		for facet, refused := range first.refuses {
			if n[facet] != refused[0] || second.refuses[facet][0] != p[facet] || first.accepts[facet] != nil {
				t.Errorf("%s: %+v, the passages show %v and %v", record.ID, first, p, n)
			}
		}
	}
}

// TestMiniExclusion: the first of every three records of mini-exclusion is a reversal, the others
// are complements; a larger set begins with a smaller one.
func TestMiniExclusion(t *testing.T) {
	r := newMiniReader()
	all, _ := MiniTriplets(MiniExclusion, 1)
	for i, record := range all {
		asked := r.asked(record.InstructionPositive)
		reversal := true
		for facet := range asked.refuses {
			reversal = asked.accepts[facet] != nil
		}
		if reversal != (i%3 == 0) {
			t.Errorf("%s: a reversal is %t: %q", record.ID, reversal, record.InstructionPositive)
		}
	}
	for _, name := range append(exclusionSets, MiniTraining) {
		whole, _ := MiniTriplets(name, 1)
		few, ok := MiniTriplets(name+"-7", 1)
		if !ok || len(whole) != MiniRecords || !reflect.DeepEqual(few, whole[:7]) {
			t.Errorf("%s: %d records do not begin %d", name, len(few), len(whole))
		}
	}
}

func TestParseMini(t *testing.T) {
	for name, want := range map[string]string{
		"mini-infir": "mini-infir", "mini-infir-1200": "mini-infir", "mini-infir-9600": "mini-infir-9600",
		"mini-exclusion-5760": "mini-exclusion-5760", "mini-infir-unfiltered": "mini-infir-unfiltered",
		"mini-infir-unfiltered-50": "", "mini-infir-0": "", "mini-infir-012": "", "mini-infir-": "", "mini-infir--5": "", "mini": "", "infir-7": "",
	} {
		got, ok, err := ParseMini(name)
		if got != want || ok != (want != "") || err != nil {
			t.Errorf("%s: %q, %t, %v; want %q", name, got, ok, err, want)
		}
	}
	if _, ok, err := ParseMini("mini-infir-1000001"); !ok || err == nil || !strings.Contains(err.Error(), "at most 1000000") {
		t.Errorf("a million and one: %t, %v", ok, err)
	}
	if _, ok := MiniTriplets("mini-infir-1000001", 1); ok {
		t.Error("a million and one are generated")
	}
}

// TestMiniNegation: mini-negation has the pairs of mini-followir; unseen-wording has no phrase of
// training, and uses each of its words equally often for either ability.
func TestMiniNegation(t *testing.T) {
	b, err := Mini("mini-negation", 1)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, task := range b.Tasks {
		for i, q := range task.Queries {
			if i%2 == 0 { // before the change
				if saysNot.MatchString(q.Instruction) {
					t.Errorf("%s excludes before the change: %q", q.ID, q.Instruction)
				}
				continue
			}
			asked := newMiniReader().asked(q.Instruction)
			said := strings.TrimSpace(saysNot.FindString(q.Instruction))
			for facet := range asked.refuses {
				if asked.accepts[facet] != nil {
					said += " exclusion"
				}
			}
			counts[task.Name+": "+said]++
		}
	}
	want := map[string]int{
		"exclusion: but not exclusion": 80, "repulsion: but not": 80,
		"unseen-wording: except": 14, "unseen-wording: except exclusion": 14,
		"unseen-wording: excluding": 14, "unseen-wording: excluding exclusion": 14,
		"unseen-wording: without": 12, "unseen-wording: without exclusion": 12,
	}
	if !reflect.DeepEqual(counts, want) {
		t.Errorf("%v, want %v", counts, want)
	}
}

// TestUnseenWordingIsHeldOut: the exclusions of unseen-wording have sentence frames, apart from
// values, that no training set has, neither after "but not" nor anywhere else.
func TestUnseenWordingIsHeldOut(t *testing.T) {
	frame := func(r *miniReader, text string) string {
		words := miniTokens(text)
		for i, w := range words {
			if r.ask[w] != (readMark{}) {
				words[i] = "{v}"
			}
		}
		return strings.Join(words, " ")
	}
	r := newMiniReader()
	for _, seed := range miniSeeds {
		records, all := miniWorldOf(t, seed)
		instructions, _, _ := trainTexts(records)
		for i, text := range instructions {
			instructions[i] = frame(r, text)
		}
		trained := strings.Join(instructions, "\n")
		repelled := 0
		eachMiniQuery(all, func(b *Benchmark, task Task, q Query) {
			said := saysNot.Split(q.Instruction, 2)
			if task.Name != sliceUnseen || len(said) == 1 {
				return
			}
			if strings.Contains(trained, frame(r, said[0])) {
				t.Errorf("world %d, %s: %q is asked for, and training has its frame", seed, q.ID, said[0])
			}
			asked := r.asked(q.Instruction)
			for facet := range asked.refuses {
				if asked.accepts[facet] != nil {
					return // "A except B": only values
				}
			}
			repelled++
			if f := frame(r, strings.TrimRight(said[1], ".,")); strings.Contains(trained, f) {
				t.Errorf("world %d, %s: %q is refused, and training has %q", seed, q.ID, said[1], f)
			}
		})
		if repelled != 40 {
			t.Errorf("world %d: %d instructions repel, want 40", seed, repelled)
		}
	}
}
