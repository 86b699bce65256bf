package results

import (
	"regexp"
	"strings"
)

// The name of a loss as commands have it, multi:P+I, and as labels have it, multi(P,I).
var (
	typedLoss = regexp.MustCompile(`\b(uni|multi|sig):([A-Z]+(?:\+[A-Z]+)*)`)
	labelLoss = regexp.MustCompile(`\b(uni|multi|sig)\(([A-Z]+(?:,[A-Z]+)*)\)`)
)

// AsLabel is a text with the names of losses as labels have them.
func AsLabel(text string) string {
	return typedLoss.ReplaceAllStringFunc(text, func(loss string) string {
		form, terms, _ := strings.Cut(loss, ":")
		return form + "(" + strings.ReplaceAll(terms, "+", ",") + ")"
	})
}

// AsTyped is a text with the names of losses as commands have them, in which a shell sees
// nothing of its own.
func AsTyped(text string) string {
	return labelLoss.ReplaceAllStringFunc(text, func(loss string) string {
		form, terms, _ := strings.Cut(strings.TrimSuffix(loss, ")"), "(")
		return form + ":" + strings.ReplaceAll(terms, ",", "+")
	})
}
