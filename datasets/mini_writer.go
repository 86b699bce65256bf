package datasets

import (
	"fmt"
	"math/rand/v2"
)

// miniTrait is a value of a facet that a document shows or an instruction asks for.
type miniTrait struct{ facet, value int }

// miniDocument is a generated document with its topic and marks.
type miniDocument struct {
	Document
	topic int
	marks [2]miniTrait
	echo  bool // repeats the words of mini-bright posts in lay words
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

// miniWriter writes the texts of one part of a world, with the words of its lists. Each text
// depends on the earlier ones through the random source.
type miniWriter struct {
	*miniLists
	r *rand.Rand
}

// document writes one or two sentences with topic words that show two marks.
func (w miniWriter) document(template string, split miniSplit, words []string, marks [2]miniTrait) string {
	names, topic, adjectives := deal(w.r, w.fillers["names"]), deal(w.r, words), w.fillers["adjectives"]
	clauses := deal(w.r, []string{w.clause(split, marks[0]), w.clause(split, marks[1])})
	return fillSlots(template, func(slot string) string {
		switch slot {
		case "t":
			return next(&topic)
		case "a", "b":
			return next(&clauses)
		case "name":
			return next(&names)
		case "adj":
			return pick(w.r, adjectives)
		}
		panic("datasets: no slot {" + slot + "} in documents")
	})
}

// clause writes two cue words of a mark.
func (w miniWriter) clause(split miniSplit, m miniTrait) string {
	f := w.facets[m.facet]
	cues := deal(w.r, f.values[m.value].cues)
	return fillPlainSlots(pick(w.r, f.clauses[split]), func(string) string { return next(&cues) })
}

// query writes a query on a set of topic words.
func (w miniWriter) query(section string, t *miniTopic, set []string) string {
	set = deal(w.r, set)
	return fillSlots(pick(w.r, w.templates[section]), func(slot string) string {
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

// valueWords draws n of the words that instructions use for a value.
func (w miniWriter) valueWords(m miniTrait, n int) []string {
	return deal(w.r, w.asksOf(m))[:n]
}

// next removes and returns the first element of s.
func next(s *[]string) string {
	first := (*s)[0]
	*s = (*s)[1:]
	return first
}

// shelve shuffles documents and numbers them, so that IDs reveal nothing about the content when
// scores tie.
func (w miniWriter) shelve(prefix string, docs []miniDocument) ([]miniDocument, MemoryCorpus) {
	docs = deal(w.r, docs)
	corpus := make(MemoryCorpus, len(docs))
	for i := range docs {
		docs[i].ID = fmt.Sprintf("%s-%04d", prefix, i+1)
		corpus[i] = docs[i].Document
	}
	return docs, corpus
}
