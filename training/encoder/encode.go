package encoder

import (
	"context"
	"fmt"
)

// EncodeQueries writes the vector of query i under instruction i to dst[i*Dim:(i+1)*Dim]. A
// vector does not depend on the others in the same call beyond 1e-6.
func (e *Encoder) EncodeQueries(ctx context.Context, queries, instructions []string, dst []float32) error {
	if len(queries) != len(instructions) {
		return fmt.Errorf("encode queries: %d queries, %d instructions", len(queries), len(instructions))
	}
	if e.config.Text.Interaction.Crossed() {
		if err := e.Crossing().encode(ctx, queries, instructions, dst); err != nil {
			return fmt.Errorf("encode queries: %w", err)
		}
		return nil
	}
	err := e.passes.of(Queries, e.params.separate).texts(ctx, len(queries), dst, func(i int) sequence {
		return e.tokens.marked(e.tokens.Query(queries[i], instructions[i]), e.config.Text.queryPrompt(instructions[i]))
	})
	if err != nil {
		return fmt.Errorf("encode queries: %w", err)
	}
	return nil
}

// EncodeDocuments is EncodeQueries for documents.
func (e *Encoder) EncodeDocuments(ctx context.Context, titles, texts []string, dst []float32) error {
	if len(titles) != len(texts) {
		return fmt.Errorf("encode documents: %d titles, %d texts", len(titles), len(texts))
	}
	err := e.passes.of(Documents, e.params.separate).texts(ctx, len(texts), dst, func(i int) sequence {
		return e.tokens.marked(e.tokens.Document(titles[i], texts[i]), e.config.Text.documentPrompt(titles[i]))
	})
	if err != nil {
		return fmt.Errorf("encode documents: %w", err)
	}
	return nil
}
