// Package oniguruma finds the matches of regular expressions like Oniguruma 6.9, in its syntax and
// with the characters of Unicode 16. HuggingFace's tokenizers are written for it. In contrast to
// Oniguruma, a search takes time and memory linear in the text. The package does not support syntax
// that depends on the matches of groups (references, calls, conditions), grapheme clusters and
// absent groups: an expression with one of these is an error that names it.
package oniguruma

import (
	"iter"
	"slices"
	"sync"
)

// Expression is a compiled regular expression. It is safe for concurrent use.
type Expression struct {
	text     string
	program  *program
	empty    bool
	machines sync.Pool
}

// Compile reads an expression. The error completes the sentence "it has ...".
func Compile(text string) (*Expression, error) {
	n, err := parse(text)
	if err != nil {
		return nil, err
	}
	p, err := programOf(n)
	if err != nil {
		return nil, err
	}
	e := &Expression{text: text, program: p, empty: n.mayBeEmpty()}
	e.machines.New = func() any { return &machine{program: p} }
	return e, nil
}

// String returns the source of the expression.
func (e *Expression) String() string { return e.text }

// MayBeEmpty reports whether a match can be empty; it may return true although none can.
func (e *Expression) MayBeEmpty() bool { return e.empty }

// Takes reports whether a match can contain a character; it may return true although none can.
func (e *Expression) Takes(r rune) bool {
	return slices.ContainsFunc(e.program.code, func(i instruction) bool {
		return (i.op == takeOne || i.op == takeRun) && i.table.has(r)
	})
}

// All yields the bounds of the matches in a text, in order, without overlap. A match may be empty,
// except at the end of the last one. An empty text has no matches, as in HuggingFace's library.
func (e *Expression) All(text string) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		m := e.machines.Get().(*machine)
		defer e.machines.Put(m)
		m.reset(text)
		last := -1
		for from := 0; text != "" && from <= len(text); {
			start, end := m.find(from)
			if start < 0 {
				return
			}
			if start == end && end == last {
				_, from = m.after(end)
				if from == end {
					return
				}
				continue
			}
			if !yield(start, end) {
				return
			}
			from, last = end, end
		}
	}
}
