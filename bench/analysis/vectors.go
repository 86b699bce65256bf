package analysis

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"infbench/bench/output"
	"infbench/internal/disk"
	"infbench/metrics/diversity"
	"infbench/runners"
)

// vectorsAbout describes the vectors in a file. It is stored next to the file (aboutFile).
type vectorsAbout struct {
	Model   string   `json:"model"`
	Weights string   `json:"weights,omitempty"` // SHA-256 of the weights of the model
	Source  string   `json:"source"`
	Field   string   `json:"field"`
	As      textRole `json:"as"`
	Texts   int      `json:"texts"`
	Of      int      `json:"texts_in_source"`
	Sample  bool     `json:"sample"`       // the texts were drawn at random
	Seed    uint64   `json:"seed"`         // seed of the draw
	Sum     string   `json:"texts_sha256"` // Sum of the texts
	Dim     int      `json:"dim"`
	Vectors string   `json:"vectors_sha256"`
	Command string   `json:"command"`
}

// aboutFile is the file that describes a file of vectors.
func aboutFile(vectors string) string { return vectors + ".json" }

// aboutOutput is the aboutFile of an output file.
func aboutOutput(vectors output.File) output.File {
	return output.File{Path: aboutFile(vectors.Path), Kind: output.JSON, Inputs: vectors.Inputs}
}

// readVectorsAbout reads the description of vectors, or returns nil without one. It returns an
// error if the description is of other vectors.
func readVectorsAbout(vectors string) (*vectorsAbout, error) {
	a := new(vectorsAbout)
	err := disk.ReadSealed(aboutFile(vectors), a)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	sum, _, err := disk.SHA256(vectors)
	if err == nil && sum != a.Vectors {
		err = fmt.Errorf("%s is not the file that %s describes", vectors, aboutFile(vectors))
	}
	return a, err
}

// batch is the number of texts that an encoder gets at a time: enough for an encoder that sorts
// them by length.
const batch = 512

// Write encodes the texts into a numpy file, one row each, and writes its description next to
// it, except when the output is a pipe. It calls done with the number of encoded texts. The
// file appears complete or not at all.
func (a *vectorsAbout) Write(ctx context.Context, file output.File, enc runners.Encoder, texts []string, done func(n int)) error {
	a.Texts, a.Dim, a.Sum = len(texts), enc.Dim(), sumOfTexts(texts)
	sum := sha256.New()
	err := file.Write(func(out io.Writer) error {
		w := io.MultiWriter(out, sum)
		if err := diversity.WriteNpyHeader(w, len(texts), enc.Dim()); err != nil {
			return err
		}
		return encodeEach(ctx, enc, a.As, texts, func(vectors []float32, n int) error {
			done(n)
			return diversity.WriteNpyRows(w, vectors)
		})
	})
	if err != nil {
		return err
	}
	if disk.IsStream(file.Path) {
		return nil
	}
	a.Vectors = hex.EncodeToString(sum.Sum(nil))
	data, err := disk.EncodeSealed(a)
	if err != nil {
		return err
	}
	return aboutOutput(file).WriteBytes(data)
}

// encodeTexts returns the vectors of texts, one after the other.
func encodeTexts(ctx context.Context, enc runners.Encoder, as textRole, texts []string, done func(n int)) ([]float32, error) {
	out := make([]float32, 0, len(texts)*enc.Dim())
	err := encodeEach(ctx, enc, as, texts, func(vectors []float32, n int) error {
		done(n)
		out = append(out, vectors...)
		return nil
	})
	return out, err
}

// encodeEach calls take with the vectors of each batch of texts and the number of texts encoded
// so far.
func encodeEach(ctx context.Context, enc runners.Encoder, as textRole, texts []string, take func(vectors []float32, n int) error) error {
	none, dst := make([]string, batch), make([]float32, batch*enc.Dim())
	of := enc.EncodeQueries
	if as == roleDocument {
		of = func(ctx context.Context, texts, titles []string, dst []float32) error {
			return enc.EncodeDocuments(ctx, titles, texts, dst)
		}
	}
	for lo := 0; lo < len(texts); lo += batch {
		hi := min(lo+batch, len(texts))
		vectors := dst[:(hi-lo)*enc.Dim()]
		if err := of(ctx, texts[lo:hi], none[:hi-lo], vectors); err != nil {
			return err
		}
		for i := lo; i < hi; i++ {
			if !runners.Finite(vectors[(i-lo)*enc.Dim() : (i-lo+1)*enc.Dim()]) {
				return fmt.Errorf("the vector of text %d has a value that is not finite", i+1)
			}
		}
		if err := take(vectors, hi); err != nil {
			return err
		}
	}
	return nil
}
