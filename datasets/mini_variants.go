package datasets

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// VariantKind says how an instruction was written that is given to a query instead
// of its own.
type VariantKind string

// The kinds of what is written anew: the first two ask for the same.
const (
	Rewording     VariantKind = "rewording"     // the same words in another frame
	Paraphrase    VariantKind = "paraphrase"    // the same in other words
	Contradiction VariantKind = "contradiction" // something that the own instruction does not ask for
)

// VariantKinds lists them.
func VariantKinds() []VariantKind { return []VariantKind{Rewording, Paraphrase, Contradiction} }

// Variant is an instruction that a query is asked with instead of its own.
type Variant struct {
	Task        string // "" where the ID of the query tells
	Query       string
	Kind        VariantKind
	Instruction string
}

// miniSaid is how many variants of each kind a generated query has at most.
const miniSaid = 2

// MiniVariants says the instructions of a generated benchmark otherwise, in
// sentences and words of its tests: rewordings keep the value words and change the
// sentence; paraphrases use the other words of the same values, too, as the null
// slice does; contradictions ask for another value of the facet. Instructions that
// ask for no value have rewordings only. ok is false of a name that is none of a
// generated benchmark.
func MiniVariants(name string, world uint64) (variants []Variant, ok bool) {
	w := newMiniWorld(world)
	switch name {
	case "mini-followir":
		return w.pairVariants(name, w.followIR()), true
	case "mini-negation":
		return w.pairVariants(name, w.negation()), true
	case "mini-mair":
		return w.mairVariants(), true
	case "mini-bright":
		return w.brightVariants(), true
	}
	return nil, false
}

// miniMeaning is what an instruction asks for, and all sentences that can say it.
type miniMeaning struct {
	own       string
	sentences []func(lists ...[]string) string // each list holds words for a part of asked
	asked     [][]miniTrait
	contrary  [][]miniTrait // asked for by contradictions; nil where there are none
	unseen    bool          // without the words that documents use, too
}

// variants says m otherwise.
func (w *miniWorld) variants(r *rand.Rand, task, query string, m miniMeaning) []Variant {
	var out []Variant
	add := func(kind VariantKind, words func(part int) []string) {
		said := []string{m.own}
		for _, sentence := range deal(r, m.sentences) {
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
	add(Rewording, func(part int) []string { return w.saidWords(m, m.asked[part]) })
	if len(m.asked) > 0 {
		add(Paraphrase, func(part int) []string { return w.otherWords(r, m, m.asked[part]) })
	}
	if m.contrary != nil {
		add(Contradiction, func(part int) []string { return w.contraryWords(r, m, part) })
	}
	return out
}

// saidWords are the words for some values that the own instruction uses, in its order.
func (w *miniWorld) saidWords(m miniMeaning, values []miniTrait) []string {
	var words []string
	for _, word := range strings.FieldsFunc(m.own, func(c rune) bool { return strings.ContainsRune(" ,.", c) }) {
		if slices.ContainsFunc(values, func(v miniTrait) bool { return slices.Contains(w.asksOf(v), word) }) {
			words = append(words, word)
		}
	}
	return words
}

// otherWords are words for some values that the own instruction does not use, no more
// of each than it has.
func (w *miniWorld) otherWords(r *rand.Rand, m miniMeaning, values []miniTrait) []string {
	var words []string
	for _, v := range deal(r, values) {
		used := w.saidWords(m, []miniTrait{v})
		unused := slices.DeleteFunc(w.wordsFor(r, m, v), func(word string) bool { return slices.Contains(used, word) })
		words = append(words, unused[:min(len(used), len(unused))]...)
	}
	return words
}

// contraryWords are words for what a contradiction asks for in a part of an
// instruction, as many as that has for a value.
func (w *miniWorld) contraryWords(r *rand.Rand, m miniMeaning, part int) []string {
	n := len(w.saidWords(m, m.asked[part])) / len(m.asked[part])
	var words []string
	for _, v := range m.contrary[part] {
		words = append(words, w.wordsFor(r, m, v)[:n]...)
	}
	return words
}

// wordsFor are the words that an instruction of that kind may use for a value, shuffled.
func (w *miniWorld) wordsFor(r *rand.Rand, m miniMeaning, v miniTrait) []string {
	words := w.asksOf(v)
	if m.unseen {
		words = words[1:]
	}
	return deal(r, words)
}

func (w *miniWorld) asksOf(v miniTrait) []string { return w.facets[v.facet].values[v.value].asks }

// pairVariants are those of mini-followir or mini-negation: each slice says its pairs
// otherwise.
func (w *miniWorld) pairVariants(benchmark string, tasks []Task) []Variant {
	docs, _ := w.contrastDocuments()
	contrasts := w.contrasts(docs)
	var out []Variant
	for _, t := range tasks {
		r := w.random("variants of " + benchmark + " " + t.Name)
		for i := range contrasts {
			original, changed := w.meanings(r, t.Name, i, &contrasts[i])
			for n, m := range []miniMeaning{original, changed} {
				q := t.Queries[2*i+n]
				m.own, m.unseen = q.Instruction, t.Name == "no-overlap"
				out = append(out, w.variants(r, t.Name, q.ID, m)...)
			}
		}
	}
	return out
}

// meanings are what the two instructions of a pair ask for, as the changes of the
// slices have it (narrow, exclude, repel, reword).
func (w *miniWorld) meanings(r *rand.Rand, slice string, n int, c *miniContrast) (original, changed miniMeaning) {
	a, b := miniTrait{c.facet, c.a}, miniTrait{c.facet, c.b}
	either := func(asked, contrary []miniTrait) miniMeaning {
		return miniMeaning{asked: [][]miniTrait{asked}, contrary: [][]miniTrait{contrary},
			sentences: w.phrased(r, c.facet, miniAsks, func(p miniPhrase, lists [][]string) string { return p.either(AnyOf(lists[0])) })}
	}
	aOrB := either([]miniTrait{a, b}, []miniTrait{{c.facet, miniValues - c.a - c.b}}) // 0 + 1 + 2 is the number of values
	but, own := exclusionOf(slice, n)
	switch {
	case slice == "null":
		return aOrB, aOrB
	case but == "":
		return aOrB, miniMeaning{asked: [][]miniTrait{{a}}, contrary: [][]miniTrait{{b}},
			sentences: w.phrased(r, c.facet, miniAsks, func(p miniPhrase, lists [][]string) string { return p.only(AnyOf(lists[0])) })}
	case own:
		return aOrB, miniMeaning{asked: [][]miniTrait{{a}, {b}}, contrary: [][]miniTrait{{b}, {a}},
			sentences: w.phrased(r, c.facet, miniAsks, func(p miniPhrase, lists [][]string) string {
				return p.either(AnyOf(lists[0]) + " " + but + " " + AnyOf(lists[1]))
			})}
	}
	dropped, asks := miniTrait{c.other, c.dropped}, miniAsks
	if slice == sliceUnseen {
		asks = 1 // the longer would pass 32 tokens
	}
	return either([]miniTrait{a}, []miniTrait{b}), miniMeaning{asked: [][]miniTrait{{a}, {dropped}}, contrary: [][]miniTrait{{b}, {dropped}},
		sentences: w.phrased(r, c.facet, asks, func(p miniPhrase, lists [][]string) string {
			return p.either(AnyOf(lists[0]), " "+but+" "+w.repelled(slice, c.other, lists[1]))
		})}
}

// phrased are the sentences of pairs in the first asks of a facet, each with one of the
// items.
func (w *miniWorld) phrased(r *rand.Rand, facet, asks int, say func(miniPhrase, [][]string) string) []func(...[]string) string {
	var all []func(...[]string) string
	for _, pair := range w.templates["instruction pair test"] {
		for n := range asks {
			p := miniPhrase{pair: pair, item: pick(r, w.fillers["items"]),
				ask: func(list string) string { return w.askList(miniTest, n, facet, list) }}
			all = append(all, func(lists ...[]string) string { return say(p, lists) })
		}
	}
	return all
}

// mairVariants are those of mini-mair.
func (w *miniWorld) mairVariants() []Variant {
	var out []Variant
	for _, s := range miniSearches() {
		t, own, r := w.search(s), w.random("mini-mair "+s.name), w.random("variants of mini-mair "+s.name)
		at := 0
		for i := range w.topics { // the first that search draws is what it demands
			for _, marks := range s.demands(w, own, &w.topics[i]) {
				q := t.Queries[at]
				out = append(out, w.variants(r, t.Name, q.ID, w.searched(r, q, s.name, w.topics[i].domain, marks))...)
				at++
			}
		}
	}
	return out
}

// searched is what a query of mini-mair asks for.
func (w *miniWorld) searched(r *rand.Rand, q Query, task, domain string, marks []miniTrait) miniMeaning {
	m := miniMeaning{own: q.Instruction}
	for _, mark := range marks {
		m.asked = append(m.asked, []miniTrait{mark})
		m.contrary = append(m.contrary, []miniTrait{{mark.facet, (mark.value + 1 + r.IntN(miniValues-1)) % miniValues}})
	}
	for _, template := range w.templates[task+" instruction"] {
		for n := range miniAsks {
			m.sentences = append(m.sentences, func(lists ...[]string) string {
				var asks []string
				for i, words := range lists {
					asks = append(asks, w.ask(miniTest, n, marks[i].facet, words))
				}
				return instruction(template, "", domain, asks...)
			})
		}
	}
	return m
}

// brightVariants are those of mini-bright, whose instructions ask for no value.
func (w *miniWorld) brightVariants() []Variant {
	var out []Variant
	for _, t := range w.bright() {
		r := w.random("variants of mini-bright " + t.Name)
		for _, q := range t.Queries {
			m := miniMeaning{own: q.Instruction}
			for _, template := range w.templates["bright instruction"] {
				m.sentences = append(m.sentences, func(...[]string) string { return instruction(template, "", t.Name) })
			}
			out = append(out, w.variants(r, t.Name, q.ID, m)...)
		}
	}
	return out
}
