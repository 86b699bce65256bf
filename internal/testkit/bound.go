package testkit

import (
	"runtime/metrics"
	"testing"
	"time"
)

// Allocated returns the number of bytes that the process allocates during run, still in use or not.
func Allocated(run func()) int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	before := sample[0].Value.Uint64()
	run()
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64() - before)
}

// Bound is the most memory and time that reading an input may take.
type Bound struct {
	PerByte int64         // bytes allocated per byte of input
	Base    int64         // bytes allocated in addition
	Time    time.Duration // processor time per started 64 KiB of input
}

// Small is the Bound of most readers: they allocate a few structures per byte, and their buffers.
// The time is generous because fuzzing instruments the code and shares the machine.
var Small = Bound{PerByte: 2048, Base: 8 << 20, Time: 5 * time.Second}

// Within runs the body of a fuzz target on an input of size bytes. The test fails if it allocates
// or takes more than the bound: memory and time must not grow faster than the input. An endless run
// panics. Time is that of the processors, and other goroutines count.
func (b Bound) Within(t testing.TB, size int, run func()) {
	t.Helper()
	most := b.Time * time.Duration(1+size>>16)
	begin, ended := ProcessorTime(), make(chan struct{})
	defer close(ended)
	go func() {
		for {
			select {
			case <-ended:
				return
			case <-time.After(most):
				if ProcessorTime()-begin > 20*most {
					panic("reading this input takes more than 20 times its time")
				}
			}
		}
	}()
	allocated := Allocated(run)
	if took := ProcessorTime() - begin; took > most {
		t.Errorf("an input of %d bytes takes %v, more than %v", size, took, most)
	}
	if most := b.Base + b.PerByte*int64(size); allocated > most {
		t.Errorf("an input of %d bytes allocates %d, more than %d", size, allocated, most)
	}
}
