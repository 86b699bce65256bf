package jinja

import (
	"fmt"
	"slices"
)

// expr computes a value.
type expr func(r *run) (any, error)

// parser makes a template of tokens.
type parser struct {
	tokens []token
	at     int
	depth  int // of what stands in what
}

func (p *parser) peek() token {
	if p.at < len(p.tokens) {
		return p.tokens[p.at]
	}
	return token{kind: end, text: "the end of the template"}
}

// is says whether the next token is a sign or name; accept also passes over it.
func (p *parser) is(k kind, texts ...string) bool {
	t := p.peek()
	return p.at < len(p.tokens) && t.kind == k && slices.Contains(texts, t.text)
}

func (p *parser) accept(k kind, text string) bool {
	if !p.is(k, text) {
		return false
	}
	p.at++
	return true
}

func (p *parser) want(k kind, text string) error {
	if p.accept(k, text) {
		return nil
	}
	return p.fault("want %q", text)
}

func (p *parser) wantName() (string, error) {
	if t := p.peek(); p.at < len(p.tokens) && t.kind == name {
		p.at++
		return t.text, nil
	}
	return "", p.fault("want a name")
}

func (p *parser) fault(format string, args ...any) error {
	t := p.peek()
	line := t.line
	if p.at >= len(p.tokens) && p.at > 0 {
		line = p.tokens[len(p.tokens)-1].line
	}
	return fmt.Errorf("line %d: %s at %q", line, fmt.Sprintf(format, args...), t.text)
}

// maxDepth bounds what stands in what, in sources and when they run.
const maxDepth = 100

// deeper guards against sources of brackets alone.
func (p *parser) deeper() error {
	if p.depth++; p.depth > maxDepth {
		return p.fault("more than %d brackets in each other", maxDepth)
	}
	return nil
}

// separated reads what stands between commas, the last of which may have one after it, and
// the bracket after all.
func (p *parser) separated(closing string, one func() error) error {
	for n := 0; !p.accept(sign, closing); n++ {
		if n > 0 {
			if err := p.want(sign, ","); err != nil {
				return err
			}
			if p.accept(sign, closing) {
				break
			}
		}
		if err := one(); err != nil {
			return err
		}
	}
	return nil
}
