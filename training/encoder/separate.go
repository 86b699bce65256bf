package encoder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
)

// The folders of a model with separate encoders, each a model by itself. An infbench.json next to
// them names them.
const (
	queryFolder    = "query_encoder"
	documentFolder = "document_encoder"
)

// ownSides is the part of infbench.json for a folder that holds a model for each side: their
// paths, relative to it.
type ownSides struct {
	Queries   string `json:"query_encoder,omitempty"`
	Documents string `json:"document_encoder,omitempty"`
}

// readSides returns the folders of separate encoders; ok is false if a folder holds one model.
func readSides(dir string) (query, document string, ok bool, err error) {
	own, _, err := readOwn(dir)
	if err != nil {
		return "", "", false, err
	}
	switch {
	case own.ownSides == (ownSides{}):
		return "", "", false, nil
	case !filepath.IsLocal(own.Queries) || !filepath.IsLocal(own.Documents):
		return "", "", false, fmt.Errorf("%s: query_encoder %q and document_encoder %q must both be folders inside", ownFile, own.Queries, own.Documents)
	}
	return filepath.Join(dir, own.Queries), filepath.Join(dir, own.Documents), true, nil
}

// sideFolder names the folder of a side.
func sideFolder(s Side) string {
	if s == Documents {
		return documentFolder
	}
	return queryFolder
}

// openBoth joins the encoders of two folders.
func openBoth(query, document string, open func(folder string) (*Encoder, error)) (*Encoder, error) {
	e, err := open(query)
	if err != nil {
		return nil, err
	}
	other, err := open(document)
	if err != nil {
		return nil, err
	}
	if err := sameButWeights(e, other); err != nil {
		return nil, fmt.Errorf("%s and %s: %w", query, document, err)
	}
	return e, e.params.separateFrom(other.params)
}

// sameButWeights returns an error for two encoders that could not share one configuration.
func sameButWeights(e, other *Encoder) error {
	one, errOne := json.Marshal([]any{e.config, e.config.Text, e.config.Text.dims, e.params.dense})
	two, errTwo := json.Marshal([]any{other.config, other.config.Text, other.config.Text.dims, other.params.dense})
	if err := errors.Join(errOne, errTwo); err != nil {
		return err
	}
	if !bytes.Equal(one, two) {
		return errors.New("separate encoders must have one configuration and one handling of texts")
	}
	if e.tokens.tokenizer == nil || other.tokens.tokenizer == nil || !reflect.DeepEqual(e.tokens.tokenizer.Files(), other.tokens.tokenizer.Files()) {
		return errors.New("separate encoders must have one tokenizer")
	}
	if e.params.separate || other.params.separate {
		return errors.New("a side of separate encoders is separate itself")
	}
	return nil
}

// sides inspects separate encoders. It describes the query's, with sizes and faults of both.
func (i *Inspection) sides(query, document string) error {
	other := &Inspection{Kind: i.Kind}
	err := errors.Join(i.network(query), labelled(documentFolder, other.network(document)))
	if i.Kind != "encoder" || other.Kind != i.Kind {
		err = errors.Join(err, fmt.Errorf("separate encoders: found %s and %s", i.Kind, other.Kind))
	}
	i.Kind = "separate encoders"
	i.Tensors, i.Parameters, i.Memory = i.Tensors+other.Tensors, i.Parameters+other.Parameters, i.Memory+other.Memory
	for _, kind := range other.DTypes {
		if !slices.Contains(i.DTypes, kind) {
			i.DTypes = append(i.DTypes, kind)
		}
	}
	for _, part := range []struct {
		into *[]string
		from []string
	}{{&i.Unknown, other.Unknown}, {&i.Missing, other.Missing}, {&i.Problems, other.Problems}} {
		for _, text := range part.from {
			*part.into = append(*part.into, documentFolder+": "+text)
		}
	}
	return err
}

// labelled adds the part that an error is about.
func labelled(part string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", part, err)
}
