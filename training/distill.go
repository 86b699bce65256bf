package training

import "github.com/gomlx/gomlx/core/graph"

// distilled mixes a contrastive loss with a loss that follows the teacher.
func (o Objective) distilled(e Embedded, contrastive *graph.Node) *graph.Node {
	d := o.Distill
	if !d.On() {
		return contrastive
	}
	list := d.candidates(o, e)
	rows := d.divergence(list, e.Teacher)
	followed := meanOf(rows, e.Anchored)
	return graph.Add(graph.MulScalar(contrastive, 1-d.Share), graph.MulScalar(followed, d.Share))
}

// candidates returns the passages that the teacher scores for each row, as a block.
func (d Distill) candidates(o Objective, e Embedded) block {
	if d.List == OwnList {
		own := graph.ExpandAxes(graph.ReduceSum(graph.Mul(e.IQ, e.P), 1), 1)
		mined := graph.ReduceSum(graph.Mul(graph.ExpandAxes(e.IQ, 1), e.Negatives), 2)
		one := graph.OnesLike(own)
		return block{
			scores:   graph.MulScalar(graph.Concatenate([]*graph.Node{own, mined}, 1), o.Scale()),
			positive: graph.Concatenate([]*graph.Node{one, graph.ZerosLike(mined)}, 1),
			counted:  graph.Concatenate([]*graph.Node{one, e.Mined}, 1),
		}
	}
	b := e.amongPassages(pairwise(o, e.IQ, e.P))
	if d.List == RecordList {
		b.counted = graph.Mul(b.counted, same(b.counted, e.Labels.Records, e.Labels.Records))
	}
	return b
}

// divergence is the distance of each row's scores from the teacher's. [N]
func (d Distill) divergence(b block, teacher *graph.Node) *graph.Node {
	if d.Loss == MarginMSE {
		ahead := func(scores *graph.Node) *graph.Node {
			return graph.Sub(graph.ExpandAxes(graph.ReduceSum(graph.Mul(scores, b.positive), 1), 1), scores)
		}
		negatives := graph.Mul(b.counted, graph.OneMinus(b.positive))
		squares := graph.Mul(graph.Square(graph.Sub(ahead(b.scores), ahead(teacher))), negatives)
		return graph.Div(graph.ReduceSum(squares, 1), graph.MaxScalar(graph.ReduceSum(negatives, 1), 1.0))
	}
	logShares := func(scores *graph.Node) *graph.Node {
		logits := masked(scores, b.counted)
		return graph.Sub(logits, graph.ExpandAxes(logSum(logits), 1))
	}
	theirs := logShares(graph.MulScalar(teacher, 1/d.Temperature))
	return graph.ReduceSum(graph.Mul(graph.Exp(theirs), graph.Sub(theirs, logShares(b.scores))), 1)
}
