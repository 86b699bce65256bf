package datasets

import (
	"maps"
	"slices"
	"testing"
)

// miniSeeds are the worlds in which the properties below are checked.
var miniSeeds = []uint64{1, 1 << 63}

// trainTexts lists the texts of training records, by kind.
func trainTexts(records []Triplet) (instructions, queries, documents []string) {
	for _, r := range records {
		instructions = append(instructions, r.InstructionPositive, r.InstructionNegative)
		queries = append(queries, r.QueryPositive, r.QueryNegative)
		documents = append(documents, r.Positive, r.HardNegative1, r.HardNegative2)
	}
	return instructions, queries, documents
}

func set(s ...[]string) map[string]bool {
	m := map[string]bool{}
	for _, words := range s {
		for _, w := range words {
			m[w] = true
		}
	}
	return m
}

// eachMiniQuery calls check for every query of every benchmark of a world.
func eachMiniQuery(all []*Benchmark, check func(b *Benchmark, task Task, q Query)) {
	for _, b := range all {
		for _, task := range b.Tasks {
			for _, q := range task.Queries {
				check(b, task, q)
			}
		}
	}
}

func TestMiniTextsAreHeldOut(t *testing.T) {
	r := newMiniReader()
	for _, seed := range miniSeeds {
		records, all := miniWorldOf(t, seed)
		instructions, queries, documents := trainTexts(records)
		trained := set(instructions, queries, documents)
		wordSets := map[string]bool{}
		for _, q := range queries {
			wordSets[r.topicWords(q)] = true
		}
		eachMiniQuery(all, func(b *Benchmark, task Task, q Query) {
			if trained[q.Text] || trained[q.Instruction] {
				t.Errorf("world %d, %s: query or instruction occurs in training: %+v", seed, b.Name, q)
			}
			if wordSets[r.topicWords(q.Text)] {
				t.Errorf("world %d, %s: the topic words of %q make a training query", seed, b.Name, q.Text)
			}
		})
		for _, b := range all {
			for _, task := range b.Tasks {
				for id, text := range texts(t, task) {
					if trained[text] {
						t.Errorf("world %d, %s: document %s occurs in training: %s", seed, b.Name, id, text)
					}
				}
			}
		}
	}
}

// TestMiniFacetsAreHeldOut: training neither asks for nor shows, on a topic, the facets that tests
// constrain on it.
func TestMiniFacetsAreHeldOut(t *testing.T) {
	r := newMiniReader()
	type combination struct{ topic, facet string }
	for _, seed := range miniSeeds {
		records, all := miniWorldOf(t, seed)
		trained := map[combination]bool{}
		for _, record := range records {
			for _, row := range rows(record) {
				for _, facet := range r.asked(row[0]).facets() {
					trained[combination{r.topicOf(t, row[1]), facet}] = true
				}
				for facet := range r.shown(t, row[2]) {
					trained[combination{r.topicOf(t, row[2]), facet}] = true
				}
			}
		}
		if want := MiniTopics * (5 - miniHeld); len(trained) != want {
			t.Errorf("world %d: training has %d of topics and facets, want %d", seed, len(trained), want)
		}
		eachMiniQuery(all, func(b *Benchmark, task Task, q Query) {
			facets := r.asked(q.Instruction).facets()
			if len(facets) == 0 && b.Name != "mini-bright" && task.Name != "plain-topic" {
				t.Errorf("%s: %q asks for nothing", q.ID, q.Instruction)
			}
			for _, facet := range facets {
				if c := (combination{r.topicOf(t, q.Text), facet}); trained[c] {
					t.Errorf("world %d, %s: %v is tested and trained", seed, q.ID, c)
				}
			}
		})
	}
}

// rows returns the three training rows of a record: instruction, query, document.
func rows(r Triplet) [3][3]string {
	return [3][3]string{
		{r.InstructionPositive, r.QueryPositive, r.Positive},
		{r.InstructionNegative, r.QueryPositive, r.HardNegative1},
		{r.InstructionPositive, r.QueryNegative, r.HardNegative2},
	}
}

// TestMiniRecordsFit: the texts of the poisoned triples fit as InF-IR requires.
func TestMiniRecordsFit(t *testing.T) {
	r := newMiniReader()
	for _, seed := range miniSeeds {
		records, _ := miniWorldOf(t, seed)
		for _, record := range records {
			for i, row := range rows(record) {
				if r.topicOf(t, row[1]) != r.topicOf(t, row[2]) || !r.asked(row[0]).met(r.shown(t, row[2])) {
					t.Errorf("world %d, %s: row %d does not fit: %q", seed, record.ID, i, row)
				}
			}
			if r.asked(record.InstructionPositive).met(r.shown(t, record.HardNegative1)) {
				t.Errorf("world %d, %s: the first negative fits the positive instruction", seed, record.ID)
			}
			if r.asked(record.InstructionNegative).met(r.shown(t, record.Positive)) {
				t.Errorf("world %d, %s: the positive fits the negative instruction", seed, record.ID)
			}
			if r.topicOf(t, record.QueryPositive) == r.topicOf(t, record.QueryNegative) {
				t.Errorf("world %d, %s: both queries are on one topic", seed, record.ID)
			}
		}
	}
}

// TestMiniJudgmentsSayWhatTextsSay: a document is relevant exactly if its words are on the query's
// topic and show the values that the instruction asks for.
func TestMiniJudgmentsSayWhatTextsSay(t *testing.T) {
	r := newMiniReader()
	for _, seed := range miniSeeds {
		_, all := miniWorldOf(t, seed)
		for _, b := range all {
			for _, task := range b.Tasks {
				docs := texts(t, task)
				topics, shown := map[string]string{}, map[string]map[string]string{}
				for id, text := range docs {
					topics[id], shown[id] = r.topicOf(t, text), r.shown(t, text)
				}
				for _, q := range task.Queries {
					topic, asked := r.topicOf(t, q.Text), r.asked(q.Instruction)
					var want []string
					for id := range docs {
						if topics[id] == topic && asked.met(shown[id]) && !slices.Contains(task.Excluded[q.ID], id) {
							want = append(want, id)
						}
					}
					slices.Sort(want)
					if got := relevant(task, q.ID); len(got) == 0 || !slices.Equal(got, want) {
						t.Errorf("world %d, %s: relevant %v, the texts say %v", seed, q.ID, got, want)
					}
				}
			}
		}
	}
}

// TestMiniLengths: no text exceeds 32 tokens including [CLS] and [SEP].
func TestMiniLengths(t *testing.T) {
	const limit = 30
	short := func(where string, parts ...string) {
		if n := len(miniTokens(parts...)); n > limit {
			t.Errorf("%s: %d tokens in %q", where, n, parts)
		}
	}
	for _, seed := range miniSeeds {
		records, all := miniWorldOf(t, seed)
		for _, record := range records {
			short(record.ID, record.QueryNegative, record.InstructionPositive)
			for _, row := range rows(record) {
				short(record.ID, row[0], row[1])
				short(record.ID, row[2])
			}
		}
		eachMiniQuery(all, func(_ *Benchmark, _ Task, q Query) { short(q.ID, q.Text, q.Instruction) })
		for _, b := range all {
			for _, task := range b.Tasks {
				for id, text := range texts(t, task) {
					short(id, text)
				}
			}
		}
	}
}

// TestMiniVocabulary: every test word is a training word, except where a task tests words without
// training.
func TestMiniVocabulary(t *testing.T) {
	for _, seed := range miniSeeds {
		records, all := miniWorldOf(t, seed)
		instructions, queries, documents := trainTexts(records)
		trained := set(miniTokens(slices.Concat(instructions, queries, documents)...))
		unknown := map[string]bool{}
		read := func(texts ...string) {
			for _, w := range miniTokens(texts...) {
				if !trained[w] {
					unknown[w] = true
				}
			}
		}
		eachMiniQuery(all, func(_ *Benchmark, _ Task, q Query) { read(q.Text, q.Instruction) })
		for _, b := range all {
			for _, task := range b.Tasks {
				for _, text := range texts(t, task) {
					read(text)
				}
			}
		}
		if want := set(exclusionWords); !maps.Equal(unknown, want) {
			t.Errorf("world %d: not in training: %v, want %v", seed, unknown, want)
		}
		if len(trained) > 1000 {
			t.Errorf("world %d: %d words", seed, len(trained))
		}
	}
}
