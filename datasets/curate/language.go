package curate

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"infbench/internal/nearest"
)

// functionWords are words that texts of a language need and that few other of these languages have.
var functionWords = map[string]string{
	"en": "the of and to is that for with are this which not what how only as was be from",
	"de": "der die das und ist nicht mit für auf ein eine den dem zu wie nur sind im von",
	"fr": "le les des et est une dans pour que qui pas sur avec sont du au ce cette",
	"es": "el los las y es una para que por con del como pero sólo son está en se",
	"it": "il gli della e che per con non una sono di nel è solo dei alla come questo",
	"pt": "os das e é uma para que não com do da em por como são mais um ao",
	"nl": "het een en van is niet met voor dat op zijn alleen te aan die ook wordt",
}

// LanguageNames lists the languages that can be recognized.
func LanguageNames() []string { return slices.Sorted(maps.Keys(functionWords)) }

// CheckLanguage rejects a language that cannot be recognized; "" means any.
func CheckLanguage(name string) error { return nearest.OneOf("language", name, LanguageNames()...) }

// IsIn reports whether a text may be in a language: most of its letters are Latin, and no other
// known language has two or more function words more in it. It accepts short texts without function
// words.
func IsIn(text, language string) bool {
	if language == "" {
		return true
	}
	latin, letters := 0, 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			letters++
			if unicode.Is(unicode.Latin, r) {
				latin++
			}
		}
	}
	if 2*latin < letters {
		return false
	}
	words := plainWords(text)
	own := countOf(words, language)
	for other := range functionWords {
		if other != language && countOf(words, other) >= own+2 {
			return false
		}
	}
	return true
}

func countOf(words []string, language string) int {
	known, n := strings.Fields(functionWords[language]), 0
	for _, w := range words {
		if slices.Contains(known, w) {
			n++
		}
	}
	return n
}

// programmingLanguages are the languages that instructions for code name, with their other names.
var programmingLanguages = [][]string{
	{"python", "python3"}, {"java"}, {"javascript", "js"}, {"typescript"}, {"c++", "cpp"}, {"c#", "csharp"}, {"c"}, {"go", "golang"},
	{"rust"}, {"ruby"}, {"php"}, {"swift"}, {"kotlin"}, {"scala"}, {"haskell"}, {"perl"}, {"r"}, {"sql"}, {"bash", "shell"}, {"lua"},
}

// codeLanguages returns the programming languages that a text names, in a fixed order. "Go", "C"
// and "R" are case-sensitive.
func codeLanguages(text string) []string {
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '+' && r != '#' })
	var named []string
	for _, names := range programmingLanguages {
		if slices.ContainsFunc(words, func(w string) bool {
			return slices.Contains(names, strings.ToLower(w)) && (w != "go" && w != "c" && w != "r")
		}) {
			named = append(named, names[0])
		}
	}
	return named
}
