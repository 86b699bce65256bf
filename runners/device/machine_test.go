package device

import (
	"testing"

	"infbench/internal/memory"
	"infbench/runners/spec"
)

func TestMachineBudget(t *testing.T) {
	o := Options{Device: GoDevice, Memory: 8 << 30}
	if b := o.Batching(); b.Memory != 1<<30 || b.Small != b.Tokens {
		t.Errorf("on the Go backend %+v: want half of a quarter of the memory and one batch size a length", b)
	}
	if d := o.Dense(""); d.MemoryBudget != 1<<30 {
		t.Errorf("vectors may take %d", d.MemoryBudget)
	}
	o.Device = "xla:cuda:1"
	if b := o.Batching(); b.Memory != 0 || b.Small >= b.Tokens {
		t.Errorf("on an accelerator %+v: want batches that the machine's memory does not bound", b)
	}
	for given, want := range map[spec.Bytes]int64{20 << 10: 10 << 10, 16 << 20: 8 << 20, 64 << 20: 8 << 20, 128 << 20: 16 << 20} {
		if o := (Options{Memory: given}); o.budget() != want {
			t.Errorf("of %v vectors may take %d, want %d", given, o.budget(), want)
		}
	}
	whole := Options{Device: GoDevice}
	if n := memory.Bound(); n < 256<<20 || whole.budget() != n/4/2 {
		t.Errorf("machine of %d bytes, budget %d", n, whole.budget())
	}
	var shared spec.Bytes
	if err := shared.UnmarshalText([]byte(whole.Args(4)[3])); err != nil || int64(shared) != memory.Bound()/4 {
		t.Errorf("one of four may take %d, %v", shared, err)
	}
}
