package backend

import (
	"reflect"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapeinference"
	"github.com/gomlx/compute/shapes"

	"infbench/metrics/kernel"
)

// product is the data of our DotGeneral node. Upstream transposes operands into the layout of
// its kernels; here the operands are read and the result is written in place, by steps along
// merged axes.
type product struct {
	a, b    int // offsets of the operands in the values of their nodes
	m, n, k axis
	outer   []axis // independent products
	sums    []axis // products to add up, in order
	places  []int  // steps of its axes (batch, lhs, rhs) in the result
	lhs     view
	rhs     view
	with    contraction
	rounded bool // operands are rounded to bfloat16
}

// contraction has the arguments of DotGeneral.
type contraction struct{ lhsContracting, lhsBatch, rhsContracting, rhsBatch []int }

// The steps of an axis: in the operands and in the result.
const (
	inA = iota
	inB
	inC
)

// planned is the data of a node. It is not a pointer, as upstream compares what pointers
// point to with ==.
type planned struct{ *product }

// equals reports whether two products of the same operands compute the same.
func (p *product) equals(o *product) bool {
	return p.a == o.a && p.b == o.b && p.rounded == o.rounded && reflect.DeepEqual([]axis{p.m, p.n, p.k}, []axis{o.m, o.n, o.k}) &&
		reflect.DeepEqual(p.outer, o.outer) && reflect.DeepEqual(p.sums, o.sums)
}

// The functions for cases that products do not support.
var (
	theirDotGeneral dotGeneralFunc
	theirTranspose  transposeFunc
)

func registerProducts() {
	theirDotGeneral, theirTranspose = registerDotGeneral.Fn, registerTranspose.Fn
	registerDotGeneral.Fn, registerDotGeneral.Priority = dotGeneral, archPriority
	registerTranspose.Fn, registerTranspose.Priority = transpose, archPriority
	before := nodeExecutors[compute.OpTypeDotGeneral]
	setNodeExecutor(compute.OpTypeDotGeneral, archPriority, func(b *goBackend, n *node, inputs []*buffer, owned []bool) (*buffer, error) {
		if p, ok := n.Data.(planned); ok {
			return p.run(b, n.Shape, inputs)
		}
		return before(b, n, inputs, owned)
	})
}

// dotGeneral builds the node, or has upstream build it.
func dotGeneral(f *function, lhs compute.Value, lhsContracting, lhsBatch []int, rhs compute.Value, rhsContracting, rhsBatch []int, config compute.DotGeneralConfig) (compute.Value, error) {
	nodes, err := verifyAndCastValues(f, "DotGeneral", lhs, rhs)
	if err != nil {
		return nil, err
	}
	shape, err := shapeinference.DotGeneral(nodes[0].Shape, lhsContracting, lhsBatch, nodes[1].Shape, rhsContracting, rhsBatch, config)
	if err != nil {
		return nil, err
	}
	if shape.DType == dtypes.Float32 && ours(nodes[0].Shape) && ours(nodes[1].Shape) {
		p := &product{
			lhs: viewOf(nodes[0]), rhs: viewOf(nodes[1]), with: contraction{lhsContracting, lhsBatch, rhsContracting, rhsBatch},
			rounded: nodes[0].Shape.DType == dtypes.BFloat16,
		}
		if p.readsFloat32() && p.plan(contiguous(shape.Dimensions)) {
			return p.node(f, shape).value(), nil
		}
	}
	return theirDotGeneral(f, lhs, lhsContracting, lhsBatch, rhs, rhsContracting, rhsBatch, config)
}

// ours reports whether an operand is of a type that the kernels multiply, of known size and not
// empty.
func ours(s shapes.Shape) bool {
	return (s.DType == dtypes.Float32 || s.DType == dtypes.BFloat16 && kernel.HasBFloat16()) && !s.IsDynamic() && s.Size() > 0
}

// readsFloat32 reports whether both operands are in memory as float32: those of bfloat16 were
// converted from it.
func (p *product) readsFloat32() bool {
	return p.lhs.base.Shape.DType == dtypes.Float32 && p.rhs.base.Shape.DType == dtypes.Float32
}

// node returns the node of a product in f: an equal one, if there is one, else a new one.
func (p *product) node(f *function, shape shapes.Shape) *node {
	inputs := []*node{p.lhs.base, p.rhs.base}
	for _, n := range f.Nodes {
		if o, ok := n.Data.(planned); ok && slices.Equal(n.Inputs, inputs) && n.Shape.Equal(shape) && o.equals(p) {
			return n
		}
	}
	n, _ := getOrCreateNode(f, compute.OpTypeDotGeneral, shape, inputs, planned{p})
	return n
}

// transpose makes a product write its result transposed.
func transpose(f *function, x compute.Value, permutation ...int) (compute.Value, error) {
	nodes, err := verifyAndCastValues(f, "Transpose", x)
	if err != nil {
		return nil, err
	}
	if of, ok := original(nodes[0]).Data.(planned); ok {
		shape, err := shapeinference.Transpose(nodes[0].Shape, permutation)
		if err != nil {
			return nil, err
		}
		places := make([]int, len(permutation))
		for to, stride := range contiguous(shape.Dimensions) {
			places[permutation[to]] = stride
		}
		// of.places are those of a result that is untransposed, or was transposed before.
		if slices.Equal(of.places, contiguous(nodes[0].Shape.Dimensions)) {
			p := &product{lhs: of.lhs, rhs: of.rhs, with: of.with, rounded: of.rounded}
			if p.plan(places) {
				return p.node(f, shape).value(), nil
			}
		}
	}
	return theirTranspose(f, x, permutation...)
}

// plan finds the loops of a product; places are the steps of the result's axes in the order
// batch, lhs, rhs. It fails if no axis of the result has consecutive elements.
func (p *product) plan(places []int) bool {
	p.places, p.a, p.b = places, p.lhs.offset, p.rhs.offset
	var batch, m, n, k []axis
	at := 0
	for i, axis := range p.with.lhsBatch {
		batch = append(batch, stepped(p.lhs.dims[axis], p.lhs.strides[axis], p.rhs.strides[p.with.rhsBatch[i]], places[at]))
		at++
	}
	for axis := range p.lhs.dims {
		if !slices.Contains(p.with.lhsBatch, axis) && !slices.Contains(p.with.lhsContracting, axis) {
			m = append(m, stepped(p.lhs.dims[axis], p.lhs.strides[axis], 0, places[at]))
			at++
		}
	}
	for axis := range p.rhs.dims {
		if !slices.Contains(p.with.rhsBatch, axis) && !slices.Contains(p.with.rhsContracting, axis) {
			n = append(n, stepped(p.rhs.dims[axis], 0, p.rhs.strides[axis], places[at]))
			at++
		}
	}
	for i, axis := range p.with.lhsContracting {
		k = append(k, stepped(p.lhs.dims[axis], p.lhs.strides[axis], p.rhs.strides[p.with.rhsContracting[i]], 0))
	}
	m, n, k = merge(m), merge(n), merge(k)
	// The rows of the result run along N; if they run along M, C' = B'·A' is computed.
	if consecutive(n) < 0 && (consecutive(m) >= 0 || len(n) > 0) {
		if consecutive(m) < 0 {
			return false
		}
		p.lhs, p.rhs, p.a, p.b = p.rhs, p.lhs, p.b, p.a
		p.with = contraction{p.with.rhsContracting, p.with.rhsBatch, p.with.lhsContracting, p.with.lhsBatch}
		m, n = n, m
		for _, list := range [][]axis{batch, m, n, k} {
			for i, a := range list {
				list[i] = stepped(a.size, a.steps[inB], a.steps[inA], a.steps[inC])
			}
		}
		p.places = nil // not to be transposed again
	}
	var more []axis
	p.n, more = without(n, consecutive(n))
	p.outer = append(batch, more...)
	p.m, more = without(m, largest(m))
	p.outer = merge(append(p.outer, more...))
	p.k, p.sums = without(k, largest(k))
	slices.SortStableFunc(p.outer, func(a, b axis) int { return a.size - b.size })
	return true
}

func stepped(size, a, b, c int) axis { return axis{size, []int{a, b, c}} }

// consecutive returns the axis along which the result's elements are neighbours, or -1.
func consecutive(list []axis) int {
	return slices.IndexFunc(list, func(a axis) bool { return a.steps[inC] == 1 })
}

func largest(list []axis) int {
	best := -1
	for i, a := range list {
		if best < 0 || a.size > list[best].size {
			best = i
		}
	}
	return best
}

// without removes an axis from a list and returns both; -1 gives an axis of size 1.
func without(list []axis, i int) (axis, []axis) {
	if i < 0 {
		return axis{1, []int{0, 0, 0}}, list
	}
	return list[i], slices.Delete(slices.Clone(list), i, i+1)
}

// run computes the node. The largest of the outer axes is the kernel's batch.
func (p *product) run(b *goBackend, shape shapes.Shape, inputs []*buffer) (*buffer, error) {
	out, err := getBuffer(b, shape)
	if err != nil {
		return nil, err
	}
	batch, outer := axis{1, []int{0, 0, 0}}, p.outer
	if n := len(outer) - 1; n >= 0 {
		batch, outer = outer[n], outer[:n]
	}
	lhs, rhs, c := inputs[0].Flat.([]float32)[p.a:], inputs[1].Flat.([]float32)[p.b:], out.Flat.([]float32)
	one := func(at int, each kernel.Each) {
		from := place(outer, at)
		for s := range count(p.sums) {
			more := place(p.sums, s)
			(&kernel.Product{
				M: p.m.size, N: p.n.size, K: p.k.size,
				A: kernel.View{Data: lhs[from[inA]+more[inA]:], Row: p.m.steps[inA], Column: p.k.steps[inA]},
				B: kernel.View{Data: rhs[from[inB]+more[inB]:], Row: p.k.steps[inB], Column: p.n.steps[inB]},
				C: c[from[inC]:], CRow: max(p.m.steps[inC], p.n.size),
				Batch: batch.size, ABatch: batch.steps[inA], BBatch: batch.steps[inB], CBatch: batch.steps[inC],
				Accumulate: s > 0, BFloat16: p.rounded,
			}).Run(each)
		}
	}
	if n := count(outer); n == 1 {
		one(0, each(b))
	} else {
		each(b)(n, func(i int) { one(i, kernel.InTurn) })
	}
	return out, nil
}

// count is the number of positions along all axes together; place is the position of one of
// them.
func count(axes []axis) int {
	n := 1
	for _, a := range axes {
		n *= a.size
	}
	return n
}

func place(axes []axis, i int) (steps [3]int) {
	for k := len(axes) - 1; k >= 0; k-- {
		at := i % axes[k].size
		i /= axes[k].size
		for t := range steps {
			steps[t] += at * axes[k].steps[t]
		}
	}
	return steps
}
