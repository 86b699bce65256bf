package memory

import (
	"bytes"
	"errors"
	"io"
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"testing/fstest"
)

func TestLimit(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	undo := Limit(200 << 20)
	if got := Bound(); got != 200<<20 {
		t.Errorf("bound by %d", got)
	}
	inner := Limit(1)
	if got := Bound(); got != Least {
		t.Errorf("bound by %d, want what the program takes", got)
	}
	inner()
	inner = Limit(0)
	if got := Bound(); got != 200<<20 {
		t.Errorf("bound by %d, want what was set before, as by GOMEMLIMIT", got)
	}
	inner()
	undo()
	if got := debug.SetMemoryLimit(-1); got != before {
		t.Errorf("left %d, found %d", got, before)
	}
	defer Limit(0)()
	if got := debug.SetMemoryLimit(-1); got != Machine() || got == math.MaxInt64 {
		t.Errorf("by default %d, the machine has %d", got, Machine())
	}
}

// TestFor: only kept memory counts, not garbage.
func TestFor(t *testing.T) {
	defer Limit(100 << 20)()
	runtime.GC()
	if err := For(1 << 20); err != nil {
		t.Error(err)
	}
	var full *Full
	if err := For(1 << 40); !errors.As(err, &full) || full.Bound != 100<<20 || full.Need < 1<<40 {
		t.Errorf("a terabyte: %v", err)
	}
	for range 40 { // 400 MiB of garbage
		waste = make([]byte, 10<<20)
		if err := For(10 << 20); err != nil {
			t.Fatal(err)
		}
	}
	waste = nil
	var kept [][]byte
	var err error
	for len(kept) < 20 && err == nil {
		if err = For(10 << 20); err == nil {
			kept = append(kept, make([]byte, 10<<20))
		}
	}
	if n := len(kept); n < 5 || n > 8 || !errors.As(err, &full) || full.Need <= full.Bound {
		t.Errorf("kept %d times 10 MiB of 100, %v", n, err)
	}
	runtime.KeepAlive(kept)
}

var waste []byte

func TestReader(t *testing.T) {
	defer Limit(100 << 20)()
	if n, err := io.Copy(io.Discard, Reader(&endless{left: 1 << 30})); n != 1<<30 || err != nil {
		t.Errorf("what is read and not kept: %d bytes, %v", n, err)
	}
	var full *Full
	if _, err := ReadAll(&endless{left: 1 << 40}, 1<<41); !errors.As(err, &full) {
		t.Errorf("what is kept: %v", err)
	}
	if text, err := ReadAll(strings.NewReader("1234"), 4); string(text) != "1234" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := ReadAll(strings.NewReader("12345"), 4); err == nil {
		t.Error("five bytes of at most four were read")
	}
}

// endless is a file of one byte, repeated.
type endless struct{ left int }

func (e *endless) Read(p []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	n := min(len(p), e.left)
	copy(p, bytes.Repeat([]byte{'x'}, n))
	e.left -= n
	return n, nil
}

func TestMachine(t *testing.T) {
	info := "MemFree: 1 kB\nMemTotal:        8000000 kB\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"nothing":          {nil, unknownMemory},
		"no total":         {map[string]string{"proc/meminfo": "MemFree: 1 kB\n"}, unknownMemory},
		"machine":          {map[string]string{"proc/meminfo": info}, 8000000 << 10},
		"container":        {map[string]string{"proc/meminfo": info, "sys/fs/cgroup/memory.max": "1000000000\n"}, 1000000000},
		"unlimited":        {map[string]string{"proc/meminfo": info, "sys/fs/cgroup/memory.max": "max\n"}, 8000000 << 10},
		"its own group":    {map[string]string{"proc/meminfo": info, "proc/self/cgroup": "0::/job/step\n", "sys/fs/cgroup/job/step/memory.max": "70000000\n", "sys/fs/cgroup/job/memory.max": "90000000\n"}, 70000000},
		"a group above it": {map[string]string{"proc/meminfo": info, "proc/self/cgroup": "0::/job/step\n", "sys/fs/cgroup/job/step/memory.max": "max\n", "sys/fs/cgroup/job/memory.max": "90000000\n"}, 90000000},
		"version 1":        {map[string]string{"proc/meminfo": info, "proc/self/cgroup": "9:cpu,cpuacct:/a\n4:memory:/slurm/job\n", "sys/fs/cgroup/memory/slurm/job/memory.limit_in_bytes": "80000000\n"}, 80000000},
		"version 1, none":  {map[string]string{"proc/meminfo": info, "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 8000000 << 10},
	} {
		root := fstest.MapFS{}
		for path, text := range c.files {
			root[path] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := memoryOf(root); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{1: "1 KiB", 64 << 20: "64 MiB", 3 << 29: "1.5 GiB"} {
		if got := Size(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
