// Package memory bounds the memory of this process and reports, before it is taken, what
// does not fit. Go ends a process that runs out of memory in a way that no code can
// catch, so code that gathers the content of a file asks here first. The bound is Go's own
// memory limit, so there is no second state to disagree with it. Memory outside of Go's,
// such as mapped files and an accelerator's, is not counted.
package memory

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"unsafe"
)

// Least is the smallest bound that Limit sets, in bytes: what the program itself takes.
const Least = 64 << 20

// Limit makes n bytes the most memory that this process takes; 0 stands for what
// GOMEMLIMIT says, else what the machine has. It returns what undoes it.
func Limit(n int64) (undo func()) {
	before := debug.SetMemoryLimit(-1)
	limit := before
	if n > 0 {
		limit = max(n, Least)
	}
	debug.SetMemoryLimit(min(limit, Machine()))
	return func() { debug.SetMemoryLimit(before) }
}

// Bound is the most memory that this process may take, in bytes.
func Bound() int64 {
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		return limit
	}
	return Machine()
}

// Full says that something does not fit.
type Full struct {
	Need  int64 // bytes in all, at least: what is in use with what was asked for
	Bound int64 // bytes that this process may take
}

func (e *Full) Error() string {
	return fmt.Sprintf("needs at least %s of memory, and this process may take %s; --memory or GOMEMLIMIT raises that, up to what the machine has", Size(e.Need), Size(e.Bound))
}

// headroom is the part of the bound that what is kept must leave to the garbage
// collector, which otherwise runs without end, and to what asks nobody.
const headroom = 4

// For says whether n more bytes fit: nil, or a *Full. It takes microseconds while there
// is much room, and a garbage collection where there seems to be little. Ask it once a
// megabyte, not once a line.
func For(n int64) error {
	bound := Bound()
	if used() <= bound-bound/(2*headroom)-n {
		return nil
	}
	if n <= bound {
		runtime.GC() // what is no longer needed does not count
	}
	if most := bound - bound/headroom; used() > most-n {
		return &Full{Need: (used() + n) / (headroom - 1) * headroom, Bound: bound}
	}
	return nil
}

// jsonValue is about how many bytes a value or a key of JSON takes once it is decoded, beside
// its text: a small structure or a place in a map, and what the growth of slices leaves.
const jsonValue = 96

// ForJSON says whether there is room for what decoding data makes: nil, or a *Full. Values
// of one byte each become structures, so a small text may need much.
func ForJSON(data []byte) error {
	values := bytes.Count(data, []byte{','}) + bytes.Count(data, []byte{':'}) + bytes.Count(data, []byte{'{'})
	return ForMany(int64(len(data)) + int64(values)*jsonValue)
}

// ForMany is For where n may be too little to ask for.
func ForMany(n int64) error {
	if n < step {
		return nil
	}
	return For(n)
}

// Append is append to a slice that grows with what a file holds: it asks before the slice is
// copied to a larger place.
func Append[T any](s []T, v T) ([]T, error) {
	if len(s) == cap(s) {
		if err := ForMany(2 * int64(cap(s)) * int64(unsafe.Sizeof(v))); err != nil {
			return nil, err
		}
	}
	return append(s, v), nil
}

// used is how many bytes are in use by what this process keeps or has not collected yet.
func used() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// Size prints an amount of memory.
func Size(n int64) string {
	for _, unit := range []struct {
		name string
		size int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}} {
		if n >= unit.size {
			return fmt.Sprintf("%.3g %s", float64(n)/float64(unit.size), unit.name)
		}
	}
	return fmt.Sprintf("%d KiB", (n+1023)>>10)
}

// step is how many bytes Readers let pass between two questions.
const step = 1 << 20

// Reader passes on what r reads and asks, once a megabyte, whether another fits: its
// error is then a *Full. It is for what is read to be kept.
func Reader(r io.Reader) io.Reader { return &askingReader{r: r, left: step} }

type askingReader struct {
	r    io.Reader
	left int
}

func (r *askingReader) Read(p []byte) (int, error) {
	if r.left <= 0 {
		if err := For(step); err != nil {
			return 0, err
		}
		r.left = step
	}
	n, err := r.r.Read(p)
	r.left -= n
	return n, err
}

// ReadAll reads r to its end. More than most bytes are an error, and so is what does not
// fit into memory.
func ReadAll(r io.Reader, most int64) ([]byte, error) {
	data, err := io.ReadAll(Reader(io.LimitReader(r, most+1)))
	if err == nil && int64(len(data)) > most {
		return nil, fmt.Errorf("more than %s, the most that is read", Size(most))
	}
	return data, err
}
