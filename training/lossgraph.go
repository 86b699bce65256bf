package training

import (
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
)

// Embedded holds the vectors of one batch of N rows. Under the score cosine all are L2-normalised.
// A score of tokens has token vectors in their place, [T, D+1] for each D, whose last value is 1
// for a token that counts and 0 for padding. A score of pairs has Logits and Lists alone.
type Embedded struct {
	P  *graph.Node // [N, D] passages p_i
	IQ *graph.Node // [N, D] iq_ii: each row's instruction with its own query

	// Negatives are mined passages, n of each row. Like P they are candidates of every row, in
	// the terms P and ST. [N, n, D]; nil: none
	Negatives *graph.Node
	Mined     *graph.Node // 1 if a row has the negative, 0 if it has fewer. [N, n]

	// Instructions are the candidates of the terms I and IP: iq_{j_c,i}, row i's query under
	// other instructions. [N, C, D], C at least 1; nil: the loss needs neither
	Instructions *graph.Node
	// Counted is 1 if an instruction candidate counts, 0 if it is masked. [N, C]; nil if
	// Instructions is
	Counted *graph.Node

	// Queries are the candidates of a QueryOnly IQ term: iq_{i,k}, row i's
	// instruction under the queries of other rows. [N, K, D]; nil: the loss needs none
	Queries *graph.Node
	Asked   *graph.Node // 1 if a query candidate counts. [N, K]; nil: all do

	// Anchored is 1 for the rows that have a passage. Rows with 0 lend their instruction and
	// query to others as candidates but are not anchors: their loss does not count, and their
	// vector in P is not a candidate. nil: all rows have a passage. [N]
	Anchored *graph.Node

	// Among is 1 where row m is one of the rows that row i is contrasted with, itself included, by
	// Config.Candidates. nil: all rows. [N, N]
	Among *graph.Node

	Logits *graph.Node       // scores of the batch's distinct pairs of query and passage. [U]; nil: texts have vectors
	Lists  map[Term]TermList // the candidates of each term among Logits

	Guide   *Embedded   // vectors of the guide, if it is a model; without Anchored and Counted
	Labels  *Labels     // labels of all texts; nil: no modifier needs them, or equal texts are masked but the batch has none
	Teacher *graph.Node // scores for the list of Distill: [N, 1+n] for OwnList, else [N, N]
	Weights *graph.Node // weights of the widths of a Matryoshka that draws them; nil: its own. [W]

	judge *Embedded // vectors for the guide's cosines; see Objective.judge
}

// Scores are the outcome of a loss on one batch, all scalars.
type Scores struct {
	Loss     *graph.Node
	Terms    []*graph.Node // mean loss of each term of a Contrastive on its own
	Accuracy *graph.Node   // share of rows whose passage ranks first among the passages it is contrasted with
	MRR      *graph.Node   // mean reciprocal rank of the row's passage; ties count against it
}

// scoresOf builds a loss of a batch at the widths of o, with the other additions of o to any
// loss. The other scores use the full width.
func scoresOf(l Loss, o Objective, e Embedded) Scores {
	e.judge = o.judge(e)
	loss, terms := atWidth(l, o, e)
	s := Scores{Loss: loss, Terms: terms}
	if dims := o.Matryoshka.Dims; len(dims) > 0 {
		s.Loss = nil
		for i, dim := range dims {
			loss, _ := atWidth(l, o, e.cut(dim))
			s.Loss = plus(s.Loss, o.Matryoshka.weighed(i, loss, e.Weights))
		}
	}
	s.Accuracy, s.MRR = e.ranked(o).ranking(e.Anchored)
	return s
}

// ranked returns the candidates among which a row's passage is ranked for the log: those of the
// term P, without the mined negatives if they are the passages of the batch. A score of pairs
// that the loss did not need for P ranks among its first term's.
func (e Embedded) ranked(o Objective) block {
	if e.Logits != nil {
		for _, t := range allTerms.Split() {
			if _, ok := e.Lists[t]; ok {
				return e.gathered(o, t)
			}
		}
	}
	if e.Among != nil {
		return e.passages(o, e.IQ)
	}
	return e.amongPassages(o.table(e.IQ, e.P, false))
}

// atWidth builds a loss of vectors at their current width, and its terms separately.
func atWidth(l Loss, o Objective, e Embedded) (loss *graph.Node, terms []*graph.Node) {
	if c, ok := l.(Contrastive); ok {
		loss, terms = c.graph(o, e)
	} else {
		loss = ofProgram(l, o, e)
	}
	return o.spreadOut(e, o.distilled(e, loss)), terms
}

// ofProgram builds a loss from another program. GoMLX returns a panic as an error only if its
// value is an error.
func ofProgram(l Loss, o Objective, e Embedded) *graph.Node {
	defer func() {
		if cause := recover(); cause != nil {
			panic(fmt.Errorf("loss %s: %v", NameOf(l), cause))
		}
	}()
	loss := l.Graph(o, e)
	switch {
	case loss == nil:
		panic("Graph returns nothing")
	case !loss.IsScalar() || loss.DType() != e.P.DType():
		panic(fmt.Sprintf("Graph returns %s, want a scalar %s", loss.Shape(), e.P.DType()))
	}
	return loss
}

// Graph builds the loss of a batch, averaged over its anchors. Uni is the sum over the terms of
// -log softmax of the positive among the term's candidates. Multi is one -log softmax among the
// candidates of all terms, in which duplicates of the positive are masked or kept as o.Duplicates
// sets it. Sig is one sum over the candidates of all terms. Multi and Sig never count the
// self-similarities of ST. Pairwise is the sum over the terms of the mean over all couples of the
// batch; see Couples.
func (l Contrastive) Graph(o Objective, e Embedded) *graph.Node {
	loss, _ := l.graph(o, e)
	return loss
}

// graph is Graph that also returns the terms separately.
func (l Contrastive) graph(o Objective, e Embedded) (loss *graph.Node, terms []*graph.Node) {
	return l.over(o, e.Anchored, func(t Term) []block { return o.modify(t, e) })
}

// over is the loss of the candidates of each term, averaged over anchors, and the terms
// separately.
func (l Contrastive) over(o Objective, anchored *graph.Node, candidates func(Term) []block) (loss *graph.Node, terms []*graph.Node) {
	var all []block
	one := o.crossEntropy
	switch l.Form {
	case Sig:
		one, o.Duplicates = o.sigmoids, Mask
	case Pairwise:
		one = func(anchored *graph.Node, blocks []block) *graph.Node {
			return o.Couples.loss(blocks[0], nil, anchored)
		}
	}
	for _, t := range l.Terms.Split() {
		var term *graph.Node
		blocks := candidates(t)
		for _, b := range blocks {
			term = plus(term, one(anchored, []block{b}))
		}
		terms, all = append(terms, term), append(all, blocks...)
	}
	if l.Form == Uni || l.Form == Pairwise {
		for _, term := range terms {
			loss = plus(loss, term)
		}
	} else {
		loss = one(anchored, o.joined(all))
	}
	return loss, terms
}

// joined removes from the blocks of a Multi loss the candidates that it must not count again.
func (o Objective) joined(blocks []block) []block {
	out := slices.Clone(blocks)
	for i := range out {
		if b := &out[i]; b.self || i > 0 && o.Duplicates == Mask {
			b.counted = graph.Sub(b.counted, b.positive)
		}
	}
	return out
}

// crossEntropy is the mean over anchors of -log softmax of the first block's positive among the
// counted candidates of all blocks, weighted by o.Focal.
func (o Objective) crossEntropy(anchored *graph.Node, blocks []block) *graph.Node {
	var scores, counted []*graph.Node
	for _, b := range blocks {
		scores, counted = append(scores, b.hardened()), append(counted, b.counted)
	}
	logits := masked(graph.Concatenate(scores, 1), graph.Concatenate(counted, 1))
	positive := graph.ReduceSum(graph.Mul(blocks[0].scores, blocks[0].positive), 1)
	return meanOf(o.focused(graph.Sub(logSum(logits), positive)), anchored)
}

// sigmoids is the mean over anchors of the sum over counted candidates of all blocks of -log
// sigmoid(y (score + Bias)), where y is 1 for the positive and -1 for others.
func (o Objective) sigmoids(anchored *graph.Node, blocks []block) *graph.Node {
	var sum *graph.Node
	for _, b := range blocks {
		sign := graph.AddScalar(graph.MulScalar(b.positive, 2), -1)
		x := graph.Mul(sign, graph.AddScalar(b.hardened(), o.Bias))
		sum = plus(sum, graph.ReduceSum(graph.Mul(unlikely(x), b.counted), 1))
	}
	return meanOf(sum, anchored)
}

// unlikely is -log sigmoid(x). Its two parts have no slope at 0, where equal scores of a couple
// and sparse scores without a common term are.
func unlikely(x *graph.Node) *graph.Node {
	lost := graph.Add(graph.MaxScalar(graph.Neg(x), 0.0), graph.Log1p(graph.Exp(graph.Neg(graph.Abs(x)))))
	return graph.Where(graph.Equal(x, graph.ZerosLike(x)), graph.AddScalar(graph.MulScalar(x, -0.5), math.Ln2), lost)
}

// masked lowers scores so far that their exponential is exactly zero wherever counted is 0; minus
// infinity would turn the gradient into NaN.
func masked(scores, counted *graph.Node) *graph.Node {
	const nothing = -1e9
	return graph.Add(scores, graph.MulScalar(graph.OneMinus(counted), nothing))
}

// logSum is the logarithm of the sum of each row's exponentials.
func logSum(logits *graph.Node) *graph.Node {
	top := graph.StopGradient(graph.ReduceMax(logits, 1))
	total := graph.ReduceSum(graph.Exp(graph.Sub(logits, graph.ExpandAxes(top, 1))), 1)
	return graph.Add(graph.Log(total), top)
}

// meanOf is the mean of values [N] over anchors.
func meanOf(values, anchored *graph.Node) *graph.Node {
	if anchored == nil {
		return graph.ReduceAllMean(values)
	}
	return graph.Div(graph.ReduceAllSum(graph.Mul(values, anchored)), graph.ReduceAllSum(anchored))
}

// ranking returns accuracy and mean reciprocal rank of the positive among the counted candidates,
// over anchors. A tie counts against the positive.
func (b block) ranking(anchored *graph.Node) (accuracy, mrr *graph.Node) {
	own := graph.ReduceSum(graph.Mul(b.scores, b.positive), 1)
	above := graph.ConvertDType(graph.GreaterOrEqual(b.scores, graph.ExpandAxes(own, 1)), b.scores.DType()) // includes the positive
	// The positive counts itself in rows without a passage, too: their reciprocal stays finite.
	rank := graph.ReduceSum(graph.Max(graph.Mul(above, b.counted), b.positive), 1)
	first := graph.ConvertDType(graph.Equal(rank, graph.OnesLike(rank)), b.scores.DType())
	return meanOf(first, anchored), meanOf(graph.Reciprocal(rank), anchored)
}

// identity is the [N, N] identity matrix for N rows of x, in x's data type.
func identity(x *graph.Node) *graph.Node {
	return graph.ConvertDType(graph.Diagonal(x.Graph(), x.Shape().Dim(0)), x.DType())
}

// plus adds a and b; nil means zero.
func plus(a, b *graph.Node) *graph.Node {
	if a == nil {
		return b
	}
	return graph.Add(a, b)
}
