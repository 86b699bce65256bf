package spec

import (
	"errors"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// questionAtMost limits the characters of a question, which is a heading.
const questionAtMost = 300

// question reads the question that an experiment answers.
func (p *parser) question(n *yaml.Node, into *string) {
	if !p.Into(n, reflect.ValueOf(into).Elem(), "question") {
		return
	}
	*into = strings.TrimSpace(*into)
	if err := checkQuestion(*into); err != nil {
		p.Fail(n, "question: %w", err)
	}
}

// checkQuestion returns an error for a text that cannot be a heading.
func checkQuestion(text string) error {
	switch n := utf8.RuneCountInString(text); {
	case n == 0:
		return errors.New("want a sentence, found nothing: leave the key out to derive it from the settings that vary")
	case n > questionAtMost:
		return errors.New("want at most 300 characters")
	case strings.ContainsFunc(text, unicode.IsControl):
		return errors.New("want one line of text")
	}
	return nil
}
