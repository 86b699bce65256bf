package words

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// LookAlikes finds names that a reader would take for the same name: they differ only in white
// space, case, invisible characters, the Unicode encoding of a character, or a Greek or Cyrillic
// letter shaped like a Latin one. It returns one sentence for each such group.
func LookAlikes(names []string) (sentences []string) {
	groups := map[string][]string{}
	for _, name := range names {
		shape := shapeOf(name)
		groups[shape] = AddNew(groups[shape], name)
	}
	for _, shape := range slices.Sorted(maps.Keys(groups)) {
		if group := groups[shape]; len(group) > 1 {
			for i := range group {
				group[i] = fmt.Sprintf("%+q", group[i])
			}
			sentences = append(sentences, "These names look alike and are kept apart: "+Listed(group))
		}
	}
	return sentences
}

// shapeOf returns the same key for names that look alike.
func shapeOf(name string) string {
	return strings.Map(func(r rune) rune {
		switch latin, alike := latinShapes[r]; {
		case alike:
			return latin
		case unicode.IsSpace(r) || Invisible(r):
			return -1
		}
		return r
	}, strings.ToLower(norm.NFKC.String(name)))
}

// latinShapes maps letters of other scripts that look like Latin ones, in lower or upper case, and
// dashes (Unicode Technical Standard 39, confusables.txt).
var latinShapes = func() map[rune]rune {
	shapes := map[rune]rune{}
	for latin, others := range map[rune]string{
		'a': "аα", 'b': "вβ", 'c': "сϲ", 'd': "ԁ", 'e': "еε", 'h': "һнη", 'i': "іι", 'j': "ј", 'k': "кκ", 'l': "ӏ", 'm': "мμ", 'n': "ν",
		'o': "оο", 'p': "рρ", 'q': "ԛ", 's': "ѕ", 't': "тτ", 'v': "ѵ", 'w': "ԝ", 'x': "хχ", 'y': "уυү", 'z': "ζ", '-': "‐‑‒–—−",
	} {
		for _, r := range others {
			shapes[r] = latin
		}
	}
	return shapes
}()
