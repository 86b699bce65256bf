package training

import (
	"math"

	"github.com/gomlx/gomlx/core/graph"
)

// distilled mixes a contrastive loss with a loss that follows the teacher.
func (o Objective) distilled(e Embedded, contrastive *graph.Node) *graph.Node {
	d := o.Distill
	if !d.On() {
		return contrastive
	}
	followed := d.divergence(d.candidates(o, e), e.Teacher, e.Anchored)
	return graph.Add(graph.MulScalar(contrastive, 1-d.Share), graph.MulScalar(followed, d.Share))
}

// candidates returns the passages that the teacher scores for each row, as a block.
func (d Distill) candidates(o Objective, e Embedded) block {
	if d.List == OwnList {
		own, mined := o.perRow(e.IQ, e.P, false), o.perRow(e.IQ, e.Negatives, false)
		one := graph.OnesLike(own)
		return block{
			scores:   graph.MulScalar(graph.Concatenate([]*graph.Node{own, mined}, 1), o.Scale()),
			positive: graph.Concatenate([]*graph.Node{one, graph.ZerosLike(mined)}, 1),
			counted:  graph.Concatenate([]*graph.Node{one, e.Mined}, 1),
		}
	}
	b := e.amongPassages(o.table(e.IQ, e.P, false))
	if d.List == RecordList {
		b.counted = graph.Mul(b.counted, same(b.counted, e.Labels.Records, e.Labels.Records))
	}
	return b
}

// divergence is the distance of the scores from the teacher's [N, C], a scalar: see Divergence.
func (d Distill) divergence(b block, teacher, anchored *graph.Node) *graph.Node {
	if d.MinMax {
		b.scores = b.minMax()
	}
	switch d.Loss {
	case MarginMSE:
		ahead := func(scores *graph.Node) *graph.Node {
			return graph.Sub(graph.ExpandAxes(graph.ReduceSum(graph.Mul(scores, b.positive), 1), 1), scores)
		}
		negatives := graph.Mul(b.counted, graph.OneMinus(b.positive))
		squares := graph.Mul(graph.Square(graph.Sub(ahead(b.scores), ahead(teacher))), negatives)
		return meanOf(graph.Div(graph.ReduceSum(squares, 1), graph.MaxScalar(graph.ReduceSum(negatives, 1), 1.0)), anchored)
	case MSE:
		return b.mean(graph.Square(graph.Sub(b.scores, teacher)), anchored)
	case ADRMSE:
		return b.mean(b.misplaced(teacher), anchored)
	case ListMLE:
		return meanOf(b.unordered(teacher, d.Weights), anchored)
	case PairLoss:
		return Couples{}.loss(b, teacher, anchored)
	}
	logShares := func(scores *graph.Node) *graph.Node {
		logits := masked(scores, b.counted)
		return graph.Sub(logits, graph.ExpandAxes(logSum(logits), 1))
	}
	theirs := logShares(graph.MulScalar(teacher, 1/d.Temperature))
	return meanOf(graph.ReduceSum(graph.Mul(graph.Exp(theirs), graph.Sub(theirs, logShares(b.scores))), 1), anchored)
}

// mean is the mean of values [N, C] over all counted candidates of anchors.
func (b block) mean(values, anchored *graph.Node) *graph.Node {
	counted := b.counted
	if anchored != nil {
		counted = graph.Mul(counted, graph.ExpandAxes(anchored, 1))
	}
	return graph.Div(graph.ReduceAllSum(graph.Mul(values, counted)), graph.MaxScalar(graph.ReduceAllSum(counted), 1.0))
}

// minMax moves each row's counted scores to the range 0 to 1, as PyLate's Distillation does.
func (b block) minMax() *graph.Node {
	lowest := graph.Neg(graph.ReduceMax(masked(graph.Neg(b.scores), b.counted), 1))
	width := graph.AddScalar(graph.Sub(graph.ReduceMax(masked(b.scores, b.counted), 1), lowest), 1e-8)
	return graph.Div(graph.Sub(b.scores, graph.ExpandAxes(lowest, 1)), graph.ExpandAxes(width, 1))
}

// unordered is -log of the probability that drawing candidates by the softmax of their scores
// gives the teacher's order, [N]: the sum over ranks r of w_r (log sum_{b>=r} exp z_b - z_r) with
// w 1, or under PList 2^(n-r) - 1 over its sum, for n candidates.
func (b block) unordered(teacher *graph.Node, weights Weighting) *graph.Node {
	n, c := b.scores.Shape().Dim(0), b.scores.Shape().Dim(1)
	ranks := ranksOf(teacher, b.counted)
	of, others := couple(ranks, ranks)
	_, counted := couple(b.counted, b.counted)
	_, scores := couple(b.scores, b.scores)
	left := graph.Mul(counted, graph.ConvertDType(graph.GreaterOrEqual(others, of), counted.DType()))
	rest := graph.Reshape(logSum(graph.Reshape(masked(scores, left), n*c, c)), n, c)
	w := b.counted
	if weights == PList { // both divided by 2^n, which could overflow
		power := func(x *graph.Node) *graph.Node { return graph.Exp(graph.MulScalar(x, -math.Ln2)) }
		last := power(graph.ExpandAxes(graph.ReduceSum(b.counted, 1), 1))
		w = graph.Mul(graph.Sub(power(ranks), last), b.counted)
		w = graph.Div(w, graph.MaxScalar(graph.ExpandAxes(graph.ReduceSum(w, 1), 1), 1e-30)) // 0 of a list of one
	}
	return graph.ReduceSum(graph.Mul(graph.Sub(rest, b.scores), w), 1)
}

// misplaced is, for each candidate, the squared difference of its smooth rank by the scores, 1 +
// sum_b sigmoid(z_b - z), from its rank by the teacher, over log2(1 + that rank). Equal grades
// share the mean of their ranks. [N, C]
func (b block) misplaced(teacher *graph.Node) *graph.Node {
	_, counted := couple(b.counted, b.counted)
	sum := func(x *graph.Node) *graph.Node {
		return graph.ReduceSum(graph.Mul(graph.ConvertDType(x, counted.DType()), counted), 2)
	}
	own, others := couple(teacher, teacher)
	ranks := graph.Add(sum(graph.GreaterThan(others, own)), graph.AddScalar(graph.MulScalar(sum(graph.Equal(others, own)), 0.5), 0.5))
	own, others = couple(b.scores, b.scores)
	smooth := graph.AddScalar(sum(graph.Sigmoid(graph.Sub(others, own))), 0.5) // the sum has 1/2 for the candidate itself
	return graph.Mul(graph.Square(graph.Sub(ranks, smooth)), discount(graph.StopGradient(ranks)))
}
