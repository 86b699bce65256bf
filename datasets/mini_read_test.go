package datasets

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// miniReader reads generated texts only by their words, so that tests check the texts and not the
// generator's intentions.
type miniReader struct {
	topic     map[string]string   // topic word -> topic
	technical map[string]bool     // topic words that are technical
	ask, cue  map[string]readMark // word of instructions, of documents
	stop      map[string]bool
}

type readMark struct{ facet, value string }

func newMiniReader() *miniReader {
	l := readMiniLists()
	r := &miniReader{map[string]string{}, map[string]bool{}, map[string]readMark{}, map[string]readMark{}, map[string]bool{}}
	for _, d := range l.domains {
		for _, t := range d.topics {
			for _, w := range t.words() {
				r.topic[w] = t.name
			}
			for _, w := range t.technical {
				r.technical[w] = true
			}
		}
	}
	for _, f := range l.facets {
		for _, v := range f.values {
			for _, w := range v.asks {
				r.ask[strings.ToLower(w)] = readMark{f.name, v.name}
			}
			for _, w := range v.cues {
				r.cue[strings.ToLower(w)] = readMark{f.name, v.name}
			}
		}
	}
	for _, w := range l.fillers["stop words"] {
		r.stop[w] = true
	}
	return r
}

// miniTokens returns the lower-cased words and punctuation marks of texts, split like the BERT
// pre-tokenizer.
func miniTokens(texts ...string) []string {
	var tokens []string
	for _, text := range texts {
		for word := range strings.FieldsSeq(strings.ToLower(text)) {
			bare := strings.TrimRight(word, ".,:;?")
			tokens = append(tokens, bare)
			for i := range word[len(bare):] {
				tokens = append(tokens, word[len(bare)+i:len(bare)+i+1])
			}
		}
	}
	return tokens
}

// content returns the words of texts that are neither stop words nor marks.
func (r *miniReader) content(texts ...string) map[string]bool {
	words := map[string]bool{}
	for _, w := range miniTokens(texts...) {
		if !r.stop[w] && 'a' <= w[0] && w[0] <= 'z' {
			words[w] = true
		}
	}
	return words
}

// topicOf returns the one topic that a text mentions.
func (r *miniReader) topicOf(t *testing.T, text string) string {
	t.Helper()
	found := map[string]bool{}
	for _, w := range miniTokens(text) {
		if topic, ok := r.topic[w]; ok {
			found[topic] = true
		}
	}
	if len(found) != 1 {
		t.Fatalf("%q mentions %d topics, want 1", text, len(found))
	}
	return slices.Collect(maps.Keys(found))[0]
}

// topicWords returns the topic words of a text, sorted and joined.
func (r *miniReader) topicWords(text string) string {
	var words []string
	for _, w := range miniTokens(text) {
		if _, ok := r.topic[w]; ok {
			words = append(words, w)
		}
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

// shown returns the values that a document shows: facet -> value.
func (r *miniReader) shown(t *testing.T, text string) map[string]string {
	t.Helper()
	shown := map[string]string{}
	for _, w := range miniTokens(text) {
		m, ok := r.cue[w]
		if !ok {
			continue
		}
		if v, twice := shown[m.facet]; twice && v != m.value {
			t.Fatalf("%q shows %s and %s", text, v, m.value)
		}
		shown[m.facet] = m.value
	}
	return shown
}

// demand is the meaning of an instruction: values that it accepts by facet, and values that it
// excludes.
type demand struct{ accepts, refuses map[string][]string }

func (r *miniReader) asked(instruction string) demand {
	parts := append(saysNot.Split(instruction, 2), "")
	return demand{r.listed(parts[0]), r.listed(parts[1])}
}

// saysNot matches the words before excluded values.
var saysNot = regexp.MustCompile(" but not | except | excluding | without ")

func (r *miniReader) listed(text string) map[string][]string {
	values := map[string][]string{}
	for _, w := range miniTokens(text) {
		if m, ok := r.ask[w]; ok && !slices.Contains(values[m.facet], m.value) {
			values[m.facet] = append(values[m.facet], m.value)
		}
	}
	return values
}

// facets lists the facets that the instruction constrains.
func (d demand) facets() []string {
	return slices.AppendSeq(slices.Collect(maps.Keys(d.accepts)), maps.Keys(d.refuses))
}

// met reports whether a document that shows these values meets the demand.
func (d demand) met(shown map[string]string) bool {
	for facet, values := range d.accepts {
		if !slices.Contains(values, shown[facet]) {
			return false
		}
	}
	for facet, values := range d.refuses {
		if slices.Contains(values, shown[facet]) {
			return false
		}
	}
	return true
}

// exclusionSets are the training sets with "but not".
var exclusionSets = []string{MiniExclusion, MiniReversal, MiniComplement}

// miniWorldOf generates an entire world: its training records, of MiniInfIR and then of the
// exclusionSets, and its benchmarks.
func miniWorldOf(t *testing.T, seed uint64) ([]Triplet, []*Benchmark) {
	t.Helper()
	var all []*Benchmark
	for _, name := range MiniNames() {
		b, err := Mini(name, seed)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
	records := MiniInfIR(seed)
	for _, name := range exclusionSets {
		more, ok := MiniTriplets(name, seed)
		if !ok {
			t.Fatal("no", name)
		}
		records = append(records, more...)
	}
	return records, all
}

// texts returns the documents of a task by ID.
func texts(t *testing.T, task Task) map[string]string {
	t.Helper()
	docs := map[string]string{}
	for d, err := range task.Corpus.Documents() {
		if err != nil {
			t.Fatal(err)
		}
		docs[d.ID] = d.Text
	}
	if len(docs) != task.Corpus.Len() {
		t.Fatalf("%s: %d documents under %d IDs", task.Name, task.Corpus.Len(), len(docs))
	}
	return docs
}
