package testkit

import (
	"runtime/metrics"
	"testing"
	"time"
)

// Allocated is how many bytes the process allocates while run runs, whether they are still
// in use or not.
func Allocated(run func()) int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	before := sample[0].Value.Uint64()
	run()
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64() - before)
}

// Bound is what reading an input may cost.
type Bound struct {
	PerByte int64         // bytes allocated for each byte of input
	Base    int64         // bytes allocated besides
	Time    time.Duration // of the processor, for each 64 KiB of input or part of it
}

// Small is the Bound of most readers: they allocate some structures for each byte, and
// their buffers. Fuzzing instruments code and shares the machine, hence so much time.
var Small = Bound{PerByte: 2048, Base: 8 << 20, Time: 5 * time.Second}

// Within runs the body of a fuzz target on an input of so many bytes and fails the test
// where it allocates or takes more than the bound: memory and time must not grow faster than
// the input does. What never ends panics. Allocations of other goroutines count.
func (b Bound) Within(t testing.TB, size int, run func()) {
	t.Helper()
	most := b.Time * time.Duration(1+size>>16)
	endless := time.AfterFunc(20*most, func() { panic("this input is read for more than 20 times its time") })
	defer endless.Stop()
	begin := ProcessorTime()
	allocated := Allocated(run)
	if took := ProcessorTime() - begin; took > most {
		t.Errorf("an input of %d bytes takes %v, more than %v", size, took, most)
	}
	if most := b.Base + b.PerByte*int64(size); allocated > most {
		t.Errorf("an input of %d bytes allocates %d, more than %d", size, allocated, most)
	}
}
