package datasets

import (
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
)

// miniLists has the embedded word lists and templates. A world keeps only the values of a facet
// that it chose.
type miniLists struct {
	domains   []miniDomain
	facets    []miniFacet
	fillers   map[string][]string // words by section of fillers.txt
	templates map[string][]string // lines by section of templates.txt
}

type miniDomain struct {
	name   string
	topics []miniTopic
}

type miniTopic struct {
	name, domain   string
	lay, technical []string // four words each

	// Set by the world:
	seen, held []int      // facets of its training texts; facets of its tests
	trainSets  [][]string // sets of three topic words for training queries
	testSets   [][]string // for test queries
	laySets    [][]string // for test queries without a technical word
}

// words returns the topic's words, lay and technical.
func (t *miniTopic) words() []string {
	return append(append([]string(nil), t.lay...), t.technical...)
}

type miniFacet struct {
	name    string
	clauses map[miniSplit][]string // of documents, with two slots {c}
	asks    map[miniSplit][]string // of instructions, with a slot {v}
	values  []miniValue
}

// miniValue is a value of a facet; asks[0] equals cues[0], and no other words are equal.
type miniValue struct {
	name       string
	asks, cues []string // four words of instructions, six of documents
}

// miniSplit is the side of the hold-out that a phrasing belongs to.
type miniSplit string

const (
	miniTrain miniSplit = "train"
	miniTest  miniSplit = "test"
)

// readMiniLists parses the embedded files. They are part of the program, so an error in them is a
// programming error and panics.
func readMiniLists() *miniLists {
	l := &miniLists{fillers: map[string][]string{}, templates: map[string][]string{}}
	eachLine("topics.txt", l.addTopic)
	eachLine("facets.txt", l.addFacetLine)
	eachLine("fillers.txt", func(section, line string) error {
		l.fillers[section] = append(l.fillers[section], strings.Fields(line)...)
		return nil
	})
	eachLine("templates.txt", func(section, line string) error {
		l.templates[section] = append(l.templates[section], line)
		return nil
	})
	return l
}

// addTopic parses "name: lay words | technical words".
func (l *miniLists) addTopic(domain, line string) error {
	name, lay, technical, err := cutWords(line, 4, 4)
	if err != nil {
		return err
	}
	if n := len(l.domains); n == 0 || l.domains[n-1].name != domain {
		l.domains = append(l.domains, miniDomain{name: domain})
	}
	d := &l.domains[len(l.domains)-1]
	d.topics = append(d.topics, miniTopic{name: name, domain: domain, lay: lay, technical: technical})
	return nil
}

// addFacetLine parses "clause train: text", "ask test: text" or a value, "name: ask words | cue
// words".
func (l *miniLists) addFacetLine(facet, line string) error {
	if n := len(l.facets); n == 0 || l.facets[n-1].name != facet {
		l.facets = append(l.facets, miniFacet{
			name: facet, clauses: map[miniSplit][]string{}, asks: map[miniSplit][]string{}})
	}
	f := &l.facets[len(l.facets)-1]
	key, text, _ := strings.Cut(line, ": ")
	kind, split, phrase := strings.Cut(key, " ")
	switch {
	case !phrase:
		name, asks, cues, err := cutWords(line, 4, 6)
		if err != nil {
			return err
		}
		f.values = append(f.values, miniValue{name: name, asks: asks, cues: cues})
	case kind == "clause":
		f.clauses[miniSplit(split)] = append(f.clauses[miniSplit(split)], text)
	case kind == "ask":
		f.asks[miniSplit(split)] = append(f.asks[miniSplit(split)], text)
	default:
		return fmt.Errorf("unknown key %q", key)
	}
	return nil
}

// facet returns the index of the named facet.
func (l *miniLists) facet(name string) int {
	return slices.IndexFunc(l.facets, func(f miniFacet) bool { return f.name == name })
}

// asksOf returns the words that instructions use for a value.
func (l *miniLists) asksOf(m miniTrait) []string { return l.facets[m.facet].values[m.value].asks }

// ask writes a demand for a facet: any of some value words, in the n-th of the facet's miniAsks
// asks of a split.
func (l *miniLists) ask(split miniSplit, n, facet int, values []string) string {
	return l.askList(split, n, facet, words.AnyOf(values))
}

// askList is like ask for words that are already a list.
func (l *miniLists) askList(split miniSplit, n, facet int, list string) string {
	return fillPlainSlots(l.facets[facet].asks[split][n], func(string) string { return list })
}
