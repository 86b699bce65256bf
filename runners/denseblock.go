package runners

import (
	"context"
	"fmt"

	"infbench/datasets"
	"infbench/internal/progress"
)

// filler makes blocks of documents.
type filler struct {
	dense         *Dense
	scope         *Scope
	size          int // size of a block
	block         *block
	titles, texts []string // titles and texts of documents in the block that have no vector yet
	same          constant
	done, of      int // documents with vectors, and all
}

// add adds a document to the block; full reports that no other fits.
func (f *filler) add(ctx context.Context, number int32, d datasets.Document) (full bool, err error) {
	f.block.docs = append(f.block.docs, number)
	f.titles, f.texts = append(f.titles, d.Title), append(f.texts, d.Text)
	full = len(f.block.docs) == f.size
	if full || len(f.texts) == f.dense.opts.BatchSize {
		err = f.encode(ctx)
	}
	return full, err
}

// encode computes the missing vectors of the block.
func (f *filler) encode(ctx context.Context) error {
	if len(f.texts) == 0 {
		return nil
	}
	part := progress.Part(ctx, f.done, f.done+len(f.texts), f.of)
	f.done += len(f.texts)
	held, err := f.hold()
	if err == nil && !held {
		err = f.ask(part)
	}
	if err != nil {
		return fmt.Errorf("encode documents: %w", err)
	}
	progress.Report(part, 1)
	f.titles, f.texts = f.titles[:0], f.texts[:0]
	return nil
}

// holder is an encoder that may have vectors in memory.
type holder interface {
	// hold calls use with the vectors of documents if all of them are in memory that does not
	// change until the encoder is closed; ok reports whether they are.
	hold(titles, texts []string, use func(vectors) bool) (ok bool, err error)
}

// hold uses the encoder's vectors in place, if it has them in memory and they can be compared
// unchanged.
func (f *filler) hold() (held bool, err error) {
	h, ok := f.dense.encoder.(holder)
	if !ok {
		return false, nil
	}
	return h.hold(f.titles, f.texts, func(v vectors) bool {
		b := f.block
		before := len(b.lengths)
		for i := range v.len() {
			n := length(v.row(i))
			if f.dense.opts.Similarity != Dot && !tame(n) {
				b.lengths = b.lengths[:before]
				return false
			}
			b.lengths = append(b.lengths, n)
		}
		f.same.see(f.titles, f.texts, v)
		for _, part := range v.parts {
			b.vectors.add(part)
		}
		return true
	})
}

// ask lets the encoder write the vectors into the block's own memory.
func (f *filler) ask(ctx context.Context) error {
	b, dim := f.block, f.dense.encoder.Dim()
	if b.memory == nil {
		b.memory = make([]float32, f.size*dim)
	}
	first := len(b.docs) - len(f.texts)
	dst := b.memory[first*dim : len(b.docs)*dim]
	if err := f.dense.encoder.EncodeDocuments(ctx, f.titles, f.texts, dst); err != nil {
		return err
	}
	encoded := vectors{dim: dim}
	encoded.add(rows{dst, dim, len(f.texts)})
	lengths, err := allLengths(ctx, encoded)
	if err != nil {
		return err
	}
	for i, n := range lengths {
		if n-n != 0 {
			return fmt.Errorf("the vector of document %q has a value that is not finite", f.scope.IDs[b.docs[first+i]])
		}
		if f.dense.opts.Similarity != Dot && !tame(n) {
			n = tamed(encoded.row(i), n)
		}
		b.lengths = append(b.lengths, n)
	}
	f.same.see(f.titles, f.texts, encoded)
	b.vectors.add(encoded.parts[0])
	return nil
}
