package training

import (
	"github.com/gomlx/gomlx/core/graph"

	"infbench/training/encoder"
)

// judge returns the vectors for the guide's cosines, at full width and without gradient; nil if
// there is no guide.
func (o Objective) judge(e Embedded) *Embedded {
	switch o.False.Guide {
	case "":
		return nil
	case Self:
		of := e.each(func(x *graph.Node) *graph.Node {
			if x = graph.StopGradient(x); o.Score == encoder.DotScore {
				x = graph.L2Normalize(x, -1)
			}
			return x
		})
		return &of
	}
	of := e.Guide.each(graph.StopGradient)
	of.Counted, of.Mined, of.Labels = e.Counted, e.Mined, e.Labels
	return &of
}

// each applies f to all vectors.
func (e Embedded) each(f func(*graph.Node) *graph.Node) Embedded {
	for _, x := range []**graph.Node{&e.P, &e.IQ, &e.Negatives, &e.Instructions, &e.Queries} {
		if *x != nil {
			*x = f(*x)
		}
	}
	return e
}

// cut keeps the first dim values of every vector and makes it a unit vector again.
func (e Embedded) cut(dim int) Embedded {
	return e.each(func(x *graph.Node) *graph.Node {
		if x.Shape().Dim(-1) == dim {
			return x
		}
		return graph.L2Normalize(graph.Slice(x, graph.AxisRange().Spacer(), graph.AxisRange(0, dim)), -1)
	})
}

// weighed multiplies the loss of the width at index i by its weight: the batch's weight if
// batches draw widths, else the common one.
func (m Matryoshka) weighed(i int, loss, batch *graph.Node) *graph.Node {
	if batch != nil {
		return graph.Mul(loss, graph.Reshape(graph.Slice(batch, graph.AxisElem(i))))
	}
	return graph.MulScalar(loss, m.Weight(i))
}

// modify builds the candidates of a term, leaves out possible answers, and makes some candidates
// harder.
func (o Objective) modify(t Term, e Embedded) []block {
	blocks := t.blocks(o, e)
	if o.False.Equal && e.Labels != nil {
		for i, b := range blocks {
			blocks[i].counted = b.without(b.equal)
		}
	}
	if e.judge != nil {
		bare := o
		bare.Score, bare.Temperature, bare.Epsilon = "", 1, 0 // cosines
		for i, b := range t.blocks(bare, *e.judge) {
			blocks[i].counted = blocks[i].without(o.False.above(b, e.judge))
		}
	}
	for i, b := range blocks {
		if o.Hardness.Alpha > 0 && !b.self { // a term such as ST does not score passages with queries
			blocks[i].bias = o.harder(b)
		}
	}
	return blocks
}

// without returns the counted candidates minus the marked ones; the positive always counts.
func (b block) without(marked *graph.Node) *graph.Node {
	return graph.Mul(b.counted, graph.OneMinus(graph.Mul(marked, graph.OneMinus(b.positive))))
}

// above marks the candidates whose cosine exceeds the limit that the positive's cosine sets. It
// marks candidates of the row's own record only if f.Own is set.
func (f FalseNegatives) above(b block, judge *Embedded) *graph.Node {
	positive := graph.ReduceSum(graph.Mul(judge.IQ, judge.P), 1)
	slack := graph.MulScalar(graph.OnesLike(positive), f.Margin)
	if f.Relative {
		slack = graph.MulScalar(graph.Abs(positive), f.Margin)
	}
	most := graph.BroadcastToDims(graph.ExpandAxes(graph.Sub(positive, slack), 1), b.scores.Shape().Dimensions...)
	marked := graph.ConvertDType(graph.GreaterThan(b.scores, most), positive.DType())
	if !f.Own {
		marked = graph.Mul(marked, graph.OneMinus(b.own))
	}
	return marked
}

// harder returns the amounts that Hardness adds to the scores of a block.
func (o Objective) harder(b block) *graph.Node {
	cosines := graph.MulScalar(graph.StopGradient(b.scores), 1/o.Scale())
	bias := graph.Mul(graph.MulScalar(cosines, o.Hardness.Alpha), graph.OneMinus(b.positive))
	switch o.Hardness.On {
	case ReachOwn:
		return graph.Mul(bias, b.own)
	case ReachBatch:
		return graph.Mul(bias, graph.OneMinus(b.own))
	}
	return bias
}

// hardened returns the scores for the softmax.
func (b block) hardened() *graph.Node {
	if b.bias == nil {
		return b.scores
	}
	return graph.Add(b.scores, b.bias)
}

// focused weights the losses [N] of rows by (1-pi)^Focal, pi = exp(-loss), so that solved rows
// count less.
func (o Objective) focused(losses *graph.Node) *graph.Node {
	if o.Focal == 0 {
		return losses
	}
	missed := graph.MaxScalar(graph.Neg(graph.Expm1(graph.Neg(losses))), 0.0)
	return graph.Mul(losses, graph.StopGradient(graph.PowScalar(missed, o.Focal)))
}

// spreadOut adds a penalty for similar vectors to a loss: for the queries and for the passages
// (mean cosine)^2 + max(0, mean squared cosine - 1/D), over the pairs of different rows (Zhang
// and others 2017, arXiv 1708.06320).
func (o Objective) spreadOut(e Embedded, loss *graph.Node) *graph.Node {
	if o.Spread == 0 {
		return loss
	}
	common := plus(inCommon(e.IQ, e.Anchored), inCommon(e.P, e.Anchored))
	return plus(loss, graph.MulScalar(common, o.Spread))
}

func inCommon(x, anchored *graph.Node) *graph.Node {
	cosines := graph.EinsumAxes(x, x, [][2]int{{1, 1}}, nil)
	different := graph.OneMinus(identity(x))
	if anchored != nil {
		different = graph.Mul(graph.Mul(different, graph.ExpandAxes(anchored, 0)), graph.ExpandAxes(anchored, 1))
	}
	pairs := graph.MaxScalar(graph.ReduceAllSum(different), 1.0)
	mean := func(values *graph.Node) *graph.Node {
		return graph.Div(graph.ReduceAllSum(graph.Mul(values, different)), pairs)
	}
	first, second := mean(cosines), mean(graph.Square(cosines))
	isotropic := 1 / float64(x.Shape().Dim(1))
	return graph.Add(graph.Square(first), graph.MaxScalar(graph.AddScalar(second, -isotropic), 0.0))
}
