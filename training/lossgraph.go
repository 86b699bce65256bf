package training

import (
	"slices"

	"github.com/gomlx/gomlx/core/graph"
)

// Embedded are the vectors of one batch of N rows. All are L2-normalised.
type Embedded struct {
	P  *graph.Node // [N, D] passages p_i
	IQ *graph.Node // [N, D] iq_ii: each row's instruction with its own query

	// Instructions are the candidates of the terms I and IP: iq_{j_c,i}, row i's
	// query under other instructions. [N, C, D], C at least 1; other terms do not look
	// at it.
	Instructions *graph.Node
	// Counted is 1 where an instruction candidate counts, 0 where it is masked. [N, C]
	Counted *graph.Node

	// Queries are the candidates of a QueryOnly IQ term: iq_{i,k}, row i's
	// instruction under the queries of other rows. [N, K, D]
	Queries *graph.Node
}

// Scores are the outcome of a loss on one batch, all scalars.
type Scores struct {
	Loss     *graph.Node
	Terms    []*graph.Node // mean loss of each of Loss.Terms.Split(), taken by itself
	Accuracy *graph.Node   // share of rows whose passage ranks first among the batch's passages
	MRR      *graph.Node   // mean reciprocal rank of the row's passage; ties count against it
}

// block holds the scores of one term's candidates, all [N, C]; positive and
// counted are 0 or 1.
type block struct {
	scores   *graph.Node
	positive *graph.Node // where the row's positive is, one a row
	counted  *graph.Node // which candidates are in the softmax, the positive always
	self     bool        // the "positive" is a vector with itself, no (p, iq) pair
}

// Graph builds the loss of a batch, averaged over its rows. Uni is the sum over
// the terms of -log softmax of the positive among the term's candidates; Multi
// is one -log softmax among the candidates of all terms, in which duplicates of
// the positive are masked or kept as o.Duplicates says. A Multi loss never
// counts the self-similarities of ST.
func (l Loss) Graph(o Objective, e Embedded) Scores {
	s := Scores{}
	var all []block
	for _, t := range l.Terms.Split() {
		var term *graph.Node
		blocks := t.blocks(o, e)
		for _, b := range blocks {
			term = plus(term, crossEntropy([]block{b}))
		}
		s.Terms, all = append(s.Terms, term), append(all, blocks...)
	}
	if l.Form == Uni {
		for _, term := range s.Terms {
			s.Loss = plus(s.Loss, term)
		}
	} else {
		s.Loss = crossEntropy(o.joined(all))
	}
	s.Accuracy, s.MRR = ranking(similarity(o, e.IQ, e.P))
	return s
}

// joined takes out of the blocks of a Multi loss what it counts no more than once.
func (o Objective) joined(blocks []block) []block {
	out := slices.Clone(blocks)
	for i := range out {
		if b := &out[i]; b.self || i > 0 && o.Duplicates == Mask {
			b.counted = graph.Sub(b.counted, b.positive)
		}
	}
	return out
}

// blocks builds the candidates of a single term; those with a (p, iq) positive
// come first.
func (t Term) blocks(o Objective, e Embedded) []block {
	switch {
	case t == P:
		return []block{pairwise(o, e.IQ, e.P)}
	case t == I:
		return []block{withOwn(o, e, e.Instructions, e.Counted)}
	case t == IQ && o.IQ == QueryOnly:
		return []block{withOwn(o, e, e.Queries, nil)}
	case t == IQ:
		return []block{pairwise(o, e.P, e.IQ)}
	case t == ST:
		queries, passages := pairwise(o, e.IQ, e.IQ), pairwise(o, e.P, e.P)
		queries.self, passages.self = true, true
		return []block{queries, passages}
	case t == IP:
		return []block{instructionsTimesPassages(o, e)}
	}
	panic("training: not a single term: " + t.String())
}

// similarity is the [N, M] matrix of scaled cosines of a's rows with b's rows.
func similarity(o Objective, a, b *graph.Node) *graph.Node {
	return graph.MulScalar(graph.EinsumAxes(a, b, [][2]int{{1, 1}}, nil), o.Scale())
}

// pairwise scores row i of a with every row of b; row i of b is its positive.
func pairwise(o Objective, a, b *graph.Node) block {
	scores := similarity(o, a, b)
	return block{scores: scores, positive: identity(a), counted: graph.OnesLike(scores)}
}

// withOwn scores passage i with iq_i in column 0 and with row i of candidates
// behind it, of which those marked in counted [N, C] take part; nil means all.
func withOwn(o Objective, e Embedded, candidates, counted *graph.Node) block {
	own := graph.ExpandAxes(graph.ReduceSum(graph.Mul(e.P, e.IQ), 1), 1)
	others := graph.ReduceSum(graph.Mul(graph.ExpandAxes(e.P, 1), candidates), 2)
	one := graph.OnesLike(own)
	if counted == nil {
		counted = graph.OnesLike(others)
	}
	return block{
		scores:   graph.MulScalar(graph.Concatenate([]*graph.Node{own, others}, 1), o.Scale()),
		positive: graph.Concatenate([]*graph.Node{one, graph.ZerosLike(others)}, 1),
		counted:  graph.Concatenate([]*graph.Node{one, counted}, 1),
	}
}

// instructionsTimesPassages scores every passage with every instruction
// candidate of a row, the row's own instruction first: [N, (1+C)*N].
func instructionsTimesPassages(o Objective, e Embedded) block {
	n, c := e.Counted.Shape().Dim(0), e.Counted.Shape().Dim(1)
	all := graph.Concatenate([]*graph.Node{graph.ExpandAxes(e.IQ, 1), e.Instructions}, 1)
	scores := graph.EinsumAxes(all, e.P, [][2]int{{2, 1}}, nil) // [N, 1+C, N]
	own := identity(e.P)
	counted := graph.BroadcastToDims(graph.ExpandAxes(e.Counted, 2), n, c, n)
	counted = graph.Reshape(counted, n, c*n)
	return block{
		scores:   graph.MulScalar(graph.Reshape(scores, n, (1+c)*n), o.Scale()),
		positive: graph.Concatenate([]*graph.Node{own, graph.ZerosLike(counted)}, 1),
		counted:  graph.Concatenate([]*graph.Node{graph.OnesLike(own), counted}, 1),
	}
}

// crossEntropy is the mean over rows of -log softmax of the first block's
// positive among the counted candidates of all blocks.
func crossEntropy(blocks []block) *graph.Node {
	var scores, counted []*graph.Node
	for _, b := range blocks {
		scores, counted = append(scores, b.scores), append(counted, b.counted)
	}
	// A masked score drops to where its exponential is exactly zero; minus
	// infinity would turn the gradient into NaN.
	const masked = -1e9
	logits := graph.Concatenate(scores, 1)
	logits = graph.Add(logits, graph.MulScalar(graph.OneMinus(graph.Concatenate(counted, 1)), masked))
	top := graph.StopGradient(graph.ReduceMax(logits, 1))
	total := graph.ReduceSum(graph.Exp(graph.Sub(logits, graph.ExpandAxes(top, 1))), 1)
	positive := graph.ReduceSum(graph.Mul(blocks[0].scores, blocks[0].positive), 1)
	return graph.ReduceAllMean(graph.Sub(graph.Add(graph.Log(total), top), positive))
}

// ranking returns accuracy and mean reciprocal rank of the diagonal of scores.
func ranking(scores *graph.Node) (accuracy, mrr *graph.Node) {
	own := graph.ReduceSum(graph.Mul(scores, identity(scores)), 1)
	above := graph.GreaterOrEqual(scores, graph.ExpandAxes(own, 1)) // the row itself is one of them
	rank := graph.ReduceSum(graph.ConvertDType(above, scores.DType()), 1)
	first := graph.ConvertDType(graph.Equal(rank, graph.OnesLike(rank)), scores.DType())
	return graph.ReduceAllMean(first), graph.ReduceAllMean(graph.Reciprocal(rank))
}

// identity is the [N, N] identity matrix for N rows of x, in x's data type.
func identity(x *graph.Node) *graph.Node {
	return graph.ConvertDType(graph.Diagonal(x.Graph(), x.Shape().Dim(0)), x.DType())
}

// plus adds, taking nil for zero.
func plus(a, b *graph.Node) *graph.Node {
	if a == nil {
		return b
	}
	return graph.Add(a, b)
}
