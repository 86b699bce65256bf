package encoder

import (
	"cmp"
	"errors"
	"path/filepath"

	"infbench/training/tokenizer"
	"infbench/training/weights"
)

// body inspects a network and returns it without weights.
func (i *Inspection) body(b body) (*Encoder, error) {
	weights, err := weights.OpenFolder(b.root)
	if err != nil {
		return nil, err
	}
	defer weights.Close()
	i.count(infos(weights), func(string) bool { return true })
	e, err := b.plan(weights)
	if err != nil {
		return nil, err
	}
	i.Class, i.Architecture = e.config.class(), e.config.ModelType
	i.Layers, i.Width, i.Vocabulary, i.Positions = e.config.NumHiddenLayers, e.config.HiddenSize, e.config.VocabSize, e.config.maxTokens
	i.Heads = e.config.NumAttentionHeads
	i.MaxQuery, i.MaxDocument = e.config.Text.MaxQuery, e.config.Text.MaxDocument
	i.Notes = append(i.Notes, e.config.remarks...)
	if e.tokens.tokenizer == nil {
		return nil, errNoTokenizer
	}
	i.Tokenizer = e.tokens.tokenizer.String()
	i.match(e, weights)
	return e, nil
}

// multiVector inspects a late-interaction model.
func (i *Inspection) multiVector(dir string) error {
	i.Kind = KindLate
	folder, err := readLateFolder(dir)
	if err != nil {
		return err
	}
	i.card.overSides(dir, &folder.text)
	e, err := i.body(folder.bodyIn(dir))
	if err != nil {
		return err
	}
	if folder.dense != "" {
		if err := e.params.addDense(filepath.Join(dir, folder.dense), tokenVectors); err != nil {
			return err
		}
	}
	m, err := newMultiVector(e, folder.lateSettings)
	if err != nil {
		return err
	}
	i.Dim, i.Normalize = m.Dim(), folder.normalize
	i.Notes = append(i.Notes, m.notes...)
	return nil
}

// sparse inspects a sparse model and describes the network that reads documents.
func (i *Inspection) sparse(dir string) error {
	i.Kind = KindSparse
	folder, err := readSparseFolder(dir)
	if err != nil {
		return err
	}
	i.card.overSides(dir, &folder.text)
	parts := []sparsePart{folder.query, folder.document}
	if folder.query == folder.document {
		parts = parts[1:]
	}
	var all error
	for _, part := range parts {
		if err := i.sparsePart(part, folder.text); err != nil {
			all = errors.Join(all, err)
		}
	}
	return all
}

// sparsePart inspects the part for one kind of text and adds to the findings of the other part.
func (i *Inspection) sparsePart(p sparsePart, text Text) error {
	before := *i
	if p.table != "" {
		if err := i.termTable(p.table); err != nil {
			return err
		}
	} else {
		b, pooling, err := p.body(text)
		if err != nil {
			return err
		}
		e, err := i.body(b)
		if err != nil {
			return err
		}
		if _, err := newSplade(e, pooling); err != nil {
			return err
		}
	}
	i.Tensors, i.Parameters, i.Memory = i.Tensors+before.Tensors, i.Parameters+before.Parameters, i.Memory+before.Memory
	i.Unknown, i.Missing = append(before.Unknown, i.Unknown...), append(before.Missing, i.Missing...)
	i.Tokenizer = cmp.Or(i.Tokenizer, before.Tokenizer)
	return nil
}

// termTable inspects a table of weights.
func (i *Inspection) termTable(dir string) error {
	tok, err := tokenizer.OpenAs(dir, tokenizer.AsFile)
	if err != nil {
		return err
	}
	weights, err := weights.OpenFolder(dir)
	if err != nil {
		return err
	}
	defer weights.Close()
	i.count(infos(weights), func(string) bool { return true })
	i.Tokenizer, i.Vocabulary = tok.String(), tok.VocabSize()
	i.Unknown, i.Missing = nil, nil
	return checkTermTable(weights, tok)
}
