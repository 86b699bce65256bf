package datasets

import (
	"fmt"
	"math/rand/v2"
)

// miniTrait says that a document shows, or an instruction asks for, a value of a
// facet.
type miniTrait struct{ facet, value int }

// miniDocument is a generated document with what it is about.
type miniDocument struct {
	Document
	topic int
	marks [2]miniTrait
	echo  bool // says in lay words what posts of mini-bright say
}

// shows reports whether d shows one of the values of a facet.
func (d *miniDocument) shows(facet int, values ...int) bool {
	for _, m := range d.marks {
		for _, v := range values {
			if m == (miniTrait{facet, v}) {
				return true
			}
		}
	}
	return false
}

// document writes a sentence or two on topic words that show two marks.
func (w *miniWorld) document(r *rand.Rand, template string, split miniSplit, words []string, marks [2]miniTrait) string {
	names, topic, adjectives := deal(r, w.fillers["names"]), deal(r, words), w.fillers["adjectives"]
	clauses := deal(r, []string{w.clause(r, split, marks[0]), w.clause(r, split, marks[1])})
	return fillSlots(template, func(slot string) string {
		switch slot {
		case "t":
			return next(&topic)
		case "a", "b":
			return next(&clauses)
		case "name":
			return next(&names)
		case "adj":
			return pick(r, adjectives)
		}
		panic("datasets: no slot {" + slot + "} in documents")
	})
}

// clause writes two cue words of a mark.
func (w *miniWorld) clause(r *rand.Rand, split miniSplit, m miniTrait) string {
	f := w.facets[m.facet]
	cues := deal(r, f.values[m.value].cues)
	return fillPlainSlots(pick(r, f.clauses[split]), func(string) string { return next(&cues) })
}

// query writes a query on a set of topic words.
func (w *miniWorld) query(r *rand.Rand, section string, t *miniTopic, set []string) string {
	set = deal(r, set)
	return fillSlots(pick(r, w.templates[section]), func(slot string) string {
		if slot == "domain" {
			return t.domain
		}
		return next(&set)
	})
}

// instruction fills the asks a and b and an item into a template.
func instruction(template, item, domain string, asks ...string) string {
	return fillSlots(template, func(slot string) string {
		switch slot {
		case "item":
			return item
		case "domain":
			return domain
		}
		return next(&asks)
	})
}

// ask writes what an instruction asks for in a facet: any of some value words,
// in the n-th of the facet's miniAsks asks of a split.
func (w *miniWorld) ask(split miniSplit, n, facet int, words []string) string {
	return w.askList(split, n, facet, AnyOf(words))
}

func (w *miniWorld) askList(split miniSplit, n, facet int, list string) string {
	return fillPlainSlots(w.facets[facet].asks[split][n], func(string) string { return list })
}

// valueWords draws n of the words that instructions use for a value.
func (w *miniWorld) valueWords(r *rand.Rand, m miniTrait, n int) []string {
	return deal(r, w.facets[m.facet].values[m.value].asks)[:n]
}

// next takes the first element off s.
func next(s *[]string) string {
	first := (*s)[0]
	*s = (*s)[1:]
	return first
}

// shelve shuffles documents and numbers them, so that an ID tells nothing of
// what is in the document when scores tie.
func shelve(r *rand.Rand, prefix string, docs []miniDocument) ([]miniDocument, MemoryCorpus) {
	docs = deal(r, docs)
	corpus := make(MemoryCorpus, len(docs))
	for i := range docs {
		docs[i].ID = fmt.Sprintf("%s-%04d", prefix, i+1)
		corpus[i] = docs[i].Document
	}
	return docs, corpus
}
