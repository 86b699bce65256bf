package diversity_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit"
	"infbench/metrics/diversity"
)

// npy builds a version 1.0 file in the form of numpy.save (numpy.lib.format): padded header,
// then the values in C order.
func npy(descr, shape string, values ...float32) string {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape)
	header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
	out := []byte("\x93NUMPY\x01\x00")
	out = binary.LittleEndian.AppendUint16(out, uint16(len(header)))
	out = append(out, header...)
	for _, v := range values {
		if descr == "<f8" {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(float64(v)))
		} else {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
		}
	}
	return string(out)
}

func TestVectors(t *testing.T) {
	for _, c := range []struct{ name, content, where string }{
		{"plain.jsonl", "[1, -2.5e0]\n\n[0.25,4]", ":3"},
		{"crlf.jsonl", "[1,-2.5]\r\n[0.25,4]\r\n", ":2"},
		{"f4.npy", npy("<f4", "(2, 2)", 1, -2.5, 0.25, 4), ": row 2"},
		{"f8.npy", npy("<f8", "(2, 2)", 1, -2.5, 0.25, 4), ": row 2"},
	} {
		var got []float64
		var where string
		for v, err := range diversity.Vectors(strings.NewReader(c.content), c.name) {
			if err != nil {
				t.Fatal(err)
			}
			got, where = append(got, v.Values...), v.Where
		}
		if !slices.Equal(got, []float64{1, -2.5, 0.25, 4}) || where != c.name+c.where {
			t.Errorf("%s: %v, last at %s", c.name, got, where)
		}
	}
	for range diversity.Vectors(strings.NewReader("[1]\n[2]\nbad"), "stop.jsonl") {
		break // an early stop reads no further
	}
}

func TestVectorsErrors(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"word.jsonl", "[1]\n[\"x\"]\n", "word.jsonl:2: want an array of numbers"},
		{"null.jsonl", "[1,null]\n", "null.jsonl:1: want an array of numbers, found null"},
		{"object.jsonl", "{}\n", "object.jsonl:1: want"},
		{"short.npy", npy("<f4", "(2, 2)", 1, 2, 3), "short.npy: row 2 of 2: unexpected EOF"},
		{"long.npy", npy("<f4", "(1, 2)", 1, 2, 3), "more data than 1 rows"},
		{"int.npy", npy("<i4", "(1, 1)", 1), "type <i4"},
		{"flat.npy", npy("<f4", "(2,)", 1, 2), "want a 2-D array"},
		{"huge.npy", npy("<f4", "(1, 99999999999)"), "too large"},
		{"cut.npy", "\x93NUMPY\x01\x00\xff", "npy header"},
	} {
		var last error
		for _, err := range diversity.Vectors(strings.NewReader(c.content), c.name) {
			last = err
		}
		if last == nil || !strings.Contains(last.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, last, c.want)
		}
	}
}

func FuzzVectors(f *testing.F) {
	f.Add([]byte(npy("<f4", "(1, 2)", 1, 2)))
	f.Add([]byte("[1,2]\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		testkit.Small.Within(t, len(content), func() {
			failed := false
			for v, err := range diversity.Vectors(bytes.NewReader(content), "v") {
				if failed {
					t.Fatal("item after an error")
				}
				failed = err != nil
				if !failed && v.Where == "" {
					t.Fatal("vector without a place")
				}
			}
		})
	})
}
