package encoder

// Score is how a passage is scored for an instruction with its query.
type Score string

// The scores of encoded texts, then those of a cross-encoder, which reads both texts as a pair.
const (
	CosineScore Score = "cosine" // the default: inner product of vectors of length 1
	DotScore    Score = "dot"    // inner product of vectors as pooled

	// MaxSimScore is the sum, over the tokens of the query, of the largest cosine with a token of
	// the passage (ColBERT, arXiv 2004.12832). In PaddedMaxSimScore a token of the passage that
	// does not count has cosine 0 instead of none, as in PyLate. MeanMaxSimScore is MaxSimScore
	// divided by the number of tokens of the query.
	MaxSimScore       Score = "maxsim"
	PaddedMaxSimScore Score = "maxsim-padded"
	MeanMaxSimScore   Score = "meanmaxsim"

	SparseScore Score = "sparse" // inner product of the weights of terms

	HeadScore        Score = "logit"       // what the head returns, or logit(yes) - logit(no)
	ProbabilityScore Score = "probability" // the sigmoid of that
)

// OfTokens reports whether a text has a vector for each token.
func (s Score) OfTokens() bool {
	return s == MaxSimScore || s == PaddedMaxSimScore || s == MeanMaxSimScore
}

// OfPairs reports whether query and passage are read together, so that no text has a vector.
func (s Score) OfPairs() bool { return s == HeadScore || s == ProbabilityScore }
