package runners

import (
	"fmt"
	"slices"
)

// constant notices an encoder that gives every document the same vector, as broken
// weights and endpoints do: all rankings would be ties, and look like numbers. Two
// documents may well share one, where they begin alike and are cut.
type constant struct {
	text, title   string // of the first document
	vector        []float32
	texts, varies bool // differ from the first's; a vector does
	seen          int
}

// see takes note of documents with their vectors.
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

// check refuses one vector for documents that differ.
func (c *constant) check() error {
	if c.texts && !c.varies {
		return fmt.Errorf("all %d documents have the same vector, whatever they say: nothing can be found by that", c.seen)
	}
	return nil
}
