package training

import (
	"cmp"
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"infbench/training/setting"
)

// Couples are the settings of the form Pairwise. Its loss is the mean, over all couples of a
// better and a worse candidate in the lists of a batch, of
//
//	w log2(1 + exp(-Sigma (z_better - z_worse)))
//
// with candidates of another grade. The positive has grade 1, all others 0. This is RankNet, and
// with weights LambdaLoss (Wang and others 2018), as Sentence Transformers computes it. Zero
// values are the defaults.
type Couples struct {
	Weights Weighting `yaml:"weights,omitempty" json:",omitempty"`
	K       int       `yaml:"k,omitempty" json:",omitempty"`     // keep couples with a candidate among the first K; 0: all
	Mu      float64   `yaml:"mu,omitempty" json:",omitempty"`    // of NDCG2PP; 0: 10
	Sigma   float64   `yaml:"sigma,omitempty" json:",omitempty"` // 0: 1
}

// Describe describes the fields of Couples.
func (Couples) Describe() []setting.Setting {
	return []setting.Setting{
		{Name: "weights", Label: "weights of pairs", Paper: []string{""}, Unsaid: "none", Meaning: "weight of each pair of a better and a worse candidate, from their ranks: none is RankNet, the others are schemes of LambdaLoss", Source: "RankNet (Burges and others 2005), LambdaLoss (Wang and others 2018)"},
		{Name: "k", Label: "first candidates that count in pairs", Paper: []string{"", "0"}, Range: "[0,∞)", Unit: "ranks", Unsaid: "0: all", Meaning: "keep pairs if either candidate is among the first k by score", Source: "LambdaLoss, Sentence Transformers"},
		{Name: "mu", Label: "share of ndcg2 in the weights", Paper: []string{"", "0"}, Range: "[0,∞)", Unit: "weight", Unsaid: "10", Meaning: "factor of ndcg2 in weights ndcg2pp, which adds lambdarank", Source: "LambdaLoss, Sentence Transformers"},
		{Name: "sigma", Label: "steepness of pairs", Paper: []string{"", "0"}, Range: "[0,∞)", Unit: "per unit of a scaled score", Unsaid: "1", Meaning: "factor of the difference of two scores", Source: "RankNet (Burges and others 2005)"},
	}
}

// Weighting is a scheme of weights in a loss over ranked candidates.
type Weighting string

// The schemes. With the ranks r of a list sorted by score, D(r) = log2(1+r) and the gains G =
// (2^grade-1) / largest DCG of the first K, a couple weighs |1/D(r_a) - 1/D(r_b)| |G_a - G_b|
// under LambdaRank, |1/D(|r_a-r_b|) - 1/D(|r_a-r_b|+1)| |G_a - G_b| under NDCG2, and Mu times
// NDCG2 plus LambdaRank under NDCG2PP. PList is a scheme of Distill: see ListMLE. Empty means
// Unweighted.
const (
	Unweighted Weighting = "none"
	LambdaRank Weighting = "lambdarank"
	NDCG2      Weighting = "ndcg2"
	NDCG2PP    Weighting = "ndcg2pp"
	PList      Weighting = "plist"
)

// leaveUsual clears values that equal the defaults.
func (c *Couples) leaveUsual() {
	if c.Weights == Unweighted {
		c.Weights = ""
	}
	if c.Mu == 10 {
		c.Mu = 0
	}
	if c.Sigma == 1 {
		c.Sigma = 0
	}
}

// loss is the mean over the couples of a block, over anchors; 0 without couples. grades [N, C]
// are those of all candidates. nil means that the positive has grade 1 and the others 0, which
// makes C couples a row at most instead of C².
func (c Couples) loss(b block, grades, anchored *graph.Node) *graph.Node {
	z := b.hardened()
	better := func(x *graph.Node) *graph.Node { return x } // the candidates that can be the better one
	if grades == nil {
		grades = b.positive
		better = func(x *graph.Node) *graph.Node {
			return graph.ExpandAxes(graph.ReduceSum(graph.Mul(x, b.positive), 1), 1)
		}
	}
	both := func(x *graph.Node) (of, than *graph.Node) { return couple(better(x), x) }
	one := func(is *graph.Node) *graph.Node { return graph.ConvertDType(is, z.DType()) }

	higher, lower := both(grades)
	first, second := both(b.counted)
	counted := graph.Mul(one(graph.GreaterThan(higher, lower)), graph.Mul(first, second))
	if anchored != nil {
		counted = graph.Mul(counted, graph.InsertAxes(anchored, -1, -1))
	}
	up, down := both(z)
	if c.Sigma != 0 {
		up, down = graph.MulScalar(up, c.Sigma), graph.MulScalar(down, c.Sigma)
	}
	lost := unlikely(graph.Sub(up, down))
	if weighted := c.Weights != "" && c.Weights != Unweighted; weighted || c.K > 0 {
		ahead, behind := both(ranksOf(z, b.counted))
		if c.K > 0 {
			counted = graph.Mul(counted, one(graph.LessThan(graph.Min(ahead, behind), graph.Scalar(z.Graph(), z.DType(), float64(c.K)+0.5))))
		}
		if weighted {
			gained, left := both(c.gains(grades, b.counted))
			weights := graph.Mul(c.byRanks(ahead, behind), graph.Abs(graph.Sub(gained, left)))
			lost = graph.Mul(lost, graph.StopGradient(weights))
		}
	}
	mean := graph.Div(graph.ReduceAllSum(graph.Mul(lost, counted)), graph.MaxScalar(graph.ReduceAllSum(counted), 1.0))
	return graph.MulScalar(mean, 1/math.Ln2)
}

// byRanks is the part of a couple's weight that depends on the ranks of its candidates.
func (c Couples) byRanks(a, b *graph.Node) *graph.Node {
	apart := graph.MaxScalar(graph.Abs(graph.Sub(a, b)), 1.0) // the ranks of a couple differ
	near := graph.Abs(graph.Sub(discount(apart), discount(graph.AddScalar(apart, 1))))
	far := graph.Abs(graph.Sub(discount(a), discount(b)))
	switch c.Weights {
	case LambdaRank:
		return far
	case NDCG2:
		return near
	}
	return graph.Add(graph.MulScalar(near, cmp.Or(c.Mu, 10)), far)
}

// gains are (2^grade - 1) over the largest DCG of the first K, [N, C]. A grade below 0 is 0.
func (c Couples) gains(grades, counted *graph.Node) *graph.Node {
	gains := graph.Mul(graph.AddScalar(graph.Exp(graph.MulScalar(graph.MaxScalar(grades, 0.0), math.Ln2)), -1), counted)
	ranks := ranksOf(grades, counted)
	shares := graph.Mul(gains, discount(ranks))
	if c.K > 0 {
		shares = graph.Mul(shares, graph.ConvertDType(graph.LessThan(ranks, graph.Scalar(ranks.Graph(), ranks.DType(), float64(c.K)+0.5)), ranks.DType()))
	}
	best := graph.MaxScalar(graph.ReduceSum(shares, 1), 1e-10)
	return graph.Div(gains, graph.ExpandAxes(best, 1))
}

// discount is 1 / log2(1 + rank).
func discount(ranks *graph.Node) *graph.Node {
	return graph.MulScalar(graph.Reciprocal(graph.Log1p(ranks)), math.Ln2)
}

// couple broadcasts a [N, A] and b [N, C] to [N, A, C].
func couple(a, b *graph.Node) (of, with *graph.Node) {
	n, first, second := a.Shape().Dim(0), a.Shape().Dim(1), b.Shape().Dim(1)
	return graph.BroadcastToDims(graph.ExpandAxes(a, 2), n, first, second), graph.BroadcastToDims(graph.ExpandAxes(b, 1), n, first, second)
}

// ranksOf are the ranks [N, C] of each row's values among the counted ones, the largest first,
// the earlier of equal ones first, from 1. They have no gradient.
func ranksOf(x, counted *graph.Node) *graph.Node {
	a, b := couple(graph.StopGradient(x), graph.StopGradient(x))
	square := shapes.Make(dtypes.Int32, a.Shape().Dimensions...)
	earlier := graph.LessThan(graph.Iota(x.Graph(), square, 2), graph.Iota(x.Graph(), square, 1))
	above := graph.LogicalOr(graph.GreaterThan(b, a), graph.LogicalAnd(graph.Equal(a, b), earlier))
	_, counts := couple(counted, counted)
	return graph.AddScalar(graph.ReduceSum(graph.Mul(graph.ConvertDType(above, x.DType()), counts), 2), 1)
}
