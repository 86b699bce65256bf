package gpucheck

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"infbench/datasets"
	"infbench/datasets/mixture"
)

// Mean words of InF-IR's instructions, queries and passages (the paper's Table 1). Lengths are
// drawn from a lognormal distribution, which fits most texts.
const (
	instructionWords = 35.57
	queryWords       = 8.06
	passageWords     = 55.2
	lengthSpread     = 0.5 // standard deviation of the logarithm
	tokensPerWord    = 1.3 // for WordPiece and Llama 3's BPE on English
	longestText      = 512 // maximum number of tokens read from a text
)

// leastLength is the smallest number of tokens for an instruction with a query.
const leastLength = 8

// randomWords is the number of different words in random records; each is one token.
const randomWords = 1000

// texts are the texts of the timed steps.
func (o gpuCheckOptions) texts() mixture.Data {
	n := o.records * o.groups * o.steps
	if o.length == 0 {
		return PaperRecords(n)
	}
	return RandomRecords(n, o.length)
}

// PaperRecords makes records whose texts have the paper's lengths in tokens.
func PaperRecords(n int) mixture.Data {
	rng := rand.New(rand.NewPCG(38_759, 1))
	around := func(words float64) func() int {
		mean := tokensPerWord * words
		return func() int {
			tokens := math.Exp(math.Log(mean) - lengthSpread*lengthSpread/2 + lengthSpread*rng.NormFloat64())
			return max(1, int(math.Round(tokens)))
		}
	}
	return recordsOf(n, rng, around(instructionWords), around(queryWords), around(passageWords))
}

// RandomRecords makes records whose texts have exactly length tokens: an instruction with its
// query, [CLS] and [SEP], and likewise a passage.
func RandomRecords(n, length int) mixture.Data {
	query := (length - 2) / 4
	always := func(n int) func() int { return func() int { return n } }
	return recordsOf(n, rand.New(rand.NewPCG(1, 2)), always(length-2-query), always(query), always(length-2))
}

// recordsOf makes records; the functions draw the numbers of words.
func recordsOf(n int, rng *rand.Rand, instruction, query, passage func() int) mixture.Data {
	text := func(words func() int) string {
		list := make([]string, words())
		for i := range list {
			list[i] = fmt.Sprintf("w%d", rng.IntN(randomWords))
		}
		return strings.Join(list, " ")
	}
	list := make([]datasets.Record, n)
	for i := range list {
		list[i] = datasets.Triplet{
			ID:            fmt.Sprint(i),
			QueryPositive: text(query), QueryNegative: text(query),
			InstructionPositive: text(instruction), InstructionNegative: text(instruction),
			Positive: text(passage), HardNegative1: text(passage), HardNegative2: text(passage),
		}.Record()
	}
	return mixture.Data{{Shape: datasets.TripletShape, Records: list}}
}
