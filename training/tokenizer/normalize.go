package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// readNormalizer reads a normalizer section of any type.
func readNormalizer(data json.RawMessage) (normalizer, error) {
	kind, err := typeOf(data)
	if err != nil {
		return nil, err
	}
	return readKind("normalizer type", kind, data, map[string]func(json.RawMessage) (normalizer, error){
		"BertNormalizer": readBertNormalizer,
		"Lowercase":      bare(lowerCase),
		"NFC":            bare(norm.NFC.String),
		"NFD":            bare(norm.NFD.String),
		"NFKC":           bare(norm.NFKC.String),
		"NFKD":           bare(norm.NFKD.String),
		"Precompiled":    readPrecompiled,
		"Prepend":        readPrepend,
		"Replace":        readReplace,
		"Sequence":       readNormalizers,
		"Strip":          readStrip,
		"StripAccents":   bare(dropMarks),
	})
}

// rewrite is a normalizer that is a plain function.
type rewrite func(string) string

func (f rewrite) normalize(s string) string { return f(s) }

// bare reads a section that holds nothing but its type.
func bare(f rewrite) func(json.RawMessage) (normalizer, error) {
	return func(data json.RawMessage) (normalizer, error) {
		section := struct {
			Type string `json:"type"`
		}{}
		return f, strict(data, &section)
	}
}

// dropMarks removes combining marks; it does not decompose.
func dropMarks(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsMark(r) {
			return -1
		}
		return r
	}, s)
}

// readNormalizers reads a Sequence: one normalizer after the other.
func readNormalizers(data json.RawMessage) (normalizer, error) {
	section := struct {
		Type  string            `json:"type"`
		Parts []json.RawMessage `json:"normalizers"`
	}{}
	if err := strict(data, &section); err != nil {
		return nil, err
	}
	var parts []normalizer
	for _, part := range section.Parts {
		n, err := readNormalizer(part)
		if err != nil {
			return nil, err
		}
		parts = append(parts, n)
	}
	return rewrite(func(s string) string {
		for _, n := range parts {
			s = n.normalize(s)
		}
		return s
	}), nil
}

// readPrepend puts a text before every piece that is not empty.
func readPrepend(data json.RawMessage) (normalizer, error) {
	section := struct {
		Type    string `json:"type"`
		Prepend string `json:"prepend"`
	}{}
	if err := strict(data, &section); err != nil {
		return nil, err
	}
	return rewrite(func(s string) string {
		if s == "" {
			return s
		}
		return section.Prepend + s
	}), nil
}

func readStrip(data json.RawMessage) (normalizer, error) {
	section := struct {
		Type  string `json:"type"`
		Left  bool   `json:"strip_left"`
		Right bool   `json:"strip_right"`
	}{}
	if err := strict(data, &section); err != nil {
		return nil, err
	}
	return rewrite(func(s string) string {
		if section.Left {
			s = strings.TrimLeftFunc(s, unicode.IsSpace)
		}
		if section.Right {
			s = strings.TrimRightFunc(s, unicode.IsSpace)
		}
		return s
	}), nil
}

// pattern is what Replace and Split look for: a text or a regular expression.
type pattern struct {
	String *string `json:"String"`
	Regex  *string `json:"Regex"`
}

func readReplace(data json.RawMessage) (normalizer, error) {
	section := struct {
		Type    string  `json:"type"`
		Pattern pattern `json:"pattern"`
		Content string  `json:"content"`
	}{}
	if err := strict(data, &section); err != nil {
		return nil, err
	}
	switch p := section.Pattern; {
	case p.String != nil && *p.String != "":
		replacer := strings.NewReplacer(*p.String, section.Content)
		return rewrite(replacer.Replace), nil
	case p.Regex != nil:
		r, err := simpleRegexp(*p.Regex)
		if err != nil {
			return nil, err
		}
		return rewrite(func(s string) string { return r.ReplaceAllLiteralString(s, section.Content) }), nil
	}
	return nil, errors.New("pattern is neither a String nor a Regex")
}

// simpleRegexp compiles a pattern that means the same to Go as to Oniguruma:
// no classes by letter (\s and \w are ASCII in Go), no groups with flags.
func simpleRegexp(text string) (*regexp.Regexp, error) {
	for i := 0; i+1 < len(text); i++ {
		next := rune(text[i+1])
		if text[i] == '\\' && (unicode.IsLetter(next) || unicode.IsDigit(next)) || text[i] == '(' && next == '?' || text[i] == '[' && next == ':' {
			return nil, fmt.Errorf("pattern %q is not supported", text)
		}
	}
	r, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("pattern %q is not supported: %w", text, err)
	}
	return r, nil
}
