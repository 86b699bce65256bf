package datasets

import (
	"fmt"
	"hash/maphash"
	"iter"
	"strings"
	"unicode"
)

// OverlapWords is the usual length of a word sequence that two texts do not share by chance.
const OverlapWords = 13

// OverlapText is one test or training text.
type OverlapText struct {
	Group string // group for counting: "biology queries"
	ID    string
	Text  string
}

// OverlapCount is the overlap of one group of test texts.
type OverlapCount struct {
	Group   string `json:"group"`
	Texts   int    `json:"texts"`   // number of test texts
	Exact   int    `json:"exact"`   // equal to a training text except for case, punctuation and spacing
	Partial int    `json:"partial"` // sharing a word sequence with a training text
	// Grams counts the word sequences in the group, Shared those also in the training corpus. A
	// text shorter than a sequence counts as one.
	Grams  int `json:"grams"`
	Shared int `json:"shared"`
	// Examples are the IDs of the first overlapping texts, for manual inspection.
	Examples []string `json:"examples,omitempty"`
}

// maxExamples is the number of IDs that an OverlapCount keeps.
const maxExamples = 5

// LearnOverlap reads a training corpus once and keeps one 64-bit hash per distinct sequence of n
// words, about 16 bytes per training word.
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

// Count streams test texts and compares them with the corpus. Groups are in the order of their
// first text.
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

// OverlapCorpus has the hashes of a training corpus. It measures leakage: how much of a test set is
// in the corpus, word for word or in long word sequences. This is the usual contamination check
// (the 13-gram rule of the GPT-3 report, appendix C). It does not prove the absence of leakage,
// since it misses paraphrases. The seed differs from run to run, the counts do not: equal hashes
// are taken for equal sequences.
type OverlapCorpus struct {
	n            int
	seed         maphash.Seed
	whole, grams map[uint64]struct{}
}

// Shared streams test texts and returns the word sequences that are both in the corpus and in a
// test text.
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

// Has reports whether a text shares a word sequence with the corpus.
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

// runs yields every sequence of n words, or the entire text if it is shorter.
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

// hash returns a hash of a word sequence that depends on word boundaries.
func (c *OverlapCorpus) hash(words []string) uint64 {
	var h maphash.Hash
	h.SetSeed(c.seed)
	for _, w := range words {
		h.WriteString(w)
		h.WriteByte(0)
	}
	return h.Sum64()
}

// split lower-cases a text and splits it at everything except letters and digits.
func split(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}
