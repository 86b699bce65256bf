// Package backend opens GoMLX's Go backend, which it makes compute float32 with
// infbench/metrics/kernel. Import it for this effect:
//
//	import _ "infbench/training/backend"
//
// Cases that the kernels do not support (other data types, dynamic shapes, unusual axes) go to
// the functions registered before them.
//
// A result does not depend on the number of workers: a kernel gives the same result for any
// division of its work, and divided parts are never added up.
package backend

import (
	"runtime"
	"sync/atomic"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"

	"infbench/metrics/kernel"
)

// notUsed is the reason why the kernels are not used; nil if they are.
var notUsed error

// Kernels names the kernel set that the backend computes with: avx512bf16, avx512, avx2, neon or
// portable.
// If the program has another version of GoMLX's backend, which these kernels do not fit, it
// returns why they are not used.
func Kernels() (set string, why error) {
	if notUsed != nil {
		return "", notUsed
	}
	return kernel.Name(), nil
}

func init() {
	if notUsed = fits(); notUsed != nil {
		return
	}
	registerTransformation(0, identities{})
	registerProducts()
	registerElements()
	registerRows()
	registerCopies()
}

// executor computes a node; it returns false if it cannot.
type executor func(c call) (*buffer, bool)

// call has the arguments of an executor.
type call struct {
	backend *goBackend
	node    *node
	inputs  []*buffer
	owned   []bool
}

// register puts an executor for float32 before the registered one.
func register(op compute.OpType, do executor) {
	before := nodeExecutors[op]
	setNodeExecutor(op, archPriority, func(b *goBackend, n *node, inputs []*buffer, owned []bool) (*buffer, error) {
		if n.Shape.DType == dtypes.Float32 && !n.Shape.IsDynamic() {
			if out, ok := do(call{b, n, inputs, owned}); ok {
				return out, nil
			}
		}
		return before(b, n, inputs, owned)
	})
}

// in returns the values of an input; ok is false if they are not float32.
func (c call) in(i int) (values []float32, ok bool) {
	values, ok = c.inputs[i].Flat.([]float32)
	return values, ok
}

// output returns a buffer for the result: that of a reusable input of the same shape which
// nothing else needs, if there is one, else a new buffer.
func (c call) output(reusable ...int) (*buffer, []float32) {
	for _, i := range reusable {
		if b := c.inputs[i]; b != nil && c.owned[i] && b.RawShape.Equal(c.node.Shape) {
			c.inputs[i] = nil // taken
			return b, b.Flat.([]float32)
		}
	}
	b, err := getBuffer(c.backend, c.node.Shape)
	if err != nil {
		return nil, nil
	}
	return b, b.Flat.([]float32)
}

// few is the number of values below which a goroutine does not pay.
const few = 1 << 14

// ranges calls do for parts of n units of some values each, concurrently if that pays.
func (c call) ranges(n, values int, do func(from, to int)) {
	part := max(1, few/max(1, values))
	if n <= part {
		do(0, n)
		return
	}
	each(c.backend)((n+part-1)/part, func(i int) { do(i*part, min(n, (i+1)*part)) })
}

// each shares work among the backend's workers and the caller. The caller takes part, so it
// does not wait for workers that have not begun.
func each(b *goBackend) kernel.Each {
	return func(n int, do func(i int)) {
		helpers := min(n, adjustedMaxParallelism(b.Workers), runtime.GOMAXPROCS(0)) - 1
		if !isEnabled(b.Workers) || helpers < 1 {
			kernel.InTurn(n, do)
			return
		}
		var begun, done atomic.Int64
		finished := make(chan struct{})
		work := func() {
			for i := int(begun.Add(1)) - 1; i < n; i = int(begun.Add(1)) - 1 {
				do(i)
				if int(done.Add(1)) == n {
					close(finished)
				}
			}
		}
		for range helpers {
			if !startIfAvailable(b.Workers, work) {
				break
			}
		}
		work()
		<-finished
	}
}
