package diversity

import (
	"iter"
	"math"
	"slices"

	"infbench/metrics/stats"
)

// bleuFloor replaces a count of zero matching n-grams (Chen and Cherry 2014, smoothing 1 with
// NLTK's 0.1).
const bleuFloor = 0.1

// SelfBLEU returns the mean over texts of BLEU with all other texts as references (Zhu et al.
// 2018), in [0,1]; lower means more diverse. A text that shares no word with any other counts
// 0. Orders 1 to most have equal weight. It is undefined for fewer than 2 texts. The value
// agrees with NLTK's sentence_bleu under SmoothingFunction().method1. The time is linear in
// the tokens, except for sorting within a text: for each n-gram only the two highest counts
// in a text matter.
func SelfBLEU(texts [][]string, most int) stats.Number {
	if most < 1 {
		return stats.Number{}
	}
	var t Texts
	for _, tokens := range texts {
		t.AddTokens(tokens)
	}
	b := newBLEU(&t)
	o := t.first()
	for b.add(o); o.order < most; b.add(o) {
		o.next()
	}
	return b.value()
}

// bleu accumulates the self-BLEU of texts while their n-grams are visited.
type bleu struct {
	*Texts
	orders int
	logs   []float64  // per text, summed over orders
	tops   []topCount // scratch
	sorted []int32    // scratch
}

func newBLEU(t *Texts) *bleu { return &bleu{Texts: t, logs: make([]float64, t.N())} }

// add processes the n-grams of the next order.
func (b *bleu) add(o *orders) {
	b.orders++
	b.rank(o)
	for i := range b.logs {
		b.logs[i] += math.Log(b.precision(int32(i), o.grams(i), o.order))
	}
}

// value returns the self-BLEU; it is undefined for fewer than 2 texts.
func (b *bleu) value() stats.Number {
	if b.N() < 2 {
		return stats.Number{}
	}
	lengths := make([]int, b.N())
	for i := range lengths {
		lengths[i] = b.tokensOf(i)
	}
	slices.Sort(lengths)
	var sum float64
	for i, log := range b.logs {
		sum += brevity(lengths, b.tokensOf(i)) * math.Exp(log/float64(b.orders))
	}
	return stats.Defined(sum / float64(b.N()))
}

// topCount holds the highest count of an n-gram in one text, that text, and the highest count
// in any other text.
type topCount struct{ first, text, second int32 }

// rank finds the two highest counts of every n-gram.
func (b *bleu) rank(o *orders) {
	if len(o.counts) > cap(b.tops) {
		b.tops = make([]topCount, len(o.counts))
	}
	b.tops = b.tops[:len(o.counts)]
	clear(b.tops)
	for i := range o.ends {
		for gram, n := range b.counted(o.grams(i)) {
			top := &b.tops[gram]
			switch {
			case n > top.first:
				*top = topCount{first: n, text: int32(i), second: top.first}
			case n > top.second:
				top.second = n
			}
		}
	}
}

// counted yields the distinct n-grams of a text with their counts, except those that occur in
// no other text.
func (b *bleu) counted(grams []int32) iter.Seq2[int32, int32] {
	return func(yield func(int32, int32) bool) {
		b.sorted = append(b.sorted[:0], grams...)
		sorted := b.sorted
		slices.Sort(sorted)
		from, _ := slices.BinarySearch(sorted, single+1)
		for from < len(sorted) {
			to := from + 1
			for to < len(sorted) && sorted[to] == sorted[from] {
				to++
			}
			if !yield(sorted[from], int32(to-from)) {
				return
			}
			from = to
		}
	}
}

// precision returns the share of text i's n-grams that occur in some other text, each counted
// at most as often as there. Without a match it is smoothed; only the precision of single
// words then is 0, so a text that shares no word has a BLEU of 0.
func (b *bleu) precision(i int32, grams []int32, order int) float64 {
	var matches int32
	for gram, n := range b.counted(grams) {
		others := b.tops[gram].first
		if b.tops[gram].text == i {
			others = b.tops[gram].second
		}
		matches += min(n, others)
	}
	if matches > 0 || order == 1 {
		return float64(matches) / float64(max(1, len(grams)))
	}
	return bleuFloor / float64(max(1, len(grams)))
}

// brevity returns BLEU's penalty for a text that is shorter than the other text closest in
// length. If two are equally close, the shorter is used. lengths holds the lengths of all
// texts in ascending order.
func brevity(lengths []int, length int) float64 {
	if length == 0 {
		return 0
	}
	at, _ := slices.BinarySearch(lengths, length) // leave out one text of this length: the text itself
	if at+1 < len(lengths) && lengths[at+1] == length {
		return 1
	}
	if at > 0 && (at == len(lengths)-1 || length-lengths[at-1] <= lengths[at+1]-length) {
		return 1 // the closest text is shorter
	}
	return math.Exp(1 - float64(lengths[at+1])/float64(length))
}
