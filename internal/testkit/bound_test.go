package testkit

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// fuzzed matches the beginning of a fuzz target's body.
var fuzzed = regexp.MustCompile(`f\.Fuzz\(func\([^)]*\) \{\n(.*)\n`)

// Every fuzz target checks memory and time, not only panics.
func TestFuzzTargetsAreBounded(t *testing.T) {
	found := 0
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || path == filepath.Join("..", "..", "internal", "testkit", "bound_test.go") {
			return err
		}
		bodies := fuzzed.FindAllSubmatch(text, -1)
		if n := strings.Count(string(text), "f.Fuzz("); n != len(bodies) {
			t.Errorf("%s: %d targets, but only %d have a body on its own lines", path, n, len(bodies))
		}
		for _, body := range bodies {
			if found++; !strings.Contains(string(body[1]), ".Within(t, ") {
				t.Errorf("%s: a target without a bound: %s", path, body[1])
			}
		}
		return nil
	})
	if err != nil || found < 20 {
		t.Errorf("%d targets, %v", found, err)
	}
}

// recorded is a testing.TB that records a failure.
type recorded struct {
	testing.TB
	failed bool
}

func (r *recorded) Helper()               {}
func (r *recorded) Errorf(string, ...any) { r.failed = true }

var kept []byte

func TestBound(t *testing.T) {
	b := Bound{PerByte: 10, Base: 1 << 20, Time: 50 * time.Millisecond}
	spin := func(d time.Duration) func() {
		return func() {
			for begin := ProcessorTime(); ProcessorTime()-begin < d; {
			}
		}
	}
	for name, c := range map[string]struct {
		size int
		run  func()
		want bool
	}{
		"nothing":             {0, func() {}, false},
		"memory of its size":  {1 << 20, func() { kept = make([]byte, 8<<20) }, false},
		"memory of a bomb":    {1 << 10, func() { kept = make([]byte, 8<<20) }, true},
		"time of its size":    {1 << 20, spin(100 * time.Millisecond), false},
		"time of a small one": {1 << 10, spin(100 * time.Millisecond), true},
	} {
		r := &recorded{TB: t}
		if b.Within(r, c.size, c.run); r.failed != c.want {
			t.Errorf("%s: failed %v, want %v", name, r.failed, c.want)
		}
	}
}
