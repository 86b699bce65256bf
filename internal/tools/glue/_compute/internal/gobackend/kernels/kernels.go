// Package kernels registers functions of the Go backend for float32 that compute with
// infbench/metrics/kernel. Cases they do not support (other data types, dynamic shapes,
// unusual axes) go to the functions registered before them.
//
// A result does not depend on the number of workers: a kernel gives the same result for any
// division of its work, and divided parts are never added up.
package kernels

import (
	"runtime"
	"sync/atomic"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/internal/gobackend"

	// Registered before this package, which falls back to them.
	_ "github.com/gomlx/compute/internal/gobackend/dot"
	_ "github.com/gomlx/compute/internal/gobackend/dot/matmul"
	_ "github.com/gomlx/compute/internal/gobackend/fusedops"
	_ "github.com/gomlx/compute/internal/gobackend/ops"
	_ "github.com/gomlx/compute/internal/gobackend/passes"

	"infbench/metrics/kernel"
)

// Name is the name under which the backend with kernels is registered; "go" is registered
// too, with the same kernels. A program can tell by this name that it was built with this
// package.
const Name = "go+kernels"

func init() { compute.Register(Name, gobackend.New) }

// executor computes a node; it returns false if it cannot.
type executor func(c call) (*gobackend.Buffer, bool)

// call has the arguments of an executor.
type call struct {
	backend *gobackend.Backend
	node    *gobackend.Node
	inputs  []*gobackend.Buffer
	owned   []bool
}

// register puts an executor for float32 before the registered one.
func register(op compute.OpType, do executor) {
	before := gobackend.ExecutorOf(op)
	gobackend.SetNodeExecutor(op, gobackend.PriorityArch, func(b *gobackend.Backend, n *gobackend.Node, inputs []*gobackend.Buffer, owned []bool) (*gobackend.Buffer, error) {
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
func (c call) output(reusable ...int) (*gobackend.Buffer, []float32) {
	for _, i := range reusable {
		if b := c.inputs[i]; b != nil && c.owned[i] && b.RawShape.Equal(c.node.Shape) {
			c.inputs[i] = nil // taken
			return b, b.Flat.([]float32)
		}
	}
	b, err := c.backend.GetBuffer(c.node.Shape)
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
func each(b *gobackend.Backend) kernel.Each {
	return func(n int, do func(i int)) {
		helpers := min(n, b.Workers.AdjustedMaxParallelism(), runtime.GOMAXPROCS(0)) - 1
		if !b.Workers.IsEnabled() || helpers < 1 {
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
			if !b.Workers.StartIfAvailable(work) {
				break
			}
		}
		work()
		<-finished
	}
}
