package weights

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// input reads a pickle, at most left more bytes.
type input struct {
	r    *bufio.Reader
	read int64 // bytes
	left int64
}

// newInput reads a file from byte at to byte end, at most maxPickle bytes.
func newInput(r io.ReaderAt, at, end int64) *input {
	n := min(end-at, maxPickle)
	return &input{r: bufio.NewReader(io.NewSectionReader(r, at, n)), left: n}
}

var errShort = errors.New("truncated: the pickle continues after its end")

func (in *input) byte() (byte, error) {
	if in.left < 1 {
		return 0, errShort
	}
	b, err := in.r.ReadByte()
	in.read, in.left = in.read+1, in.left-1
	return b, err
}

// bytes reads n bytes.
func (in *input) bytes(n int64) ([]byte, error) {
	if n < 0 || n > in.left {
		return nil, errShort
	}
	raw := make([]byte, n)
	_, err := io.ReadFull(in.r, raw)
	in.read, in.left = in.read+n, in.left-n
	return raw, err
}

// unsigned reads an integer of width bytes.
func (in *input) unsigned(width int) (int64, error) {
	raw, err := in.bytes(int64(width))
	if err != nil {
		return 0, err
	}
	var wide [8]byte
	copy(wide[:], raw)
	return int64(binary.LittleEndian.Uint64(wide[:])), nil
}

// sized reads data after its length, which takes width bytes.
func (in *input) sized(width int) ([]byte, error) {
	n, err := in.unsigned(width)
	if err != nil {
		return nil, err
	}
	return in.bytes(n)
}

// line reads up to the end of a line.
func (in *input) line() (string, error) {
	var b strings.Builder
	for {
		c, err := in.byte()
		if err != nil {
			return "", err
		}
		if c == '\n' {
			return b.String(), nil
		}
		b.WriteByte(c)
	}
}

// decimal reads a line with an integer, or with the 00 and 01 of booleans.
func (in *input) decimal() (any, error) {
	line, err := in.line()
	if err != nil {
		return nil, err
	}
	switch line {
	case "00":
		return false, nil
	case "01":
		return true, nil
	}
	digits := strings.TrimSuffix(line, "L")
	n, err := strconv.ParseInt(digits, 10, 64)
	if errors.Is(err, strconv.ErrRange) {
		return long(digits), nil
	}
	if err != nil {
		return nil, fmt.Errorf("a damaged pickle: %q is not an integer", clip(line))
	}
	return n, nil
}

// index reads a line with an index of the memo.
func (in *input) index() (int64, error) {
	line, err := in.line()
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(line, 10, 64)
}
