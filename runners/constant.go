package runners

import (
	"fmt"
	"slices"
)

// constant detects an encoder that gives every document the same vector, as with broken weights
// or endpoints: all documents would be tied, but the results would look like numbers. Two
// documents may have the same vector, if they begin alike and are cut.
type constant struct {
	text, title   string // of the first document
	vector        []float32
	texts, varies bool // whether texts, and vectors, differ from the first
	seen          int
}

// see compares documents and their vectors with the first.
func (c *constant) see(titles, texts []string, of vectors) {
	c.seen += len(texts)
	for i := range texts {
		if c.varies {
			return
		}
		v := of.row(i)
		if c.vector == nil {
			c.title, c.text, c.vector = titles[i], texts[i], slices.Clone(v)
		}
		c.texts = c.texts || texts[i] != c.text || titles[i] != c.title
		c.varies = !slices.Equal(v, c.vector)
	}
}

// check returns an error if different documents have the same vector.
func (c *constant) check() error {
	if c.texts && !c.varies {
		return fmt.Errorf("all %d documents have the same vector, although their texts differ: no query can find anything", c.seen)
	}
	return nil
}
