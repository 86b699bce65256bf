package device

import (
	"testing"

	"infbench/bench/spec"
)

func TestMachineBudget(t *testing.T) {
	o := Options{Device: GoDevice, Memory: 8 << 30}
	if b := o.Batching(); b.Memory != 4<<30 || b.Small != b.Tokens {
		t.Errorf("on the Go backend %+v: want half of the memory and one batch size a length", b)
	}
	if d := o.Dense(""); d.MemoryBudget != 4<<30 {
		t.Errorf("vectors may take %d", d.MemoryBudget)
	}
	o.Device = "xla:cuda:1"
	if b := o.Batching(); b.Memory != 8<<30 || b.Small >= b.Tokens {
		t.Errorf("on an accelerator %+v", b)
	}
	whole := Options{Device: GoDevice}
	if n := Memory(); n < 256<<20 || whole.budget() != n/machineShare/2 {
		t.Errorf("machine of %d bytes, budget %d", n, whole.budget())
	}
	var shared spec.Bytes
	if err := shared.UnmarshalText([]byte(whole.Args(4)[3])); err != nil || int64(shared) != Memory()/machineShare/4 {
		t.Errorf("one of four may take %d, %v", shared, err)
	}
	if n, ok := parseMemTotal([]byte("MemFree: 1 kB\nMemTotal:        8052084 kB\n")); !ok || n != 8052084<<10 {
		t.Errorf("MemTotal is %d, %t", n, ok)
	}
	if _, ok := parseMemTotal([]byte("MemFree: 1 kB\n")); ok {
		t.Error("a file without a total has one")
	}
}
