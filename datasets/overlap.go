package datasets

import (
	"fmt"
	"hash/maphash"
	"iter"
	"strings"
	"unicode"
)

// OverlapWords is the usual length of a run of words that no two texts share by
// chance.
const OverlapWords = 13

// OverlapText is one test or training text.
type OverlapText struct {
	Group string // what counts are kept for: "biology queries"
	ID    string
	Text  string
}

// OverlapCount is what was found for one group of test texts.
type OverlapCount struct {
	Group   string `json:"group"`
	Texts   int    `json:"texts"`   // test texts looked at
	Exact   int    `json:"exact"`   // equal to a training text but for case, punctuation and spacing
	Partial int    `json:"partial"` // sharing a run of words with a training text
	// Grams counts the runs of words in the group, Shared those that stand in the
	// training corpus. A text shorter than a run is one run.
	Grams  int `json:"grams"`
	Shared int `json:"shared"`
	// Examples are the IDs of the first texts found, for a person to look at.
	Examples []string `json:"examples,omitempty"`
}

// maxExamples is how many IDs an OverlapCount keeps.
const maxExamples = 5

// LearnOverlap reads a training corpus once and keeps one 64-bit hash for each distinct
// run of n words, some 16 bytes a training word.
func LearnOverlap(train iter.Seq2[OverlapText, error], n int) (*OverlapCorpus, error) {
	if n < 1 {
		return nil, fmt.Errorf("overlap of runs of %d words: want at least 1", n)
	}
	c := &OverlapCorpus{n: n, seed: maphash.MakeSeed(), whole: map[uint64]struct{}{}, grams: map[uint64]struct{}{}}
	for t, err := range train {
		if err != nil {
			return nil, fmt.Errorf("read training texts: %w", err)
		}
		c.learn(t.Text)
	}
	return c, nil
}

// Count compares test texts, which are streamed, with the corpus. Groups come in
// the order of their first text.
func (c *OverlapCorpus) Count(test iter.Seq2[OverlapText, error]) ([]OverlapCount, error) {
	var counts []OverlapCount
	index := map[string]int{}
	for t, err := range test {
		if err != nil {
			return nil, fmt.Errorf("read test texts: %w", err)
		}
		i, ok := index[t.Group]
		if !ok {
			i = len(counts)
			index[t.Group] = i
			counts = append(counts, OverlapCount{Group: t.Group})
		}
		c.look(t, &counts[i])
	}
	return counts, nil
}

// OverlapCorpus holds the hashes of a training corpus. It measures leakage: how much of a
// test set stands in the corpus, word for word or in long runs of words. It is the
// contamination check of the field (the 13-gram rule of the GPT-3 report, appendix C), not
// a proof of innocence: paraphrases are not seen. The seed differs from run to
// run, the counts do not: equality of hashes stands for equality of runs.
type OverlapCorpus struct {
	n            int
	seed         maphash.Seed
	whole, grams map[uint64]struct{}
}

// Shared is what of the corpus stands in test texts, which are streamed: the runs of
// words that both hold.
func (c *OverlapCorpus) Shared(test iter.Seq2[OverlapText, error]) (*OverlapCorpus, error) {
	shared := &OverlapCorpus{n: c.n, seed: c.seed, whole: map[uint64]struct{}{}, grams: map[uint64]struct{}{}}
	for t, err := range test {
		if err != nil {
			return nil, fmt.Errorf("read test texts: %w", err)
		}
		for gram := range c.runs(split(t.Text)) {
			if hash := c.hash(gram); c.has(hash) {
				shared.grams[hash] = struct{}{}
			}
		}
	}
	return shared, nil
}

// Has says whether a text shares a run of words with the corpus.
func (c *OverlapCorpus) Has(text string) bool {
	for gram := range c.runs(split(text)) {
		if c.has(c.hash(gram)) {
			return true
		}
	}
	return false
}

func (c *OverlapCorpus) has(gram uint64) bool {
	_, ok := c.grams[gram]
	return ok
}

func (c *OverlapCorpus) learn(text string) {
	words := split(text)
	if len(words) == 0 {
		return
	}
	c.whole[c.hash(words)] = struct{}{}
	for gram := range c.runs(words) {
		c.grams[c.hash(gram)] = struct{}{}
	}
}

func (c *OverlapCorpus) look(t OverlapText, count *OverlapCount) {
	words := split(t.Text)
	count.Texts++
	if len(words) == 0 {
		return
	}
	shared := 0
	for gram := range c.runs(words) {
		count.Grams++
		if _, ok := c.grams[c.hash(gram)]; ok {
			shared++
		}
	}
	count.Shared += shared
	if shared > 0 {
		count.Partial++
		if len(count.Examples) < maxExamples {
			count.Examples = append(count.Examples, t.ID)
		}
	}
	if _, ok := c.whole[c.hash(words)]; ok {
		count.Exact++
	}
}

// runs yields every run of n words, or the whole text where it is shorter.
func (c *OverlapCorpus) runs(words []string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		n := min(c.n, len(words))
		for i := 0; i+n <= len(words); i++ {
			if !yield(words[i : i+n]) {
				return
			}
		}
	}
}

// hash tells runs of words apart, word boundaries included.
func (c *OverlapCorpus) hash(words []string) uint64 {
	var h maphash.Hash
	h.SetSeed(c.seed)
	for _, w := range words {
		h.WriteString(w)
		h.WriteByte(0)
	}
	return h.Sum64()
}

// split lower-cases a text and cuts it at everything but letters and digits.
func split(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}
