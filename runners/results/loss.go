package results

import (
	"regexp"
	"strings"
)

// The name of a loss in commands, multi:P+I, and in labels, multi(P,I).
var (
	typedLoss = regexp.MustCompile(`\b(uni|multi|sig):([A-Z]+(?:\+[A-Z]+)*)`)
	labelLoss = regexp.MustCompile(`\b(uni|multi|sig)\(([A-Z]+(?:,[A-Z]+)*)\)`)
)

// AsLabel returns a text with the names of losses as in labels.
func AsLabel(text string) string {
	return typedLoss.ReplaceAllStringFunc(text, func(loss string) string {
		form, terms, _ := strings.Cut(loss, ":")
		return form + "(" + strings.ReplaceAll(terms, "+", ",") + ")"
	})
}

// AsTyped returns a text with the names of losses as in commands, without characters that are
// special in a shell.
func AsTyped(text string) string {
	return labelLoss.ReplaceAllStringFunc(text, func(loss string) string {
		form, terms, _ := strings.Cut(strings.TrimSuffix(loss, ")"), "(")
		return form + ":" + strings.ReplaceAll(terms, ",", "+")
	})
}
