// Package memory limits the memory of this process and reports an error before too much is
// allocated. A Go process that runs out of memory ends in a way that no code can catch, so code
// that reads files into memory asks here first. The limit is Go's own memory limit, so there is no
// second state to disagree with it. Memory outside of Go's, such as mapped files and that of an
// accelerator, is not counted.
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

// Least is the smallest limit that Limit sets, in bytes: the program's own need.
const Least = 64 << 20

// Limit limits the memory of this process to n bytes; 0 means GOMEMLIMIT, or without it the
// machine's memory. undo restores the former limit.
func Limit(n int64) (undo func()) {
	before := debug.SetMemoryLimit(-1)
	limit := before
	if n > 0 {
		limit = max(n, Least)
	}
	debug.SetMemoryLimit(min(limit, Machine()))
	return func() { debug.SetMemoryLimit(before) }
}

// Bound returns the memory limit of this process in bytes.
func Bound() int64 {
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		return limit
	}
	return Machine()
}

// Full is the error for data that does not fit into memory.
type Full struct {
	Need  int64 // lower bound of the total in bytes: memory in use plus the request
	Bound int64 // bytes that this process may take
}

func (e *Full) Error() string {
	return fmt.Sprintf("needs at least %s of memory, and this process may take %s; --memory or GOMEMLIMIT raises the limit, up to the machine's memory", Size(e.Need), Size(e.Bound))
}

// headroom is the divisor of the bound: that part must stay free for the garbage collector, which
// otherwise runs without end, and for allocations without a check.
const headroom = 4

// For checks that n more bytes fit; otherwise the error is a *Full. It takes microseconds while
// there is plenty of room, and a garbage collection when there seems to be little. Call it once per
// megabyte, not once per line.
func For(n int64) error {
	bound := Bound()
	if used() <= bound-bound/(2*headroom)-n {
		return nil
	}
	if n <= bound {
		runtime.GC() // garbage does not count
	}
	if most := bound - bound/headroom; used() > most-n {
		return &Full{Need: (used() + n) / (headroom - 1) * headroom, Bound: bound}
	}
	return nil
}

// jsonValue is about the number of bytes of a decoded JSON value or key without its text: a small
// structure or a map entry, and unused capacity of slices.
const jsonValue = 96

// ForJSON checks that there is room for the decoded data; otherwise the error is a *Full. Values of
// one byte each become structures, so a small text may need much.
func ForJSON(data []byte) error {
	values := bytes.Count(data, []byte{','}) + bytes.Count(data, []byte{':'}) + bytes.Count(data, []byte{'{'})
	return ForMany(int64(len(data)) + int64(values)*jsonValue)
}

// ForMany is like For, but skips the check if n is small.
func ForMany(n int64) error {
	if n < step {
		return nil
	}
	return For(n)
}

// Append is like append for a slice of a file's content: it checks memory before the slice is
// copied to grow.
func Append[T any](s []T, v T) ([]T, error) {
	if len(s) == cap(s) {
		if err := ForMany(2 * int64(cap(s)) * int64(unsafe.Sizeof(v))); err != nil {
			return nil, err
		}
	}
	return append(s, v), nil
}

// used returns the bytes in use, including garbage that is not collected yet.
func used() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// Size formats an amount of memory.
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

// step is the number of bytes between two checks of a Reader.
const step = 1 << 20

// Reader returns a reader of r that checks, once per megabyte, that another megabyte fits; its
// error is then a *Full. It is for data that will be kept.
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

// ReadAll reads r to its end. More than most bytes are an error, and so is data that does not fit
// into memory.
func ReadAll(r io.Reader, most int64) ([]byte, error) {
	data, err := io.ReadAll(Reader(io.LimitReader(r, most+1)))
	if err == nil && int64(len(data)) > most {
		return nil, fmt.Errorf("more than the limit of %s", Size(most))
	}
	return data, err
}
