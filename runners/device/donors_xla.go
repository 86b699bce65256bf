//go:build xla

package device

import (
	"reflect"
	"slices"
	"sync"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/go-xla/compute/xla"
	"github.com/gomlx/go-xla/stablehlo"
)

// donating is a backend of go-xla that writes the new value of a variable into the memory
// of the old one. XLA does so where the program says it of an argument as it is compiled
// (tf.aliasing_output); go-xla v0.4.1 says it of none (compute/xla/function.go, Parameter,
// takes no attributes), and only has the argument destroyed after the execution, so that
// weights and moments are there twice. Which arguments are given away GoMLX says when it
// executes a program, and which result is whose variable's follows from the order of the
// store: so a program is compiled at its first execution. An argument that is marked, and
// is not given away another time, is copied by XLA.
//
// Buffers name the backend that they are of, and so are wrapped, too.
type donating struct {
	compute.Backend
	mu    sync.Mutex
	order func() []string // paths of the variables that programs change, in the order of their results
}

// donate wraps a backend, if it is go-xla's.
func donate(b compute.Backend) compute.Backend {
	if _, ok := b.(*xla.Backend); !ok {
		return b
	}
	return &donating{Backend: b, order: func() []string { return nil }}
}

// OrderVariables says in which order the results of programs that change variables begin
// with those: that of the store, by path. It is asked for as a program is compiled.
func (d *donating) OrderVariables(paths func() []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.order = paths
}

// Builder implements compute.Backend.
func (d *donating) Builder(name string) compute.Builder {
	b := d.Backend.Builder(name)
	if b == nil {
		return nil
	}
	return donatingBuilder{b, d}
}

// BufferFromFlatData implements compute.DataInterface.
func (d *donating) BufferFromFlatData(device compute.DeviceNum, flat any, shape shapes.Shape) (compute.Buffer, error) {
	b, err := d.Backend.BufferFromFlatData(device, flat, shape)
	return d.wrap(b, err)
}

// NewSharedBuffer implements compute.DataInterface.
func (d *donating) NewSharedBuffer(device compute.DeviceNum, shape shapes.Shape) (buffer compute.Buffer, flat any, err error) {
	buffer, flat, err = d.Backend.NewSharedBuffer(device, shape)
	buffer, err = d.wrap(buffer, err)
	return buffer, flat, err
}

func (d *donating) wrap(b compute.Buffer, err error) (compute.Buffer, error) {
	if err != nil {
		return nil, err
	}
	return donatingBuffer{b, d}, nil
}

// donatingBuffer is a buffer of a donating backend.
type donatingBuffer struct {
	compute.Buffer
	of *donating
}

// Backend implements compute.Buffer.
func (b donatingBuffer) Backend() compute.Backend { return b.of }

// CopyToDevice implements compute.Buffer.
func (b donatingBuffer) CopyToDevice(device compute.DeviceNum) (compute.Buffer, error) {
	there, err := b.Buffer.CopyToDevice(device)
	return b.of.wrap(there, err)
}

// donatingBuilder builds a program that is compiled later.
type donatingBuilder struct {
	compute.Builder
	of *donating
}

// Compile implements compute.Builder.
func (b donatingBuilder) Compile() (compute.Executable, error) {
	return &donatingProgram{builder: b}, nil
}

// donatingProgram is a program that is compiled at its first execution.
type donatingProgram struct {
	builder  donatingBuilder
	once     sync.Once
	compiled compute.Executable
	err      error
}

// program is the compiled one, where donated says which arguments are given away.
func (p *donatingProgram) program(donated []bool) (compute.Executable, error) {
	p.once.Do(func() {
		if main := mainFunction(p.builder.Builder); main != nil {
			p.builder.of.alias(main, donated)
		}
		p.compiled, p.err = p.builder.Builder.Compile()
	})
	return p.compiled, p.err
}

// alias marks the arguments that are given away with the results that take their places:
// variables with their new values, others with the next result of their shape.
func (d *donating) alias(main *stablehlo.Function, donated []bool) {
	if len(donated) != len(main.Inputs) { // a program of several devices
		return
	}
	left, taken := slices.Clone(donated), make([]bool, len(main.Outputs))
	give := func(argument, result int) {
		mark(main.Inputs[argument], "tf.aliasing_output", int32(result))
		left[argument], taken[result] = false, true
	}
	at := map[string]int{}
	for i, input := range main.Inputs {
		at[input.String()] = i
	}
	d.mu.Lock()
	order := d.order()
	d.mu.Unlock()
	result := 0
	for _, path := range order {
		i, used := at["%"+stablehlo.ConvertToValidName(path)]
		if !used || !left[i] || result == len(main.Outputs) || !same(main.Inputs[i], main.Outputs[result]) {
			continue
		}
		give(i, result)
		result++
	}
	for i, input := range main.Inputs {
		for k, out := range main.Outputs {
			if left[i] && !taken[k] && same(input, out) {
				give(i, k)
			}
		}
	}
}

// same says whether two values have the same shape and type.
func same(a, b *stablehlo.Value) bool { return a.Shape().Equal(b.Shape()) }

func mark(v *stablehlo.Value, attribute string, value any) {
	if v.Attributes == nil {
		v.Attributes = map[string]any{}
	}
	v.Attributes[attribute] = value
}

// mainFunction is the function that go-xla builds, which it keeps to itself though all of
// it is exported; nil where another version has it elsewhere: a program without donors
// computes the same in more memory.
func mainFunction(b compute.Builder) *stablehlo.Function {
	of, ok := b.Main().(*xla.Function)
	if !ok {
		return nil
	}
	field := reflect.ValueOf(of).Elem().FieldByName("fn")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*stablehlo.Function]() {
		return nil
	}
	return (*stablehlo.Function)(field.UnsafePointer())
}

// Inputs implements compute.Executable.
func (p *donatingProgram) Inputs() (names []string, inputs []shapes.Shape) {
	if e, err := p.program(nil); err == nil {
		return e.Inputs()
	}
	return nil, nil
}

// Outputs implements compute.Executable.
func (p *donatingProgram) Outputs() []shapes.Shape {
	if e, err := p.program(nil); err == nil {
		return e.Outputs()
	}
	return nil
}

// Finalize implements compute.Executable.
func (p *donatingProgram) Finalize() {
	if p.compiled != nil {
		p.compiled.Finalize()
	}
}

// Execute implements compute.Executable.
func (p *donatingProgram) Execute(inputs []compute.Buffer, donated []bool, device compute.DeviceNum) ([]compute.Buffer, error) {
	e, err := p.program(donated)
	if err != nil {
		return nil, err
	}
	own := make([]compute.Buffer, len(inputs))
	for i, b := range inputs {
		if wrapped, ok := b.(donatingBuffer); ok {
			b = wrapped.Buffer
		}
		own[i] = b
	}
	out, err := e.Execute(own, donated, device)
	if err != nil {
		return nil, err
	}
	for i := range out {
		out[i] = donatingBuffer{out[i], p.builder.of}
	}
	return out, nil
}
