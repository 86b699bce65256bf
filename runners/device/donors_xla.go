//go:build xla

package device

import (
	"bytes"
	"crypto/sha256"
	"reflect"
	"slices"
	"sync"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/go-xla/compute/xla"
	"github.com/gomlx/go-xla/stablehlo"
)

// donating is a go-xla backend that writes the new value of a variable into the memory of the
// old one. XLA does so for an argument that the program marks at compile time
// (tf.aliasing_output). go-xla v0.4.1 marks no arguments (compute/xla/function.go, Parameter,
// takes no attributes): it only destroys a donated argument after the execution, so weights and
// moments are in memory twice. GoMLX names the donated arguments only when it executes a
// program, and the order of the store decides which result belongs to which variable. A program
// is therefore compiled at its first execution. XLA copies an argument that is marked but not
// donated in a later execution.
//
// Buffers name their backend, so they are wrapped, too.
type donating struct {
	compute.Backend
	mu    sync.Mutex
	order func() []string                          // paths of the variables that programs change, in the order of their results
	kept  map[[sha256.Size]byte]compute.Executable // programs by their text; nil if they are not kept
}

// donate wraps a backend of go-xla and returns any other unchanged.
func donate(b compute.Backend) compute.Backend {
	if _, ok := b.(*xla.Backend); !ok {
		return b
	}
	return &donating{Backend: b, order: func() []string { return nil }}
}

// keepPrograms makes a backend compile programs of the same text once. It keeps them until the end
// of the process.
func keepPrograms(b compute.Backend) {
	if d, ok := b.(*donating); ok {
		d.kept = map[[sha256.Size]byte]compute.Executable{}
	}
}

// compile compiles a program, or returns a kept one of the same text.
func (d *donating) compile(b compute.Builder, main *stablehlo.Function) (program compute.Executable, kept bool, err error) {
	if d.kept == nil || main == nil {
		program, err = b.Compile()
		return program, false, err
	}
	text, err := main.Builder.Build()
	if err != nil {
		return nil, false, err
	}
	_, text, _ = bytes.Cut(text, []byte("module @"))
	_, text, _ = bytes.Cut(text, []byte(" ")) // programs of the same text have different names
	sum := sha256.Sum256(text)
	d.mu.Lock()
	defer d.mu.Unlock()
	if program = d.kept[sum]; program == nil {
		if program, err = b.Compile(); err == nil {
			d.kept[sum] = program
		}
	}
	return program, true, err
}

// OrderVariables sets the function that lists the paths of the variables that programs change,
// in the order of the store. The results of such a program begin with the variables in this
// order. paths is called when a program is compiled.
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

// donatingBuilder builds a program for later compilation.
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
	kept     bool // by the backend, for other builders of the same program
	err      error
}

// program returns the compiled program, with the arguments that donated marks given away.
func (p *donatingProgram) program(donated []bool) (compute.Executable, error) {
	p.once.Do(func() {
		main := mainFunction(p.builder.Builder)
		if main != nil {
			p.builder.of.alias(main, donated)
		}
		p.compiled, p.kept, p.err = p.builder.of.compile(p.builder.Builder, main)
	})
	return p.compiled, p.err
}

// alias marks each donated argument with the result that takes its memory: a variable with its
// new value, any other argument with the next result of its shape.
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

// same reports whether two values have the same shape and type.
func same(a, b *stablehlo.Value) bool { return a.Shape().Equal(b.Shape()) }

func mark(v *stablehlo.Value, attribute string, value any) {
	if v.Attributes == nil {
		v.Attributes = map[string]any{}
	}
	v.Attributes[attribute] = value
}

// mainFunction returns the function that go-xla is building. go-xla does not expose it,
// although its fields are exported. The result is nil if another version keeps it elsewhere; a
// program without donated arguments computes the same in more memory.
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
	if p.compiled != nil && !p.kept {
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
