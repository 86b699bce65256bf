package training

import (
	"github.com/gomlx/gomlx/core/graph"

	"infbench/training/encoder"
)

// Score is how a passage is scored for an instruction with its query.
type Score = encoder.Score

// temperatureOf is the default temperature of a score; usual is that of cosines.
func temperatureOf(s Score, usual float64) float64 {
	switch s {
	case "", encoder.CosineScore, encoder.MeanMaxSimScore:
		return usual
	case encoder.ProbabilityScore:
		return 0.1 // as MultipleNegativesRankingLoss of Sentence Transformers' cross-encoders
	}
	return 1
}

// biasOf is the default bias of the form Sig under a score. For cosines it is the initial bias of
// SigLIP (arXiv 2303.15343), as nearly all candidates are negatives; it does not change.
func biasOf(s Score) float64 {
	if s == "" || s == encoder.CosineScore || s == encoder.MeanMaxSimScore {
		return -10
	}
	return 0
}

// TermList are the candidates of a term for a score of pairs, which are not made from vectors.
type TermList struct {
	Index   *graph.Node // [N, C] int32: places in Embedded.Logits, the row's own pair first
	Counted *graph.Node // [N, C] 1 for candidates, 0 for padding and for false negatives
}

// similarity is the [N, M] table of scaled scores of a's rows with b's rows. a are queries and b
// passages, or the other way round if swapped. Queries are always the left side of MaxSim.
func (o Objective) similarity(a, b *graph.Node, swapped bool) *graph.Node {
	if !o.Score.OfTokens() {
		return graph.MulScalar(graph.EinsumAxes(a, b, [][2]int{{1, 1}}, nil), o.Scale())
	}
	if swapped {
		return graph.Transpose(o.similarity(b, a, false), 0, 1)
	}
	queries, asked := countedTokens(a)
	passages, counted := countedTokens(b)
	cosines := graph.EinsumAxes(queries, passages, [][2]int{{2, 2}}, nil) // [N, Tq, M, T]
	table := o.maxSim(cosines, graph.InsertAxes(counted, 0, 0), graph.ExpandAxes(asked, 2), 1)
	return graph.MulScalar(table, o.Scale())
}

// perRow is the [N, C] table of scores, not scaled, of row i of a with each text of row i of list
// [N, C, ...], or with row i of list alone, [N, 1]. a are the queries, or the passages if swapped.
func (o Objective) perRow(a, list *graph.Node, swapped bool) *graph.Node {
	single := list.Rank() == a.Rank()
	switch {
	case o.Score.OfTokens():
		if single {
			list = graph.ExpandAxes(list, 1)
		}
	case single:
		return graph.ExpandAxes(graph.ReduceSum(graph.Mul(a, list), 1), 1)
	default:
		return graph.ReduceSum(graph.Mul(graph.ExpandAxes(a, 1), list), 2)
	}
	each, counted := countedTokens(a)
	many, countedMany := countedTokens(list)
	if swapped { // [N, C, Tq, T]
		cosines := graph.EinsumAxes(many, each, [][2]int{{3, 2}}, [][2]int{{0, 0}})
		return o.maxSim(cosines, graph.InsertAxes(counted, 1, 1), countedMany, 2)
	}
	cosines := graph.EinsumAxes(each, many, [][2]int{{2, 3}}, [][2]int{{0, 0}}) // [N, Tq, C, T]
	return o.maxSim(cosines, graph.ExpandAxes(countedMany, 1), graph.ExpandAxes(counted, 2), 1)
}

// countedTokens separates token vectors [..., T, D+1] from their last value, which is 1 for a
// token that counts and else 0.
func countedTokens(x *graph.Node) (vectors, counted *graph.Node) {
	d := x.Shape().Dim(-1) - 1
	counted = graph.Squeeze(graph.Slice(x, graph.AxisRange().Spacer(), graph.AxisRange(d, d+1)), -1)
	return graph.Slice(x, graph.AxisRange().Spacer(), graph.AxisRange(0, d)), graph.StopGradient(counted)
}

// maxSim reduces cosines of the query's tokens, at an axis, with the passage's, at the last axis:
// the sum over counted tokens of the query of the largest cosine. Its gradient belongs to the
// first largest one. counted [..., T] and asked [..., Tq, ...] are broadcast to the cosines.
func (o Objective) maxSim(cosines, counted, asked *graph.Node, axis int) *graph.Node {
	counted = graph.BroadcastToDims(counted, cosines.Shape().Dimensions...)
	if o.Score == encoder.PaddedMaxSimScore {
		cosines = graph.Mul(cosines, counted)
	} else {
		cosines = masked(cosines, counted)
	}
	first := graph.OneHot(graph.ArgMax(graph.StopGradient(cosines), -1), cosines.Shape().Dim(-1), cosines.DType())
	largest := graph.ReduceSum(graph.Mul(cosines, first), -1)
	asked = graph.BroadcastToDims(asked, largest.Shape().Dimensions...)
	sum := graph.ReduceSum(graph.Mul(largest, asked), axis)
	if o.Score == encoder.MeanMaxSimScore {
		sum = graph.Div(sum, graph.MaxScalar(graph.ReduceSum(asked, axis), 1.0))
	}
	return sum
}

// gathered takes the candidates of a term from the scores of pairs.
func (e Embedded) gathered(o Objective, t Term) block {
	list := e.Lists[t]
	scores := graph.Gather(e.Logits, graph.InsertAxes(list.Index, -1))
	if o.Score == encoder.ProbabilityScore {
		scores = graph.Sigmoid(scores)
	}
	return block{scores: graph.MulScalar(scores, o.Scale()), positive: firstOf(scores), counted: list.Counted}
}

// firstOf is 1 in the first column of x [N, C], else 0.
func firstOf(x *graph.Node) *graph.Node {
	one := graph.OnesLike(graph.Slice(x, graph.AxisRange(), graph.AxisRange(0, 1)))
	if x.Shape().Dim(1) == 1 {
		return one
	}
	return graph.Concatenate([]*graph.Node{one, graph.ZerosLike(graph.Slice(x, graph.AxisRange(), graph.AxisRangeToEnd(1)))}, 1)
}
