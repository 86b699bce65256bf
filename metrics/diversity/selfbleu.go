package diversity

import (
	"iter"
	"math"
	"slices"

	"infbench/metrics/stats"
)

// bleuFloor stands for a count of no matching n-gram (Chen and Cherry 2014,
// smoothing 1 with the 0.1 of NLTK).
const bleuFloor = 0.1

// SelfBLEU is the mean over texts of BLEU with all other texts as references
// (Zhu et al. 2018), in [0,1], lower meaning more diverse; a text without a word
// of any other counts 0. Orders 1 to most weigh alike. It is undefined for
// fewer than 2 texts. Agrees with NLTK's sentence_bleu under
// SmoothingFunction().method1, in time linear in the tokens (but for sorting
// within a text): of each n-gram only the two highest counts in a text matter.
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

// bleu is the self-BLEU of texts while their n-grams are walked over.
type bleu struct {
	*Texts
	orders int
	logs   []float64  // of each text, summed over orders
	tops   []topCount // scratch
	sorted []int32    // scratch
}

func newBLEU(t *Texts) *bleu { return &bleu{Texts: t, logs: make([]float64, t.N())} }

// add takes up the n-grams of the next order.
func (b *bleu) add(o *orders) {
	b.orders++
	b.rank(o)
	for i := range b.logs {
		b.logs[i] += math.Log(b.precision(int32(i), o.of(i), o.order))
	}
}

// value is undefined for fewer than 2 texts.
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

// topCount holds the highest count of an n-gram in one text, which text, and the
// highest in any other.
type topCount struct{ first, text, second int32 }

// rank finds the two highest counts of every n-gram.
func (b *bleu) rank(o *orders) {
	if len(o.counts) > cap(b.tops) {
		b.tops = make([]topCount, len(o.counts))
	}
	b.tops = b.tops[:len(o.counts)]
	clear(b.tops)
	for i := range o.ends {
		for gram, n := range b.counted(o.of(i)) {
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

// counted yields the distinct n-grams of a text with their counts, but those that occur
// in no other.
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

// precision is the share of text i's n-grams found in some other text, each at
// most as often as there. Without a match it is smoothed, but 0 for words: a
// text that shares none has a BLEU of 0.
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

// brevity is BLEU's penalty for a text shorter than the closest of the others
// in length, the shorter one if two are as close. lengths holds those of all
// texts in ascending order.
func brevity(lengths []int, length int) float64 {
	if length == 0 {
		return 0
	}
	at, _ := slices.BinarySearch(lengths, length) // one of the texts of this length: leave it out
	if at+1 < len(lengths) && lengths[at+1] == length {
		return 1
	}
	if at > 0 && (at == len(lengths)-1 || length-lengths[at-1] <= lengths[at+1]-length) {
		return 1 // the closest is shorter
	}
	return math.Exp(1 - float64(lengths[at+1])/float64(length))
}
