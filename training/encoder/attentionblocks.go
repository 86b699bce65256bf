package encoder

import "github.com/gomlx/gomlx/core/graph"

// On a device the scores of long texts are computed for some keys at a time, so that memory grows
// with the length of a text and not with its square. The Go backend, whose batches are small,
// always uses one softmax.
const (
	squareKeys = 2048 // up to this many keys all scores are in memory at once
	blockKeys  = 1024
)

// attendInBlocks is softmax(Q K^T + bias) V, with q [B,S,K,g,d], k and v [B,L,K,d] and bias that
// broadcasts to [B,K,g,S,L], for size keys at a time. It keeps the running maximum and sum of
// each row and is exact except for rounding (Rabe and Staats 2021, arXiv 2112.05682; Dao et al.
// 2022, arXiv 2205.14135, algorithm 1). The gradient computes the scores of a block again. It
// returns float32 [B,S,K,g,d].
func attendInBlocks(q, k, v, bias *graph.Node, size int) *graph.Node {
	return withGradient(func(in []*graph.Node) (*graph.Node, vjp) {
		a := blockwise{in[0], in[1], in[2], in[3], size}
		mixed, most, total := a.forward()
		return mixed, func(d *graph.Node, now func(*graph.Node) *graph.Node) []*graph.Node {
			again := blockwise{now(a.q), now(a.k), now(a.v), now(a.bias), size}
			return again.backward(d, now(mixed), now(most), now(total))
		}
	}, q, k, v, bias)
}

// blockwise is attention to keys in blocks.
type blockwise struct {
	q, k, v, bias *graph.Node
	size          int
}

// keyBlock holds keys with their values and their bias.
type keyBlock struct{ k, v, bias *graph.Node }

func (a blockwise) blocks() (list []keyBlock) {
	length := a.k.Shape().Dim(1)
	for from := 0; from < length; from += a.size {
		of := graph.AxisRange(from, min(from+a.size, length))
		list = append(list, keyBlock{
			graph.Slice(a.k, graph.AxisRange(), of), graph.Slice(a.v, graph.AxisRange(), of),
			graph.Slice(a.bias, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(), graph.AxisRange(), of),
		})
	}
	return list
}

// scores computes the scores of a block, float32 [B,K,g,S,size].
func (a blockwise) scores(b keyBlock) *graph.Node { return graph.Add(wide(byHead(a.q, b.k)), b.bias) }

// forward returns the mixed values and, for each row [B,K,g,S,1], the largest score and the sum
// of the exponentials of score minus largest score.
func (a blockwise) forward() (mixed, most, total *graph.Node) {
	for _, b := range a.blocks() {
		scores := a.scores(b)
		top := graph.StopGradient(graph.InsertAxes(graph.ReduceMax(scores, -1), -1))
		if mixed != nil {
			next := graph.Max(most, top)
			fade := graph.Exp(graph.Sub(most, next))
			mixed, total, top = graph.Mul(mixed, perQuery(fade)), graph.Mul(total, fade), next
		}
		most = top
		weights := graph.Exp(graph.Sub(scores, most))
		mixed = sumOf(mixed, wide(byShares(graph.ConvertDType(weights, b.v.DType()), b.v)))
		total = sumOf(total, sumLast(weights))
	}
	return graph.Div(mixed, perQuery(total)), most, total
}

// backward returns the gradients of q, k, v and bias, given d, the gradient of mixed.
func (a blockwise) backward(d, mixed, most, total *graph.Node) []*graph.Node {
	// With P the shares, dP = d V^T and dS = P (dP - sum P dP); the last sum equals the sum of d
	// times mixed.
	along := graph.TransposeAllAxes(sumLast(graph.Mul(d, mixed)), 0, 2, 3, 1, 4)
	d = graph.ConvertDType(d, a.q.DType())
	var dq *graph.Node
	var dk, dv, dbias []*graph.Node
	for _, b := range a.blocks() {
		shares := graph.Div(graph.Exp(graph.Sub(a.scores(b), most)), total)
		slope := graph.Mul(shares, graph.Sub(wide(byHead(d, b.v)), along))
		dv = append(dv, perKey(graph.ConvertDType(shares, d.DType()), d))
		dbias = append(dbias, sumTo(slope, b.bias))
		slope = graph.ConvertDType(slope, a.q.DType())
		dq = sumOf(dq, wide(byShares(slope, b.k)))
		dk = append(dk, perKey(slope, a.q))
	}
	return []*graph.Node{graph.ConvertDType(dq, a.q.DType()), graph.Concatenate(dk, 1), graph.Concatenate(dv, 1), graph.Concatenate(dbias, -1)}
}

// perQuery moves a number of each row [B,K,g,S,1] to the axes of its values, [B,S,K,g,1].
func perQuery(x *graph.Node) *graph.Node { return graph.TransposeAllAxes(x, 0, 3, 1, 2, 4) }

// sumOf adds y to a sum, which may be nil.
func sumOf(sum, y *graph.Node) *graph.Node {
	if sum == nil {
		return y
	}
	return graph.Add(sum, y)
}

// sumTo sums x over the axes along which like was repeated.
func sumTo(x, like *graph.Node) *graph.Node {
	var axes []int
	for axis, n := range like.Shape().Dimensions {
		if n == 1 && x.Shape().Dim(axis) > 1 {
			axes = append(axes, axis)
		}
	}
	if len(axes) == 0 {
		return x
	}
	return graph.ReduceAndKeep(x, graph.ReduceSum, axes...)
}
