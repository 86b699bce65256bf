package weights

import (
	"errors"
	"fmt"
	"io"
	"math"
)

// storage is a stretch of a file that contains tensors. Its place is known once the complete pickle
// is read.
type storage struct {
	kind  string // dtype; untyped: bytes
	count int64  // number of values
	at    int64  // byte in the file
	found bool
	of    *storage // for a view: the storage that it is a part of
	from  int64    // for a view: its first value
}

// untyped is the kind of a storage of bytes, whose tensors have types.
const untyped = ""

// width returns the number of bytes of a value.
func (s *storage) width() int64 {
	if s.kind == untyped {
		return 1
	}
	return Width(s.kind)
}

// start returns the byte of the file where the storage begins.
func (s *storage) start() (at int64, ok bool) {
	if s.of == nil {
		return s.at, s.found
	}
	at, ok = s.of.start() // the storage of a view is not a view
	return at + s.from*s.width(), ok
}

// pickledTensor is a view of a storage.
type pickledTensor struct {
	in     *storage
	dtype  string
	offset int64 // index of the first value
	shape  []int
	stride []int64
}

// newTensor checks that a tensor's numbers are consistent and fit into its storage.
func newTensor(in *storage, dtype string, offset, sizes, strides any) (*pickledTensor, error) {
	t := &pickledTensor{in: in, dtype: dtype}
	first, ok := offset.(int64)
	dims, isDims := integers(sizes)
	steps, isSteps := integers(strides)
	if !ok || !isDims || !isSteps || len(dims) != len(steps) || first < 0 {
		return nil, errors.New("a tensor whose offset, sizes and strides are not consistent numbers")
	}
	t.offset, t.stride, t.shape = first, steps, make([]int, len(dims))
	for i, n := range dims {
		t.shape[i] = int(n)
	}
	values, last, err := t.extent()
	if err != nil {
		return nil, err
	}
	room := in.count * in.width() / Width(dtype)
	if values > 0 && last >= room {
		return nil, fmt.Errorf("a tensor of shape %v and strides %v reaches value %d of a storage of %d", t.shape, t.stride, last, room)
	}
	return t, nil
}

// extent returns the number of values and the place of the last in the storage.
func (t *pickledTensor) extent() (values, last int64, err error) {
	values, last = 1, t.offset
	for i, n := range t.shape {
		values = times(values, int64(n))
		if n > 0 {
			if step := times(int64(n)-1, t.stride[i]); step > math.MaxInt64-last {
				last = math.MaxInt64
			} else {
				last += step
			}
		}
	}
	if values == math.MaxInt64 {
		return 0, 0, fmt.Errorf("a tensor of the impossible shape %v", t.shape)
	}
	return values, last, nil
}

// times returns the product of two numbers that are not negative, at most MaxInt64.
func times(a, b int64) int64 {
	if a > 0 && b > math.MaxInt64/a {
		return math.MaxInt64
	}
	return a * b
}

// check rejects a tensor that is not in a file of size bytes, or that would take more memory than
// that.
func (t *pickledTensor) check(size int64) error {
	at, ok := t.in.start()
	if !ok {
		return errors.New("its storage is not in the file")
	}
	if at > size || times(t.in.count, t.in.width()) > size-at {
		return errors.New("its storage ends after the file")
	}
	values, _, _ := t.extent()
	if times(values, Width(t.dtype)) > size {
		return fmt.Errorf("repeats values to the shape %v, larger than the file", t.shape)
	}
	return nil
}

// read returns the bytes of the values in row-major order.
func (t *pickledTensor) read(r io.ReaderAt) ([]byte, error) {
	values, last, _ := t.extent()
	if values == 0 {
		return nil, nil
	}
	at, _ := t.in.start()
	width := Width(t.dtype)
	raw := make([]byte, (last+1-t.offset)*width)
	if _, err := r.ReadAt(raw, at+t.offset*width); err != nil {
		return nil, err
	}
	if t.isDense() {
		return raw, nil
	}
	return t.gather(raw, values*width, width), nil
}

// isDense reports whether the values are in row-major order without gaps.
func (t *pickledTensor) isDense() bool {
	next := int64(1)
	for i := len(t.shape) - 1; i >= 0; i-- {
		if t.shape[i] != 1 && t.stride[i] != next {
			return false
		}
		next *= int64(t.shape[i])
	}
	return true
}

// gather copies the values of a strided tensor; its first value is the first of raw.
func (t *pickledTensor) gather(raw []byte, size, width int64) []byte {
	out := make([]byte, 0, size)
	index := make([]int, len(t.shape))
	for at := int64(0); ; {
		out = append(out, raw[at*width:(at+1)*width]...)
		i := len(index) - 1
		for ; i >= 0; i-- {
			index[i]++
			at += t.stride[i]
			if index[i] < t.shape[i] {
				break
			}
			at -= int64(index[i]) * t.stride[i]
			index[i] = 0
		}
		if i < 0 {
			return out
		}
	}
}

// maxDimensions is PyTorch's own limit.
const maxDimensions = 64

// integers returns the numbers of a tuple or list; none may be negative.
func integers(value any) ([]int64, bool) {
	var items []any
	switch v := value.(type) {
	case tuple:
		items = v
	case *list:
		items = v.items
	default:
		return nil, false
	}
	if len(items) > maxDimensions {
		return nil, false
	}
	numbers := make([]int64, len(items))
	for i, item := range items {
		n, ok := item.(int64)
		if !ok || n < 0 {
			return nil, false
		}
		numbers[i] = n
	}
	return numbers, true
}
