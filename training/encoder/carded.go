package encoder

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/gomlx/compute"

	"infbench/internal/disk"
)

// Over says whether texts are handled as the card says where a folder holds the card's
// model: a folder's own infbench.json wins over the card, and the card over the files
// of sentence-transformers, which do not say how instructions are joined.
func (c *Card) Over(dir string) bool {
	if c == nil || !c.InFolder() {
		return false
	}
	_, err := disk.Stat(filepath.Join(dir, ownFile))
	return err != nil
}

// Open is Open of a folder that holds the card's model; nil is no card.
func (c *Card) Open(dir string, backend compute.Backend) (*Encoder, error) {
	if c == nil {
		return Open(dir, backend)
	}
	err := checkOneVector(dir)
	if err != nil {
		return nil, fmt.Errorf("open model %s: %w", dir, err)
	}
	e, err := openAs(dir, c, backend, nil, encoderHead)
	if err != nil {
		return nil, fmt.Errorf("open model %s: %w", dir, err)
	}
	return e, nil
}

// OpenCrossEncoder is OpenCrossEncoder of a folder that holds the card's model; nil is
// no card. A card's judge asks a language model whose folder has none.
func (c *Card) OpenCrossEncoder(dir string, backend compute.Backend) (*CrossEncoder, error) {
	found, err := readCrossEncoder(dir, c, backend)
	if err != nil {
		return nil, fmt.Errorf("open cross-encoder %s: %w", dir, err)
	}
	return found, nil
}

// Remarks say what the files of the folder say and is read otherwise, and in which points
// a card and those files contradict each other, and which of them counts.
func (e *Encoder) Remarks() []string { return slices.Concat(e.config.remarks, e.remarks) }

// Remarks are those of the model.
func (c *CrossEncoder) Remarks() []string { return c.model.Remarks() }

// over puts what a card says over what the files of a folder say of texts, unless
// infbench.json is among them, and words the contradictions.
func (c *Card) over(dir string, where layout, t *Text) (remarks []string) {
	if c == nil {
		return nil
	}
	counts := "the card's"
	if !c.Over(dir) {
		counts = ownFile + "'s"
	}
	says := func(what, card, folder string, said bool) {
		if said && card != folder {
			remarks = append(remarks, fmt.Sprintf("%s is %q by the card %s and %q by the folder; %s counts", what, card, c.Name, folder, counts))
		}
	}
	has := func(path ...string) bool {
		_, err := disk.Stat(filepath.Join(append([]string{dir}, path...)...))
		return err == nil
	}
	own := has(ownFile)
	says("pooling", string(c.Pooling), string(cmp.Or(t.Pooling, Mean)), c.Pooling != "" && (own || has(where.pooling, "config.json")))
	if c.Normalize != nil {
		says("normalize", fmt.Sprint(*c.Normalize), fmt.Sprint(t.Normalize), own || has(modulesFile))
	}
	says("query", c.Query, t.Query, c.Query != "" && t.Query != "")
	says("document", c.Document, t.Document, c.Document != "" && t.Document != "")
	says("max_tokens", fmt.Sprint(c.MaxTokens), fmt.Sprint(t.MaxDocument), c.MaxTokens > 0 && t.MaxDocument > 0)
	if c.Over(dir) {
		c.put(t)
	}
	return remarks
}

// setTemplates sets the templates that are given.
func (t *Text) setTemplates(query, queryAlone, document, documentAlone string) {
	setIf(&t.Query, query)
	setIf(&t.QueryAlone, queryAlone)
	setIf(&t.Document, document)
	setIf(&t.DocumentAlone, documentAlone)
}

// put sets what the card says; what it leaves open stays.
func (c *Card) put(t *Text) {
	if c.Pooling != "" {
		t.Pooling, t.unlisted = c.Pooling, false
	}
	setIf(&t.Prompt, c.Prompt)
	t.setTemplates(c.Query, c.QueryAlone, c.Document, c.DocumentAlone)
	if c.Normalize != nil {
		t.Normalize = *c.Normalize
	}
	if c.MaxTokens > 0 {
		t.MaxQuery, t.MaxDocument, t.most = 0, 0, c.MaxTokens
	}
	t.AppendEOS = t.AppendEOS || c.AppendEOS
	t.BothWays = t.BothWays || c.Attention == bidirectional
	t.attentionKnown = t.attentionKnown || c.Attention != ""
	if c.Judge != nil {
		t.Judge = *c.Judge
	}
}

// overSides is over for models whose folders say how texts become tokens: the card says
// how they are joined, and its lengths are compared with the folder's.
func (c *Card) overSides(dir string, t *Text) (remarks []string) {
	if !c.Over(dir) {
		return nil
	}
	for _, length := range []struct {
		what         string
		card, folder int
	}{{"max_query_tokens", c.MaxQueryTokens, t.MaxQuery}, {"max_tokens", c.MaxTokens, t.MaxDocument}} {
		if length.card > 0 && length.folder > 0 && length.card != length.folder {
			remarks = append(remarks, fmt.Sprintf("%s is %d by the card %s and %d by the folder; the folder's counts", length.what, length.card, c.Name, length.folder))
		}
	}
	t.setTemplates(c.Query, c.QueryAlone, c.Document, c.DocumentAlone)
	setDefault(&t.MaxQuery, c.MaxQueryTokens)
	setDefault(&t.MaxDocument, c.MaxTokens)
	return remarks
}
