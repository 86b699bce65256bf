package training

import (
	"cmp"
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// MomentScope is the scope of AdamW's moments in the encoder's store: the moments of the variable
// at path are at MomentScope/{m,v}/path.
const MomentScope = "/optimizer"

// AdamW is the optimizer of Loshchilov and Hutter (arXiv 1711.05101) as torch.optim.AdamW
// computes it: weight decay comes first, is scaled by the learning rate and is applied to the
// weights, not to the gradient.
type AdamW struct {
	Beta1, Beta2, Epsilon float64
	WeightDecay           float64
	DecayAll              bool    // false: vectors (biases and norms) do not decay
	Clip                  float64 // largest global gradient norm; 0: no limit
}

// Factors returns the factors that Update takes for a step (index from 0) at a learning rate.
// They are computed outside the graph, in float64: in float32, 1 - 0.999 to the power of 1 loses
// four digits.
func (o AdamW) Factors(step int, rate float64) []float32 {
	t := float64(step + 1)
	return []float32{
		float32(rate / (1 - math.Pow(o.Beta1, t))),
		float32(1 / math.Sqrt(1-math.Pow(o.Beta2, t))),
		float32(1 - rate*o.WeightDecay),
	}
}

// None returns the factors of a step that changes nothing.
func (o AdamW) None() []float32 { return []float32{float32(math.NaN()), 1, 1} }

// Update builds one step down the gradient of loss for every trainable variable of the store that
// the graph uses; see Apply.
func (o AdamW) Update(store *model.Store, loss, factors *graph.Node) (norm *graph.Node) {
	variables := trainableOf(store, loss.Graph())
	return o.Apply(store, variables, gradientsOf(loss, variables), loss, factors)
}

// Apply builds one step with the given gradients of variables and returns the global norm of the
// gradient before clipping. If loss, norm or the first factor is not finite, the step changes
// nothing, so that a bad batch leaves the weights as they were: its factors become 1 and 0 and
// its gradient zero, which costs less than choosing between old and new values.
func (o AdamW) Apply(store *model.Store, variables []*model.Variable, gradients []*graph.Node, loss, factors *graph.Node) (norm *graph.Node) {
	g := loss.Graph()
	norm = globalNorm(gradients)
	first := graph.Reshape(graph.Slice(factors, graph.AxisElem(0)))
	finite := graph.IsFinite(graph.Add(graph.Add(norm, loss), first))
	scalar := func(value float64) *graph.Node { return graph.Scalar(g, norm.DType(), value) }
	none, one := scalar(0), scalar(1)
	factor := func(i int, otherwise *graph.Node) *graph.Node {
		return graph.Where(finite, graph.Reshape(graph.Slice(factors, graph.AxisElem(i))), otherwise)
	}
	rate, correction, decay := factor(0, none), factor(1, one), factor(2, one)
	moment := func(name string, v *model.Variable, beta float64, value *graph.Node) *graph.Node {
		variable := store.VariableWithValue(model.JoinPath(MomentScope, name, v.Path()), tensors.FromShape(v.Shape()))
		variable.SetTrainable(false)
		kept := graph.Mul(variable.NodeValue(g), graph.Where(finite, scalar(beta), one))
		updated := graph.Add(kept, graph.MulScalar(value, 1-beta))
		variable.SetNodeValue(updated)
		return updated
	}
	for i, v := range variables {
		gradient := graph.Where(finite, gradients[i], none)
		if o.Clip > 0 {
			// torch.nn.utils.clip_grad_norm_
			scale := graph.MinScalar(graph.Div(scalar(o.Clip), graph.AddScalar(norm, 1e-6)), 1)
			gradient = graph.Mul(gradient, graph.Where(finite, scale, none))
		}
		m := moment("m", v, o.Beta1, gradient)
		s := moment("v", v, o.Beta2, graph.Square(gradient))
		value := v.NodeValue(g)
		if o.DecayAll || v.Shape().Rank() > 1 {
			value = graph.Mul(value, decay)
		}
		denominator := graph.AddScalar(graph.Mul(graph.Sqrt(s), correction), o.Epsilon)
		v.SetNodeValue(graph.Sub(value, graph.Mul(graph.Div(m, denominator), rate)))
	}
	return norm
}

// gradientsOf returns the gradients of a scalar with respect to variables.
func gradientsOf(scalar *graph.Node, variables []*model.Variable) []*graph.Node {
	if len(variables) == 0 {
		return nil
	}
	values := make([]*graph.Node, len(variables))
	for i, v := range variables {
		values[i] = v.NodeValue(scalar.Graph())
	}
	return graph.Gradient(scalar, values...)
}

// trainableOf lists the trainable variables that a graph uses, by path.
func trainableOf(store *model.Store, g *graph.Graph) []*model.Variable {
	var used []*model.Variable
	for v := range store.IterVariables() {
		if v.Trainable && v.InUseByGraph(g) {
			used = append(used, v)
		}
	}
	slices.SortFunc(used, func(a, b *model.Variable) int { return cmp.Compare(a.Path(), b.Path()) })
	return used
}

// globalNorm is the L2 norm of all gradients taken together.
func globalNorm(gradients []*graph.Node) *graph.Node {
	var total *graph.Node
	for _, gradient := range gradients {
		squares := graph.ReduceAllSum(graph.Square(gradient))
		if total == nil {
			total = squares
		} else {
			total = graph.Add(total, squares)
		}
	}
	return graph.Sqrt(total)
}
