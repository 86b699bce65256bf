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
	if len(texts) < 2 || most < 1 {
		return stats.Number{}
	}
	words, distinct := number(texts)
	grams := words
	logs := make([]float64, len(texts)) // of each text, summed over orders
	for order := 1; order <= most; order++ {
		if order > 1 {
			grams, distinct = lengthen(grams, words, order)
		}
		tops := topCounts(grams, distinct)
		for i := range texts {
			logs[i] += math.Log(precision(tops, i, grams[i], order))
		}
	}
	lengths := make([]int, len(texts))
	for i, tokens := range texts {
		lengths[i] = len(tokens)
	}
	slices.Sort(lengths)
	var sum float64
	for i, tokens := range texts {
		sum += brevity(lengths, len(tokens)) * math.Exp(logs[i]/float64(most))
	}
	return stats.Defined(sum / float64(len(texts)))
}

// number replaces the words of each text by numbers from 0 to distinct−1.
func number(texts [][]string) (words [][]int32, distinct int) {
	known := make(map[string]int32)
	words = make([][]int32, len(texts))
	for i, tokens := range texts {
		for _, token := range tokens {
			id, ok := known[token]
			if !ok {
				id = int32(len(known))
				known[token] = id
			}
			words[i] = append(words[i], id)
		}
	}
	return words, len(known)
}

// lengthen numbers the n-grams of that order in each text, given its words and
// its n-grams of one order less: two numbers are cheaper to look up than a text.
func lengthen(shorter, words [][]int32, order int) (grams [][]int32, distinct int) {
	known := make(map[[2]int32]int32)
	grams = make([][]int32, len(words))
	for i, w := range words {
		for last := order - 1; last < len(w); last++ {
			pair := [2]int32{shorter[i][last-order+1], w[last]}
			id, ok := known[pair]
			if !ok {
				id = int32(len(known))
				known[pair] = id
			}
			grams[i] = append(grams[i], id)
		}
	}
	return grams, len(known)
}

// topCount holds the highest count of an n-gram in one text, which text, and the
// highest in any other.
type topCount struct{ first, text, second int }

// topCounts finds the two highest counts of every n-gram.
func topCounts(grams [][]int32, distinct int) []topCount {
	tops := make([]topCount, distinct)
	for i, text := range grams {
		for gram, n := range counted(text) {
			top := &tops[gram]
			switch {
			case n > top.first:
				*top = topCount{first: n, text: i, second: top.first}
			case n > top.second:
				top.second = n
			}
		}
	}
	return tops
}

// counted yields the distinct n-grams of a text with their counts.
func counted(grams []int32) iter.Seq2[int32, int] {
	return func(yield func(int32, int) bool) {
		sorted := slices.Clone(grams)
		slices.Sort(sorted)
		for from := 0; from < len(sorted); {
			to := from + 1
			for to < len(sorted) && sorted[to] == sorted[from] {
				to++
			}
			if !yield(sorted[from], to-from) {
				return
			}
			from = to
		}
	}
}

// precision is the share of text i's n-grams found in some other text, each at
// most as often as there. Without a match it is smoothed, but 0 for words: a
// text that shares none has a BLEU of 0.
func precision(tops []topCount, i int, grams []int32, order int) float64 {
	matches := 0
	for gram, n := range counted(grams) {
		others := tops[gram].first
		if tops[gram].text == i {
			others = tops[gram].second
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
