package datasets

import (
	"slices"
	"strings"

	"infbench/internal/words"
)

// VariantKind is the relation of a variant to the query's own instruction.
type VariantKind string

// The kinds of variants; the first two ask for the same as the original.
const (
	Rewording     VariantKind = "rewording"     // the same words in another frame
	Paraphrase    VariantKind = "paraphrase"    // the same in other words
	Contradiction VariantKind = "contradiction" // asks for something that the own instruction does not ask for
)

// VariantKinds lists the kinds.
func VariantKinds() []VariantKind { return []VariantKind{Rewording, Paraphrase, Contradiction} }

// Variant is an instruction that replaces a query's own.
type Variant struct {
	Task        string // "" if the ID of the query identifies the task
	Query       string
	Kind        VariantKind
	Instruction string
}

// miniSaid is the maximum number of variants of each kind per generated query.
const miniSaid = 2

// MiniVariants rewrites the instructions of a generated benchmark, with sentences and words of its
// tests. Rewordings keep the value words and change the sentence. Paraphrases also use the other
// words of the same values, like the null slice. Contradictions ask for another value of the facet.
// Instructions that ask for no value have only rewordings. ok is false if the name is not that of a
// generated benchmark.
func MiniVariants(name string, world uint64) (variants []Variant, ok bool) {
	w := newMiniWorld(world)
	switch name {
	case "mini-followir":
		return w.pairs().variants(name, w.followIR()), true
	case "mini-negation":
		return w.pairs().variants(name, w.negation()), true
	case "mini-mair":
		return w.mairVariants(), true
	case "mini-bright":
		return w.brightVariants(), true
	}
	return nil, false
}

// miniMeaning is the meaning of an instruction, with all sentences that can express it.
type miniMeaning struct {
	own       string
	sentences []func(lists ...[]string) string // each list has words for a part of asked
	asked     [][]miniTrait
	contrary  [][]miniTrait // values that contradictions ask for; nil if there are none
	unseen    bool          // avoid the words that documents also use
}

// variants writes the variants of the meaning, in the words of a writer.
func (m miniMeaning) variants(w miniWriter, task, query string) []Variant {
	var out []Variant
	add := func(kind VariantKind, words func(part int) []string) {
		said := []string{m.own}
		for _, sentence := range deal(w.r, m.sentences) {
			lists := make([][]string, len(m.asked))
			for i := range lists {
				lists[i] = words(i)
			}
			if text := sentence(lists...); len(said) <= miniSaid && !slices.Contains(said, text) {
				said = append(said, text)
				out = append(out, Variant{Task: task, Query: query, Kind: kind, Instruction: text})
			}
		}
	}
	add(Rewording, func(part int) []string { return m.saidWords(w.miniLists, m.asked[part]) })
	if len(m.asked) > 0 {
		add(Paraphrase, func(part int) []string { return m.otherWords(w, m.asked[part]) })
	}
	if m.contrary != nil {
		add(Contradiction, func(part int) []string { return m.contraryWords(w, part) })
	}
	return out
}

// saidWords returns the words that the own instruction uses for some values, in its order.
func (m miniMeaning) saidWords(l *miniLists, values []miniTrait) []string {
	var words []string
	for _, word := range strings.FieldsFunc(m.own, func(c rune) bool { return strings.ContainsRune(" ,.", c) }) {
		if slices.ContainsFunc(values, func(v miniTrait) bool { return slices.Contains(l.asksOf(v), word) }) {
			words = append(words, word)
		}
	}
	return words
}

// otherWords returns words for some values that the own instruction does not use, at most as many
// of each as it has.
func (m miniMeaning) otherWords(w miniWriter, values []miniTrait) []string {
	var words []string
	for _, v := range deal(w.r, values) {
		used := m.saidWords(w.miniLists, []miniTrait{v})
		unused := slices.DeleteFunc(m.wordsFor(w, v), func(word string) bool { return slices.Contains(used, word) })
		words = append(words, unused[:min(len(used), len(unused))]...)
	}
	return words
}

// contraryWords returns words for the contradicting value of a part of an instruction, as many as
// that part has for a value.
func (m miniMeaning) contraryWords(w miniWriter, part int) []string {
	n := len(m.saidWords(w.miniLists, m.asked[part])) / len(m.asked[part])
	var words []string
	for _, v := range m.contrary[part] {
		words = append(words, m.wordsFor(w, v)[:n]...)
	}
	return words
}

// wordsFor returns the words that this kind of instruction may use for a value, shuffled.
func (m miniMeaning) wordsFor(w miniWriter, v miniTrait) []string {
	words := w.asksOf(v)
	if m.unseen {
		words = words[1:]
	}
	return deal(w.r, words)
}

// variants returns the variants of the tasks of mini-followir or mini-negation; each slice rewrites
// its pairs.
func (p *miniPairing) variants(benchmark string, tasks []Task) []Variant {
	var out []Variant
	for _, t := range tasks {
		w := p.w.writer("variants of " + benchmark + " " + t.Name)
		for i := range p.contrasts {
			original, changed := p.contrasts[i].meanings(w, t.Name, i)
			for n, m := range []miniMeaning{original, changed} {
				q := t.Queries[2*i+n]
				m.own, m.unseen = q.Instruction, t.Name == "no-overlap"
				out = append(out, m.variants(w, t.Name, q.ID)...)
			}
		}
	}
	return out
}

// meanings returns the meanings of the two instructions of a pair, as the slices' changes write
// them (narrow, exclude, repel, reword).
func (c *miniContrast) meanings(w miniWriter, slice string, n int) (original, changed miniMeaning) {
	a, b := miniTrait{c.facet, c.a}, miniTrait{c.facet, c.b}
	either := func(asked, contrary []miniTrait) miniMeaning {
		return miniMeaning{asked: [][]miniTrait{asked}, contrary: [][]miniTrait{contrary},
			sentences: w.phrased(c.facet, miniAsks, func(p miniPhrase, lists [][]string) string { return p.either(words.AnyOf(lists[0])) })}
	}
	aOrB := either([]miniTrait{a, b}, []miniTrait{{c.facet, miniValues - c.a - c.b}}) // 0 + 1 + 2 equals the number of values
	but, own := exclusionOf(slice, n)
	switch {
	case slice == "null":
		return aOrB, aOrB
	case but == "":
		return aOrB, miniMeaning{asked: [][]miniTrait{{a}}, contrary: [][]miniTrait{{b}},
			sentences: w.phrased(c.facet, miniAsks, func(p miniPhrase, lists [][]string) string { return p.only(words.AnyOf(lists[0])) })}
	case own:
		return aOrB, miniMeaning{asked: [][]miniTrait{{a}, {b}}, contrary: [][]miniTrait{{b}, {a}},
			sentences: w.phrased(c.facet, miniAsks, func(p miniPhrase, lists [][]string) string {
				return p.either(words.AnyOf(lists[0]) + " " + but + " " + words.AnyOf(lists[1]))
			})}
	}
	dropped, asks := miniTrait{c.other, c.dropped}, miniAsks
	if slice == sliceUnseen {
		asks = 1 // the longer ask would exceed 32 tokens
	}
	return either([]miniTrait{a}, []miniTrait{b}), miniMeaning{asked: [][]miniTrait{{a}, {dropped}}, contrary: [][]miniTrait{{b}, {dropped}},
		sentences: w.phrased(c.facet, asks, func(p miniPhrase, lists [][]string) string {
			return p.either(words.AnyOf(lists[0]), " "+but+" "+w.repelled(slice, c.other, lists[1]))
		})}
}

// phrased returns the sentences of pairs in the first asks of a facet, each with one of the items.
func (w miniWriter) phrased(facet, asks int, say func(miniPhrase, [][]string) string) []func(...[]string) string {
	var all []func(...[]string) string
	for _, pair := range w.templates["instruction pair test"] {
		for n := range asks {
			p := miniPhrase{pair: pair, item: pick(w.r, w.fillers["items"]),
				ask: func(list string) string { return w.askList(miniTest, n, facet, list) }}
			all = append(all, func(lists ...[]string) string { return say(p, lists) })
		}
	}
	return all
}

// mairVariants returns the variants of mini-mair.
func (w *miniWorld) mairVariants() []Variant {
	var out []Variant
	for _, s := range miniSearches() {
		t, own, p := s.task(w), s.writer(w), w.writer("variants of mini-mair "+s.name)
		at := 0
		for i := range w.topics { // the first value that the task draws is the demanded one
			for _, marks := range s.demands(own, &w.topics[i]) {
				q := t.Queries[at]
				out = append(out, s.meaning(p, q, w.topics[i].domain, marks).variants(p, t.Name, q.ID)...)
				at++
			}
		}
	}
	return out
}

// meaning returns the meaning of a query of the task.
func (s miniSearch) meaning(p miniWriter, q Query, domain string, marks []miniTrait) miniMeaning {
	m := miniMeaning{own: q.Instruction}
	for _, mark := range marks {
		m.asked = append(m.asked, []miniTrait{mark})
		m.contrary = append(m.contrary, []miniTrait{{mark.facet, (mark.value + 1 + p.r.IntN(miniValues-1)) % miniValues}})
	}
	for _, template := range p.templates[s.name+" instruction"] {
		for n := range miniAsks {
			m.sentences = append(m.sentences, func(lists ...[]string) string {
				var asks []string
				for i, words := range lists {
					asks = append(asks, p.ask(miniTest, n, marks[i].facet, words))
				}
				return instruction(template, "", domain, asks...)
			})
		}
	}
	return m
}

// brightVariants returns the variants of mini-bright, whose instructions ask for no value.
func (w *miniWorld) brightVariants() []Variant {
	var out []Variant
	for _, t := range w.bright() {
		p := w.writer("variants of mini-bright " + t.Name)
		for _, q := range t.Queries {
			m := miniMeaning{own: q.Instruction}
			for _, template := range w.templates["bright instruction"] {
				m.sentences = append(m.sentences, func(...[]string) string { return instruction(template, "", t.Name) })
			}
			out = append(out, m.variants(p, t.Name, q.ID)...)
		}
	}
	return out
}
