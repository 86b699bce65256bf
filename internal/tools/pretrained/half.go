package pretrained

import (
	"errors"
	"os"
	"path/filepath"

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
	var tensors []weights.Source
	for _, t := range in.Tensors() {
		if t.DType == "I64" {
			continue // numbers of positions
		}
		tensors = append(tensors, weights.Source{Name: t.Name, Shape: t.Shape, Half: true, Values: func(use func([]float32) error) error {
			values, err := in.Float32(t)
			if err != nil {
				return err
			}
			if t.Name == WordEmbeddings {
				zero = clearRows(values, t.Shape, used)
			}
			return use(values)
		}})
	}
	out, err := os.Create(filepath.Join(dir, "model.safetensors"))
	if err != nil {
		return 0, err
	}
	err = errors.Join(weights.WriteFrom(out, tensors), out.Close())
	return zero, err
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
