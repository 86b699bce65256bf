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

	// Anchored is 1 for the rows that have a passage, 0 for those that lend their
	// instruction and query to others as candidates and are no anchors: their loss does
	// not count, and what stands in P for them is no candidate. nil: all have one. [N]
	Anchored *graph.Node
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

// Graph builds the loss of a batch, averaged over its anchors. Uni is the sum over
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
			term = plus(term, crossEntropy(e.Anchored, []block{b}))
		}
		s.Terms, all = append(s.Terms, term), append(all, blocks...)
	}
	if l.Form == Uni {
		for _, term := range s.Terms {
			s.Loss = plus(s.Loss, term)
		}
	} else {
		s.Loss = crossEntropy(e.Anchored, o.joined(all))
	}
	s.Accuracy, s.MRR = ranking(similarity(o, e.IQ, e.P), e.Anchored)
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
		return []block{e.amongPassages(pairwise(o, e.IQ, e.P))}
	case t == I:
		return []block{withOwn(o, e, e.Instructions, e.Counted)}
	case t == IQ && o.IQ == QueryOnly:
		return []block{withOwn(o, e, e.Queries, nil)}
	case t == IQ:
		return []block{pairwise(o, e.P, e.IQ)}
	case t == ST:
		queries, passages := pairwise(o, e.IQ, e.IQ), e.amongPassages(pairwise(o, e.P, e.P))
		queries.self, passages.self = true, true
		return []block{queries, passages}
	case t == IP:
		return []block{e.amongPassages(instructionsTimesPassages(o, e))}
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

// amongPassages leaves out the columns of rows without a passage, of blocks whose
// columns are the batch's passages once or several times over.
func (e Embedded) amongPassages(b block) block {
	if e.Anchored == nil {
		return b
	}
	n, columns := b.counted.Shape().Dim(0), b.counted.Shape().Dim(1)
	each := graph.Reshape(graph.BroadcastToDims(graph.InsertAxes(e.Anchored, 0, 0), n, columns/n, n), n, columns)
	b.counted = graph.Mul(b.counted, each)
	return b
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

// crossEntropy is the mean over anchors of -log softmax of the first block's
// positive among the counted candidates of all blocks.
func crossEntropy(anchored *graph.Node, blocks []block) *graph.Node {
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
	return meanOf(graph.Sub(graph.Add(graph.Log(total), top), positive), anchored)
}

// meanOf is the mean of values [N] over anchors.
func meanOf(values, anchored *graph.Node) *graph.Node {
	if anchored == nil {
		return graph.ReduceAllMean(values)
	}
	return graph.Div(graph.ReduceAllSum(graph.Mul(values, anchored)), graph.ReduceAllSum(anchored))
}

// ranking returns accuracy and mean reciprocal rank of the diagonal of scores, over
// anchors and their passages.
func ranking(scores, anchored *graph.Node) (accuracy, mrr *graph.Node) {
	own := graph.ReduceSum(graph.Mul(scores, identity(scores)), 1)
	above := graph.GreaterOrEqual(scores, graph.ExpandAxes(own, 1)) // the row itself is one of them
	counted := graph.ConvertDType(above, scores.DType())
	if anchored != nil {
		// An anchor's own passage is one of them; the rank of others is 0 or more, and
		// one more keeps it finite.
		counted = graph.Add(graph.Mul(counted, graph.ExpandAxes(anchored, 0)), graph.Mul(identity(scores), graph.ExpandAxes(graph.OneMinus(anchored), 0)))
	}
	rank := graph.ReduceSum(counted, 1)
	first := graph.ConvertDType(graph.Equal(rank, graph.OnesLike(rank)), scores.DType())
	return meanOf(first, anchored), meanOf(graph.Reciprocal(rank), anchored)
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
