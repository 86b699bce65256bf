package diversity

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
)

// WriteNpyHeader begins a .npy file of version 1.0 with rows of float32 values in C order, in
// the form of numpy.save:
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html.
func WriteNpyHeader(w io.Writer, rows, dimensions int) error {
	const alignment, before = 64, len(npyMagic) + 4 // version and length
	header := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", rows, dimensions)
	header += strings.Repeat(" ", alignment-1-(before+len(header))%alignment) + "\n"
	start := append([]byte(npyMagic), 1, 0)
	start = binary.LittleEndian.AppendUint16(start, uint16(len(header)))
	_, err := w.Write(append(start, header...))
	return err
}

// WriteNpyRows writes values as further rows of a .npy file.
func WriteNpyRows(w io.Writer, values []float32) error {
	raw := make([]byte, 0, 4*len(values))
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	_, err := w.Write(raw)
	return err
}
