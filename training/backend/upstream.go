package backend

import (
	"fmt"
	"reflect"
	"sync"
	"unsafe"

	"github.com/gomlx/compute"
	upstream "github.com/gomlx/compute/gobackend"
	"github.com/gomlx/compute/notimplemented"
	"github.com/gomlx/compute/shapes"
)

// GoMLX's Go backend lets only packages of its own module replace its functions. This file
// reaches them by their names in the linker (go:linkname) and mirrors the types that they
// use, up to the last field that is needed here. Nothing of a mirrored type is made here.
// fits compares the types with upstream's, field by field, before anything is registered;
// testdata/relies.sum has the hashes of the files whose meaning the kernels rely on.

// goBackend mirrors upstream's Backend.
type goBackend struct {
	_       sync.Map
	Workers *pool
}

// pool mirrors workerspool.Pool.
type pool struct{ _ int }

// builder mirrors Builder.
type builder struct {
	notimplemented.Builder
	_         string
	_         *goBackend
	_         bool
	_         *function
	Functions []*function
}

// function mirrors Function.
type function struct {
	notimplemented.Function
	_     *builder
	_     string
	_     *function
	_     bool
	Nodes []*node
}

// node mirrors Node.
type node struct {
	_      int
	Inputs []*node
	_      [][]*node
	OpType compute.OpType
	Shape  shapes.Shape
	_      *builder
	_      *function
	_      []shapes.Shape
	_      []*node
	_      bool
	_      int
	Data   any
}

// buffer mirrors Buffer.
type buffer struct {
	_        *goBackend
	RawShape shapes.Shape
	_, _     bool
	_        []byte
	Flat     any
}

// nodeExecutor mirrors NodeExecutor.
type nodeExecutor func(b *goBackend, n *node, inputs []*buffer, owned []bool) (*buffer, error)

// transformation mirrors GraphTransformation.
type transformation interface {
	Apply(b *builder) (unordered bool, err error)
	Name() string
}

// registration mirrors OpHandlerRegistration.
type registration[F any] struct {
	Method   string
	Priority int
	Fn       F
}

type (
	dotGeneralFunc = func(f *function, lhs compute.Value, lhsContracting, lhsBatch []int, rhs compute.Value, rhsContracting, rhsBatch []int, config compute.DotGeneralConfig) (compute.Value, error)
	transposeFunc  = func(f *function, x compute.Value, permutation ...int) (compute.Value, error)
)

// archPriority is upstream's PriorityArch, for functions of one architecture.
const archPriority = 10

//go:linkname nodeExecutors github.com/gomlx/compute/internal/gobackend.nodeExecutors
var nodeExecutors [compute.OpTypeLast]nodeExecutor

//go:linkname registerDotGeneral github.com/gomlx/compute/internal/gobackend.RegisterDotGeneral
var registerDotGeneral registration[dotGeneralFunc]

//go:linkname registerTranspose github.com/gomlx/compute/internal/gobackend.RegisterTranspose
var registerTranspose registration[transposeFunc]

//go:linkname setNodeExecutor github.com/gomlx/compute/internal/gobackend.SetNodeExecutor
func setNodeExecutor(op compute.OpType, priority int, do nodeExecutor)

//go:linkname registerTransformation github.com/gomlx/compute/internal/gobackend.RegisterTransformation
func registerTransformation(priority int, t transformation)

//go:linkname verifyAndCastValues github.com/gomlx/compute/internal/gobackend.(*Function).VerifyAndCastValues
func verifyAndCastValues(f *function, name string, values ...compute.Value) ([]*node, error)

//go:linkname getOrCreateNode github.com/gomlx/compute/internal/gobackend.(*Function).GetOrCreateNode
func getOrCreateNode(f *function, op compute.OpType, shape shapes.Shape, inputs []*node, data any) (n *node, found bool)

//go:linkname getBuffer github.com/gomlx/compute/internal/gobackend.(*Backend).GetBuffer
func getBuffer(b *goBackend, shape shapes.Shape) (*buffer, error)

//go:linkname adjustedMaxParallelism github.com/gomlx/compute/internal/gobackend/workerspool.(*Pool).AdjustedMaxParallelism
func adjustedMaxParallelism(w *pool) int

//go:linkname isEnabled github.com/gomlx/compute/internal/gobackend/workerspool.(*Pool).IsEnabled
func isEnabled(w *pool) bool

//go:linkname startIfAvailable github.com/gomlx/compute/internal/gobackend/workerspool.(*Pool).StartIfAvailable
func startIfAvailable(w *pool, task func()) bool

// theirNode is the type of upstream's nodes.
var theirNode reflect.Type

// value returns a node as upstream expects it: with upstream's type.
func (n *node) value() compute.Value {
	return reflect.NewAt(theirNode, unsafe.Pointer(n)).Interface()
}

// fits returns an error that names the first difference between upstream's types and their
// mirrors, and finds theirNode.
func fits() error {
	b, err := upstream.New("")
	if err != nil {
		return err
	}
	defer b.Finalize()
	main := b.Builder("").Main()
	theirs := reflect.TypeOf(main)
	nodes, ok := theirs.Elem().FieldByName("Nodes")
	if !ok {
		return fmt.Errorf("%s has no field Nodes", theirs)
	}
	theirNode = nodes.Type.Elem().Elem()
	workers, ok := reflect.TypeOf(b).Elem().FieldByName("Workers")
	if !ok {
		return fmt.Errorf("%T has no field Workers", b)
	}
	known := mirrors{}
	for _, m := range []struct {
		of   reflect.Type
		name string
		ours any
	}{
		{theirs, "VerifyAndCastValues", verifyAndCastValues},
		{theirs, "GetOrCreateNode", getOrCreateNode},
		{reflect.TypeOf(b), "GetBuffer", getBuffer},
		{workers.Type, "AdjustedMaxParallelism", adjustedMaxParallelism},
		{workers.Type, "IsEnabled", isEnabled},
		{workers.Type, "StartIfAvailable", startIfAvailable},
	} {
		method, ok := m.of.MethodByName(m.name)
		if !ok {
			return fmt.Errorf("%s has no method %s", m.of, m.name)
		}
		if err := known.same(reflect.TypeOf(m.ours), method.Type); err != nil {
			return fmt.Errorf("%s.%s: %w", m.of, m.name, err)
		}
	}
	if registerDotGeneral.Method != "DotGeneral" || registerTranspose.Method != "Transpose" || nodeExecutors[compute.OpTypeDotGeneral] == nil {
		return fmt.Errorf("%T has other registries", b)
	}
	return nil
}

// mirrors has the types found to be mirrors of upstream's.
type mirrors map[reflect.Type]reflect.Type

// same returns an error unless values of our type can be used as values of theirs.
func (known mirrors) same(ours, theirs reflect.Type) error {
	if ours == theirs || known[ours] == theirs {
		return nil
	}
	if ours.Kind() != theirs.Kind() {
		return fmt.Errorf("%s is not a %s", theirs, ours.Kind())
	}
	switch ours.Kind() {
	case reflect.Pointer, reflect.Slice:
		return known.same(ours.Elem(), theirs.Elem())
	case reflect.Func:
		if ours.NumIn() != theirs.NumIn() || ours.NumOut() != theirs.NumOut() {
			return fmt.Errorf("%s has other arguments", theirs)
		}
		for i := range ours.NumIn() {
			if err := known.same(ours.In(i), theirs.In(i)); err != nil {
				return err
			}
		}
		for i := range ours.NumOut() {
			if err := known.same(ours.Out(i), theirs.Out(i)); err != nil {
				return err
			}
		}
		return nil
	case reflect.Struct:
		known[ours] = theirs
		for i := range ours.NumField() {
			if i >= theirs.NumField() {
				return fmt.Errorf("%s has fewer fields", theirs)
			}
			a, b := ours.Field(i), theirs.Field(i)
			if a.Name != b.Name && a.Name != "_" || a.Offset != b.Offset {
				return fmt.Errorf("field %s of %s is in the place of %s", b.Name, theirs, a.Name)
			}
			if err := known.same(a.Type, b.Type); err != nil {
				return fmt.Errorf("field %s of %s: %w", b.Name, theirs, err)
			}
		}
		return nil
	}
	if ours.Size() != theirs.Size() || ours.Kind() == reflect.Interface || ours.Kind() == reflect.Map {
		return fmt.Errorf("%s is not %s", theirs, ours)
	}
	return nil
}

// field returns a field of a node's data, which is a pointer to a struct of upstream's
// package for the operation; ok is false if there is none.
func field(data any, name string) (v reflect.Value, ok bool) {
	p := reflect.ValueOf(data)
	if p.Kind() != reflect.Pointer || p.Elem().Kind() != reflect.Struct {
		return reflect.Value{}, false
	}
	v = p.Elem().FieldByName(name)
	return v, v.IsValid()
}

// list returns a field of integers.
func list(data any, name string) (values []int, ok bool) {
	v, ok := field(data, name)
	if !ok || v.Kind() != reflect.Slice {
		return nil, false
	}
	values = make([]int, v.Len())
	for i := range values {
		values[i] = int(v.Index(i).Int())
	}
	return values, true
}
