package rehearsal

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
)

// pytorchFile is weights as torch.save writes them: a zip archive of a pickle, in which
// a dictionary names tensors and each points to a storage, and of the storages.
func pytorchFile(seed string, tensors []tensor) []byte {
	h := fnv.New64a()
	h.Write([]byte(seed))
	rng := rand.New(rand.NewPCG(h.Sum64(), 0))
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	put := func(name string, content []byte) {
		// Stored, not deflated, as there.
		w, err := archive.CreateHeader(&zip.FileHeader{Name: "archive/" + name, Method: zip.Store})
		if err == nil {
			_, err = w.Write(content)
		}
		if err != nil {
			panic(fmt.Sprintf("rehearsal: write zip: %v", err)) // memory only
		}
	}
	put("data.pkl", stateDict(tensors))
	for i, t := range tensors {
		var data []byte
		for _, v := range t.values(rng) {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
		}
		put(fmt.Sprintf("data/%d", i), data)
	}
	put("version", []byte("3\n"))
	if err := archive.Close(); err != nil {
		panic(fmt.Sprintf("rehearsal: write zip: %v", err))
	}
	return out.Bytes()
}

// pickle writes the opcodes of protocol 2 that torch.save uses.
type pickle struct{ bytes.Buffer }

func (p *pickle) global(module, name string) { fmt.Fprintf(p, "c%s\n%s\n", module, name) }

func (p *pickle) text(s string) {
	p.WriteByte('X')
	p.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(s))))
	p.WriteString(s)
}

func (p *pickle) number(n int) {
	p.WriteByte('J')
	p.Write(binary.LittleEndian.AppendUint32(nil, uint32(n)))
}

// tuple writes numbers as a tuple.
func (p *pickle) tuple(numbers ...int) {
	p.WriteByte('(')
	for _, n := range numbers {
		p.number(n)
	}
	p.WriteByte('t')
}

// ordered writes an empty OrderedDict.
func (p *pickle) ordered() {
	p.global("collections", "OrderedDict")
	p.WriteString(")R")
}

// stateDict is the pickle of an OrderedDict of tensors, the n-th of which is all of
// storage n.
func stateDict(tensors []tensor) []byte {
	var p pickle
	p.WriteString("\x80\x02")
	p.ordered()
	p.WriteByte('(')
	for i, t := range tensors {
		p.text(t.name)
		p.global("torch._utils", "_rebuild_tensor_v2")
		p.WriteString("((")
		p.text("storage")
		p.global("torch", "FloatStorage")
		p.text(fmt.Sprint(i))
		p.text("cpu")
		p.number(volume(t.shape))
		p.WriteString("tQ") // a persistent ID: the storage
		p.number(0)
		p.tuple(t.shape...)
		p.tuple(strides(t.shape)...)
		p.WriteByte('\x89') // requires no gradient
		p.ordered()         // no hooks
		p.WriteString("tR")
	}
	p.WriteString("u.")
	return p.Bytes()
}

// strides are those of a contiguous array.
func strides(shape []int) []int {
	all := make([]int, len(shape))
	step := 1
	for i := len(shape) - 1; i >= 0; i-- {
		all[i] = step
		step *= shape[i]
	}
	return all
}
