package encoder

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
)

// activations maps hidden_act of config.json to functions, by the names of transformers' ACT2FN.
func activations() map[string]func(*graph.Node) *graph.Node {
	return map[string]func(*graph.Node) *graph.Node{
		"relu":              relu,
		"relu6":             func(x *graph.Node) *graph.Node { return graph.MinScalar(relu(x), 6.0) },
		"relu2":             func(x *graph.Node) *graph.Node { return graph.Square(relu(x)) },
		"leaky_relu":        func(x *graph.Node) *graph.Node { return graph.Max(x, graph.MulScalar(x, 0.01)) },
		"gelu":              gelu,
		"gelu_python":       gelu,
		"gelu_10":           func(x *graph.Node) *graph.Node { return graph.ClipScalar(gelu(x), -10.0, 10.0) },
		"gelu_new":          geluTanh,
		"gelu_pytorch_tanh": geluTanh,
		"gelu_fast":         geluTanh, // the same function with different rounding
		"gelu_accurate":     geluTanh,
		"quick_gelu":        func(x *graph.Node) *graph.Node { return graph.Mul(x, graph.Logistic(graph.MulScalar(x, 1.702))) },
		"silu":              silu,
		"swish":             silu,
		"mish":              mish,
		"sigmoid":           graph.Logistic,
		"tanh":              graph.Tanh,
		"linear":            func(x *graph.Node) *graph.Node { return x },
	}
}

// activate applies the configuration's activation.
func (n *network) activate(x *graph.Node) *graph.Node {
	return n.activateBy(n.config.HiddenAct, x)
}

// activateBy applies the activation with that name, in float32.
func (n *network) activateBy(name string, x *graph.Node) *graph.Node {
	if name == "gelu" && (n.mode.isPlain() || n.mode.Wide) {
		return fusedGelu(x)
	}
	return n.between(activations()[name](wide(x)))
}

func relu(x *graph.Node) *graph.Node { return graph.MaxScalar(x, 0.0) }

// geluTanh is gelu's approximation by tanh.
func geluTanh(x *graph.Node) *graph.Node {
	inner := graph.Add(x, graph.MulScalar(graph.Mul(x, graph.Square(x)), 0.044715))
	t := graph.Tanh(graph.MulScalar(inner, math.Sqrt(2/math.Pi)))
	return graph.Mul(graph.MulScalar(x, 0.5), graph.AddScalar(t, 1.0))
}

// silu is x sigmoid(x).
func silu(x *graph.Node) *graph.Node { return graph.Mul(x, graph.Logistic(x)) }

// mish is x tanh(softplus(x)) (Misra 2019), with a softplus that cannot overflow.
func mish(x *graph.Node) *graph.Node {
	zero := graph.ScalarZero(x.Graph(), dtypes.Float32)
	softplus := graph.Add(graph.Max(x, zero), graph.Log1P(graph.Exp(graph.Neg(graph.Abs(x)))))
	return graph.Mul(x, graph.Tanh(softplus))
}
