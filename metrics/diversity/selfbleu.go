package diversity

import (
	"math"
	"sort"

	"infbench/metrics/stats"
)

// bleuFloor stands for a count of no matching n-gram (Chen and Cherry 2014,
// smoothing 1 with the 0.1 of NLTK).
const bleuFloor = 0.1

// SelfBLEU is the mean over texts of BLEU with all other texts as references
// (Zhu et al. 2018), in [0,1], lower meaning more diverse; a text without a word
// of any other counts 0. Orders 1 to most weigh alike. It is undefined for
// fewer than 2 texts. Agrees with NLTK's sentence_bleu under
// SmoothingFunction().method1, in time linear in the tokens: of each n-gram only
// the two highest counts within a text matter.
func SelfBLEU(texts [][]string, most int) stats.Number {
	if len(texts) < 2 || most < 1 {
		return stats.Number{}
	}
	logs := make([]float64, len(texts)) // of each text, summed over orders
	for order := 1; order <= most; order++ {
		tops := topCounts(texts, order)
		for i, tokens := range texts {
			logs[i] += math.Log(precision(tops, i, tokens, order))
		}
	}
	lengths := make([]int, len(texts))
	for i, tokens := range texts {
		lengths[i] = len(tokens)
	}
	sort.Ints(lengths)
	var sum float64
	for i, tokens := range texts {
		sum += brevity(lengths, len(tokens)) * math.Exp(logs[i]/float64(most))
	}
	return stats.Defined(sum / float64(len(texts)))
}

// topCount holds the highest count of an n-gram within one text, which text,
// and the highest within any other.
type topCount struct{ first, text, second int }

// topCounts finds the two highest counts of every n-gram.
func topCounts(texts [][]string, order int) map[string]topCount {
	tops := make(map[string]topCount)
	for i, tokens := range texts {
		for gram, n := range countGrams(tokens, order) {
			top := tops[gram]
			switch {
			case n > top.first:
				top = topCount{first: n, text: i, second: top.first}
			case n > top.second:
				top.second = n
			}
			tops[gram] = top
		}
	}
	return tops
}

// countGrams counts the n-grams of one text.
func countGrams(tokens []string, order int) map[string]int {
	counts := make(map[string]int)
	for gram := range grams(tokens, order) {
		counts[gram]++
	}
	return counts
}

// precision is the share of text i's n-grams found in some other text, each at
// most as often as there. Without a match it is smoothed, but 0 for words: a
// text that shares none has a BLEU of 0.
func precision(tops map[string]topCount, i int, tokens []string, order int) float64 {
	matches, all := 0, 0
	for gram, n := range countGrams(tokens, order) {
		top := tops[gram]
		others := top.first
		if top.text == i {
			others = top.second
		}
		matches += min(n, others)
		all += n
	}
	if matches > 0 || order == 1 {
		return float64(matches) / float64(max(1, all))
	}
	return bleuFloor / float64(max(1, all))
}

// brevity is BLEU's penalty for a text shorter than the closest of the others
// in length, the shorter one if two are as close. lengths holds those of all
// texts in ascending order.
func brevity(lengths []int, length int) float64 {
	if length == 0 {
		return 0
	}
	at := sort.SearchInts(lengths, length) // one of the texts of this length: leave it out
	if at+1 < len(lengths) && lengths[at+1] == length {
		return 1
	}
	switch {
	case at == 0:
	case at == len(lengths)-1 || length-lengths[at-1] <= lengths[at+1]-length:
		return 1 // the closest is shorter
	}
	return math.Exp(1 - float64(lengths[at+1])/float64(length))
}
