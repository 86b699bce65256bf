package datasets

import (
	"math/rand/v2"
	"slices"
	"strings"

	"infbench/internal/words"
)

// MiniMark is a value of a facet, by name. A generated document shows it and an instruction asks
// for it.
type MiniMark struct{ Facet, Value string }

// MiniLanguage reads and writes training texts of a generated world by the meaning of their words,
// for rule-based authors and judges. Unknown names panic.
type MiniLanguage struct {
	w          *miniWorld
	topic      map[string]*miniTopic // by word and by name
	asks, cues map[string]miniTrait
}

// NewMiniLanguage returns the language of a world.
func NewMiniLanguage(world uint64) *MiniLanguage {
	l := &MiniLanguage{newMiniWorld(world), map[string]*miniTopic{}, map[string]miniTrait{}, map[string]miniTrait{}}
	for i := range l.w.topics {
		t := &l.w.topics[i]
		for _, word := range append(t.words(), t.name) {
			l.topic[word] = t
		}
	}
	for f := range l.w.facets {
		for v, value := range l.w.facets[f].values {
			for _, word := range value.asks {
				l.asks[strings.ToLower(word)] = miniTrait{f, v}
			}
			for _, word := range value.cues {
				l.cues[strings.ToLower(word)] = miniTrait{f, v}
			}
		}
	}
	return l
}

// miniRead lists the meanings of the words of a text, in order and each once.
func miniRead[T any, M comparable](text string, words map[string]T, means func(T) M) []M {
	var all []M
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(c rune) bool { return strings.ContainsRune(" \t\n,.;:?", c) }) {
		if t, ok := words[word]; ok && !slices.Contains(all, means(t)) {
			all = append(all, means(t))
		}
	}
	return all
}

// Topics lists the topics that a text names. Shown lists the values that a document shows by its
// words, Asked those that an instruction asks for.
func (l *MiniLanguage) Topics(text string) []string {
	return miniRead(text, l.topic, func(t *miniTopic) string { return t.name })
}
func (l *MiniLanguage) Shown(document string) []MiniMark { return miniRead(document, l.cues, l.name) }
func (l *MiniLanguage) Asked(text string) []MiniMark     { return miniRead(text, l.asks, l.name) }

func (l *MiniLanguage) name(m miniTrait) MiniMark {
	return MiniMark{l.w.facets[m.facet].name, l.w.facets[m.facet].values[m.value].name}
}

func (l *MiniLanguage) mark(m MiniMark) miniTrait {
	return miniTrait{l.w.facet(m.Facet), slices.Index(l.Values(m.Facet), m.Value)}
}

func (l *MiniLanguage) writer(r *rand.Rand) miniWriter { return miniWriter{l.w.miniLists, r} }

// Values lists the values of a facet in this world.
func (l *MiniLanguage) Values(facet string) (names []string) {
	for _, v := range l.w.facets[l.w.facet(facet)].values {
		names = append(names, v.name)
	}
	return names
}

// Near lists the other topics of a topic's domain whose training texts may show the facets, or if
// there are none, those of all domains.
func (l *MiniLanguage) Near(topic string, facets ...string) (names []string) {
	var far []string
	for _, t := range l.w.topics {
		hidden := slices.ContainsFunc(facets, func(f string) bool { return !slices.Contains(t.seen, l.w.facet(f)) })
		if t.name != topic && !hidden {
			far = append(far, t.name)
			if t.domain == l.topic[topic].domain {
				names = append(names, t.name)
			}
		}
	}
	if names == nil {
		return far
	}
	return names
}

// Query writes a training query on a topic.
func (l *MiniLanguage) Query(r *rand.Rand, topic string) string {
	return l.writer(r).query("query train", l.topic[topic], pick(r, l.topic[topic].trainSets))
}

// Document writes a training document of one or two sentences that shows two values.
func (l *MiniLanguage) Document(r *rand.Rand, topic string, sentences int, marks [2]MiniMark) string {
	templates := slices.DeleteFunc(slices.Clone(l.w.templates["document train"]), func(t string) bool { return MiniSentences(t) != sentences })
	return l.writer(r).document(pick(r, templates), miniTrain, l.topic[topic].words(), [2]miniTrait{l.mark(marks[0]), l.mark(marks[1])})
}

// MiniSentences counts the sentences of a document.
func MiniSentences(document string) int { return strings.Count(document, ".") }

// Instruct writes a training instruction that asks for any of some values of a facet, and excludes
// others. front is an optional text before the values, such as "not ".
func (l *MiniLanguage) Instruct(r *rand.Rand, front, facet string, values, but []string) string {
	list := func(values []string) string {
		var all []string
		for _, v := range deal(r, values) {
			all = append(all, l.writer(r).valueWords(l.mark(MiniMark{facet, v}), 2)...)
		}
		return words.AnyOf(all)
	}
	section, asked := "instruction one train", list(values)
	if len(values) > 1 {
		section = "instruction either train"
	}
	if len(but) > 0 {
		asked += " but not " + list(but)
	}
	return instruction(pick(r, l.w.templates[section]), pick(r, l.w.fillers["items"]), "", front+l.w.askList(miniTrain, 0, l.w.facet(facet), asked))
}
