package encoder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
)

// errNoTokenizer is returned where texts meet a model without a tokenizer.
var errNoTokenizer = errors.New("the model folder has neither tokenizer.json nor vocab.txt, vocab.json or a SentencePiece model (spiece.model, tokenizer.model)")

// PadID is the id that fills short sequences.
func (e *Encoder) PadID() int32 {
	if e.tokenizer != nil {
		if id, ok := e.tokenizer.PadID(); ok {
			return id
		}
	}
	if id := e.config.PadTokenID; int(id) < e.config.VocabSize {
		return max(0, id) // -1 is none
	}
	return 0
}

// QueryTokens returns the ids of a query joined with its instruction (which
// may be empty), with special tokens, at most Text.MaxQuery of them; nil where
// the model has no tokenizer.
func (e *Encoder) QueryTokens(query, instruction string) []int32 {
	if e.tokenizer == nil {
		return nil
	}
	return e.QueryTokensBy(e.config.Text.Concat, query, instruction)
}

// QueryTokensBy is QueryTokens under another concatenation than the model's own.
// ByToken gives at most twice Text.MaxQuery tokens and those of the template.
func (e *Encoder) QueryTokensBy(c Concatenation, query, instruction string) []int32 {
	if e.tokenizer == nil {
		return nil
	}
	t := &e.config.Text
	if c != ByToken || instruction == "" {
		return e.filled(e.tokens(t.query(query, instruction), t.MaxQuery), t.MaxQuery)
	}
	return e.filled(e.joinTokens(query, instruction), min(2*t.MaxQuery, cmp.Or(e.config.maxTokens, 2*t.MaxQuery)))
}

// DocumentTokens returns the ids of a document (its title may be empty), with
// special tokens, at most Text.MaxDocument of them; nil where the model has no
// tokenizer.
func (e *Encoder) DocumentTokens(title, text string) []int32 {
	if e.tokenizer == nil {
		return nil
	}
	limit := e.config.Text.MaxDocument
	return e.filled(e.tokens(e.config.Text.document(title, text), limit), limit)
}

// tokens returns the ids of a text, at most limit of them; the last is the end
// token where texts are to end with it.
func (e *Encoder) tokens(text string, limit int) []int32 {
	if _, isStatic := e.arch.(static); isStatic {
		return e.tokenizer.EncodeBare(text, limit)
	}
	ids := e.tokenizer.Encode(text, limit)
	if !e.config.Text.AppendEOS || len(ids) > 0 && ids[len(ids)-1] == e.config.eos {
		return ids
	}
	return append(e.tokenizer.Encode(text, limit-1), e.config.eos)
}

// EncodeQueries writes the vector of query i under instruction i to
// dst[i*Dim:(i+1)*Dim]. A vector does not depend on the others encoded with it
// beyond 1e-6.
func (e *Encoder) EncodeQueries(ctx context.Context, queries, instructions []string, dst []float32) error {
	if len(queries) != len(instructions) {
		return fmt.Errorf("encode queries: %d queries, %d instructions", len(queries), len(instructions))
	}
	if e.config.Text.Interaction.Crossed() {
		if err := e.encodeCrossed(ctx, queries, instructions, dst); err != nil {
			return fmt.Errorf("encode queries: %w", err)
		}
		return nil
	}
	err := e.encode(ctx, e.queryVectors(), len(queries), dst, func(i int) sequence {
		return e.marked(e.QueryTokens(queries[i], instructions[i]), e.config.Text.queryPrompt(instructions[i]))
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
	err := e.encode(ctx, &e.vectors, len(texts), dst, func(i int) sequence {
		return e.marked(e.DocumentTokens(titles[i], texts[i]), e.config.Text.documentPrompt(titles[i]))
	})
	if err != nil {
		return fmt.Errorf("encode documents: %w", err)
	}
	return nil
}

// encode embeds n token sequences.
func (e *Encoder) encode(ctx context.Context, by *batched, n int, dst []float32, tokens func(int) sequence) error {
	if e.tokenizer == nil {
		return errNoTokenizer
	}
	if len(dst) != n*e.Dim() {
		return fmt.Errorf("dst has %d values, %d vectors of %d need %d", len(dst), n, e.Dim(), n*e.Dim())
	}
	sequences := make([]sequence, n)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		sequences[i] = tokens(i)
	}
	return by.run(ctx, sequences, dst)
}
