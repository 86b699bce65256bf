package pretrained

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/gomlx/compute/dtypes/float16"

	"infbench/training/weights"
)

// WordEmbeddings is the name of BERT's table of word embeddings.
const WordEmbeddings = "embeddings.word_embeddings.weight"

// WriteHalf writes the weights of a BERT folder in float16 into another folder. Rows of
// WordEmbeddings whose token is not used are zero, so that an archive of the folder is smaller. It
// returns the number of such rows.
func WriteHalf(dir, from string, used func(token int) bool) (zero int, err error) {
	in, err := weights.OpenSafetensors(filepath.Join(from, "model.safetensors"))
	if err != nil {
		return 0, err
	}
	defer in.Close()
	type entry struct {
		Type    string `json:"dtype"`
		Shape   []int  `json:"shape"`
		Offsets [2]int `json:"data_offsets"`
	}
	header, end := map[string]any{"__metadata__": map[string]string{"format": "pt"}}, 0
	tensors := slices.DeleteFunc(slices.Clone(in.Tensors()), func(t weights.Info) bool { return t.DType == "I64" }) // numbers of positions
	for _, t := range tensors {
		header[t.Name] = entry{"F16", t.Shape, [2]int{end, end + 2*t.Len()}}
		end += 2 * t.Len()
	}
	head, err := json.Marshal(header)
	if err != nil {
		return 0, err
	}
	for len(head)%8 != 0 {
		head = append(head, ' ')
	}
	out, err := os.Create(filepath.Join(dir, "model.safetensors"))
	if err != nil {
		return 0, err
	}
	defer out.Close()
	write := func(b []byte) {
		if err == nil {
			_, err = out.Write(b)
		}
	}
	write(append(binary.LittleEndian.AppendUint64(nil, uint64(len(head))), head...))
	for _, t := range tensors {
		values, readErr := in.Float32(t)
		if readErr != nil {
			return 0, readErr
		}
		if t.Name == WordEmbeddings {
			zero = clearRows(values, t.Shape, used)
		}
		half := make([]byte, 0, 2*len(values))
		for _, v := range values {
			half = binary.LittleEndian.AppendUint16(half, float16.FromFloat32(v).Bits())
		}
		write(half)
	}
	if err != nil {
		return 0, fmt.Errorf("write %s: %w", out.Name(), err)
	}
	return zero, out.Close()
}

// clearRows sets the rows of a table that are not used to zero, and counts them.
func clearRows(values []float32, shape []int, used func(row int) bool) (zero int) {
	for row := range shape[0] {
		if !used(row) {
			clear(values[row*shape[1] : (row+1)*shape[1]])
			zero++
		}
	}
	return zero
}
