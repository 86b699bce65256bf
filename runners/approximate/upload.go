package approximate

import (
	"context"
	"fmt"

	"infbench/runners"
)

const (
	encodeTexts = 2048    // texts given to the encoder at a time, as in runners.Dense
	bodyBytes   = 4 << 20 // approximate size of a request
	valueBytes  = 12      // size of a value as JSON
)

// upload encodes and sends the documents that a collection does not have; their number in the
// corpus is their ID there. Existing documents stay, so that a killed run continues.
func (r *Retriever) upload(ctx context.Context, sc *runners.Scope, at Opened) error {
	there, err := r.server.Count(ctx, at)
	if err != nil || there == len(sc.IDs) {
		return err
	}
	most, err := r.server.MostAtOnce(ctx)
	if err != nil {
		return err
	}
	err = sc.EachBatch(ctx, min(encodeTexts, most), func(ctx context.Context, b *runners.DocumentBatch) error {
		if there > 0 {
			if err := r.dropHeld(ctx, at, b); err != nil {
				return err
			}
		}
		return r.send(ctx, sc, at, b)
	})
	if err != nil {
		return err
	}
	if there, err = r.server.Count(ctx, at); err == nil && there != len(sc.IDs) {
		err = fmt.Errorf("it has %d documents, but the corpus has %d: delete it on the server", there, len(sc.IDs))
	}
	return err
}

// dropHeld removes from a batch the documents that the collection has.
func (r *Retriever) dropHeld(ctx context.Context, at Opened, b *runners.DocumentBatch) error {
	held, err := r.server.Held(ctx, at, b.Numbers)
	if err != nil {
		return err
	}
	n := 0
	for i, number := range b.Numbers {
		if !held[number] {
			b.Numbers[n], b.Titles[n], b.Texts[n] = number, b.Titles[i], b.Texts[i]
			n++
		}
	}
	b.Numbers, b.Titles, b.Texts = b.Numbers[:n], b.Titles[:n], b.Texts[:n]
	return nil
}

// send encodes documents and sends their vectors.
func (r *Retriever) send(ctx context.Context, sc *runners.Scope, at Opened, b *runners.DocumentBatch) error {
	if len(b.Numbers) == 0 {
		return nil
	}
	dim := r.encoder.Dim()
	vectors := make([]float32, len(b.Numbers)*dim)
	if err := r.encoder.EncodeDocuments(ctx, b.Titles, b.Texts, vectors); err != nil {
		return fmt.Errorf("encode documents: %w", err)
	}
	if err := r.prepare(vectors, func(i int) string { return fmt.Sprintf("document %q", sc.IDs[b.Numbers[i]]) }); err != nil {
		return err
	}
	some := max(1, bodyBytes/(valueBytes*dim))
	for from := 0; from < len(b.Numbers); from += some {
		to := min(from+some, len(b.Numbers))
		if err := r.server.Upsert(ctx, at, b.Numbers[from:to], vectors[from*dim:to*dim]); err != nil {
			return err
		}
	}
	return nil
}
