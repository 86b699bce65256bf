package training

import "github.com/gomlx/gomlx/core/graph"

// flops is the sum over terms of the squared mean weight in the texts x [R, V], which bounds the
// work of an inverted index (Paria and others 2020, arXiv 2004.05665). Texts with at most
// threshold terms count as empty ones.
func flops(x *graph.Node, threshold int) *graph.Node {
	terms := graph.ReduceSum(graph.ConvertDType(graph.NotEqual(x, graph.ZerosLike(x)), x.DType()), 1)
	long := graph.ConvertDType(graph.GreaterThan(terms, graph.Scalar(x.Graph(), x.DType(), float64(threshold)+0.5)), x.DType())
	mean := graph.ReduceMean(graph.Mul(x, graph.ExpandAxes(long, 1)), 0)
	return graph.ReduceAllSum(graph.Square(mean))
}

// sumOfTerms is the mean over texts x [R, V] of the sum of their weights, the L1 norm that
// naver/splade puts on queries.
func sumOfTerms(x *graph.Node) *graph.Node {
	return graph.ReduceAllMean(graph.ReduceSum(graph.Abs(x), 1))
}

// ramp is the share of a regulariser's weight after so many of all steps: it rises from 0, as a
// square or linearly, and is 1 after the warm-up, a share of all steps.
func ramp(done, steps int, warmup float64, linear bool) float64 {
	risen := min(1, float64(done)/float64(max(1, int(warmup*float64(steps)))))
	if linear {
		return risen
	}
	return risen * risen
}
