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

// shares holds the share of processor time of each kind of work, by name.
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

// ours matches the names of the backend's compute kernels, by operation, in each kernel set.
var ours = regexp.MustCompile(`metrics/kernel\.([A-Z][A-Za-z0-9]*|[a-z]+)(?:AVX512|AVX2|NEON|Portable)?$`)

// other is work outside operations: building graphs, copying and clearing buffers.
const other = "other"

// workOf names the work of a stack: matrix products, one of the backend's operations, or anything
// else.
func workOf(stack []string) string {
	if slices.ContainsFunc(stack, isProduct) {
		return "matrix products"
	}
	for _, function := range stack {
		if m := ours.FindStringSubmatch(function); m != nil {
			return strings.ToLower(m[1])
		}
		if m := operation.FindStringSubmatch(function); m != nil {
			return strings.ToLower(m[1])
		}
	}
	return other
}

// isProduct reports whether a function computes matrix products for its callees.
func isProduct(function string) bool {
	return strings.Contains(function, "gobackend/dot") || strings.Contains(function, "gobackend/kernels.(*product)") || strings.Contains(function, "metrics/kernel.(*Product)") || strings.Contains(function, "metrics/kernel.(*block)")
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
		"gelu":            {"infbench/metrics/kernel.geluAVX512", backend + "/kernels.call.ranges.func1"},
		"layernorm":       {"runtime.memmove", "infbench/metrics/kernel.LayerNorm", backend + "/kernels.layerNorm"},
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
