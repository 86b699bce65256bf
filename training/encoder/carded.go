package encoder

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/gomlx/compute"

	"infbench/internal/disk"
)

// Over reports whether the card decides how texts are handled for a folder that holds the card's
// model. A folder's own infbench.json wins over the card, and the card wins over the files of
// sentence-transformers, which do not define how instructions are joined.
func (c *Card) Over(dir string) bool {
	if c == nil || !c.InFolder() {
		return false
	}
	_, err := disk.Stat(filepath.Join(dir, ownFile))
	return err != nil
}

// Open is like the function Open, for a folder that holds the card's model; c may be nil.
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

// OpenCrossEncoder is like the function OpenCrossEncoder, for a folder that holds the card's
// model; c may be nil. The card's judge asks a language model whose folder has no judge.
func (c *Card) OpenCrossEncoder(dir string, backend compute.Backend) (*CrossEncoder, error) {
	found, err := readCrossEncoder(dir, c, backend, nil)
	if err != nil {
		return nil, fmt.Errorf("open cross-encoder %s: %w", dir, err)
	}
	return found, nil
}

// Remarks lists settings in the folder's files that are not followed, and the contradictions
// between the card and those files with the value that counts.
func (e *Encoder) Remarks() []string { return slices.Concat(e.config.remarks, e.remarks) }

// Remarks returns the remarks of the model.
func (c *CrossEncoder) Remarks() []string { return c.model.Remarks() }

// over replaces the text settings of the folder's files by the card's, unless infbench.json is
// among the files, and reports contradictions.
func (c *Card) over(dir string, where layout, t *Text) (remarks []string) {
	if c == nil {
		return nil
	}
	t.stated = true
	counts := "the card's"
	if !c.Over(dir) {
		counts = ownFile + "'s"
	}
	compare := func(what, card, folder string, set bool) {
		if set && card != folder {
			remarks = append(remarks, fmt.Sprintf("%s is %q by the card %s and %q by the folder; %s counts", what, card, c.Name, folder, counts))
		}
	}
	has := func(path ...string) bool {
		_, err := disk.Stat(filepath.Join(append([]string{dir}, path...)...))
		return err == nil
	}
	own := has(ownFile)
	compare("pooling", string(c.Pooling), string(cmp.Or(t.Pooling, Mean)), c.Pooling != "" && (own || has(where.pooling, "config.json")))
	if c.Normalize != nil {
		compare("normalize", fmt.Sprint(*c.Normalize), fmt.Sprint(t.Normalize), own || has(modulesFile))
	}
	compare("query", c.Query, t.Query, c.Query != "" && t.Query != "")
	compare("document", c.Document, t.Document, c.Document != "" && t.Document != "")
	compare("max_tokens", fmt.Sprint(c.MaxTokens), fmt.Sprint(t.MaxDocument), c.MaxTokens > 0 && t.MaxDocument > 0)
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

// put applies the card's settings; settings missing in the card do not change.
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

// overSides is like over for models whose folders define how texts become tokens: the card
// defines how they are joined, and its lengths are compared with the folder's.
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
