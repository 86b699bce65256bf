package training

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

// shares is how much of the processor time each kind of work took, by name.
type shares map[string]float64

// profiled runs do under the CPU profiler.
func profiled(t *testing.T, do func()) shares {
	t.Helper()
	var data bytes.Buffer
	if err := pprof.StartCPUProfile(&data); err != nil {
		t.Fatal(err)
	}
	do()
	pprof.StopCPUProfile()
	p, err := profile.Parse(&data)
	if err != nil {
		t.Fatal(err)
	}
	out, total := shares{}, 0.0
	for _, sample := range p.Sample {
		var stack []string // the leaf first
		for _, at := range sample.Location {
			for _, line := range at.Line {
				stack = append(stack, line.Function.Name)
			}
		}
		value := float64(sample.Value[len(sample.Value)-1]) // nanoseconds
		out[workOf(stack)] += value
		total += value
	}
	for name := range out {
		out[name] /= total
	}
	return out
}

// operation matches the functions of GoMLX's Go backend that compute one kind of
// node.
var operation = regexp.MustCompile(`gobackend/(?:ops|fusedops)\.exec([A-Z][A-Za-z]*?)(?:NumericGeneric|Generic)?(?:\[|\.|$)`)

// other is work that is no operation: graphs are built, buffers copied and cleared.
const other = "other"

// workOf names what a stack works at: matrix products, one of the backend's
// operations, or anything else.
func workOf(stack []string) string {
	for _, function := range stack {
		if strings.Contains(function, "gobackend/dot") {
			return "matrix products"
		}
		if m := operation.FindStringSubmatch(function); m != nil {
			return strings.ToLower(m[1])
		}
	}
	return other
}

// String names the three largest costs.
func (s shares) String() string {
	names := slices.DeleteFunc(slices.Collect(maps.Keys(s)), func(name string) bool { return name == other })
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(s[b], s[a]), cmp.Compare(a, b)) })
	var parts []string
	for _, name := range names[:min(3, len(names))] {
		parts = append(parts, fmt.Sprintf("%s %.0f %%", name, 100*s[name]))
	}
	return strings.Join(parts, ", ")
}

func TestWorkOf(t *testing.T) {
	const backend = "github.com/gomlx/compute/internal/gobackend"
	for want, stack := range map[string][]string{
		"matrix products": {"simd/archsimd.BroadcastFloat32x16", backend + "/dot/matmul.avx512LargeKernelFloat32", backend + "/dot.execDotGeneral"},
		"erf":             {"math.erf", "math.Erf", backend + "/ops.execErfGeneric[go.shape.float32].func1", backend + "/workerspool.(*Pool).Saturate.func1"},
		"transpose":       {backend + "/ops.(*TransposeIterator).Next", backend + "/ops.execTransposeGeneric[go.shape.float32]", backend + "/ops.execTranspose"},
		"mul":             {backend + "/ops.execMulNumericGeneric[go.shape.float32]", backend + "/ops.execMul"},
		"fusedsoftmax":    {backend + "/fusedops.fusedSoftmax[go.shape.float32]", backend + "/fusedops.execFusedSoftmax"},
		"other":           {"runtime.memmove", backend + ".CopyFlat", backend + ".(*Backend).BufferFromFlatData"},
	} {
		if got := workOf(stack); got != want {
			t.Errorf("%v is %q, want %q", stack, got, want)
		}
	}
	s := shares{"matrix products": 0.4, "other": 0.3, "erf": 0.2, "mul": 0.05, "exp": 0.05}
	if got, want := s.String(), "matrix products 40 %, erf 20 %, exp 5 %"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
