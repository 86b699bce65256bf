package oniguruma

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"

	"infbench/internal/nearest"
)

// tableSet returns the characters of one of Go's tables, with those of later editions.
func tableSet(name string, t *unicode.RangeTable) set {
	var spans []span
	add := func(lo, hi, stride rune) {
		if stride == 1 {
			spans = append(spans, span{lo, hi})
			return
		}
		for r := lo; r <= hi; r += stride {
			spans = append(spans, span{r, r})
		}
	}
	for _, r := range t.R16 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	for _, r := range t.R32 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	s := setOf(spans...)
	for other, more := range later {
		switch {
		case other == name, len(name) == 1 && unicode.Categories[other] != nil && strings.HasPrefix(other, name), name == "LC" && (other == "Lu" || other == "Ll"):
			s = s.or(more)
		case unicode.Categories[other] != nil && (name == "Cn" || name == "C" || name == "Mn" && other == "Mc"): // it was in that category
			s = s.and(set(more).not())
		}
	}
	return s
}

// category returns a general category.
func category(name string) set { return tableSet(name, unicode.Categories[name]) }

// property returns a property of Go's tables.
func property(name string) set { return tableSet(name, unicode.Properties[name]) }

// all has every character.
var all = set{{0, unicode.MaxRune}}

// Sets with names of one letter, or of POSIX.
var (
	space      = sync.OnceValue(func() set { return setOf(span{'\t', '\r'}, span{0x85, 0x85}).or(category("Z")) })
	digit      = sync.OnceValue(func() set { return category("Nd") })
	hexDigits  = setOf(span{'0', '9'}, span{'a', 'f'}, span{'A', 'F'})
	alphabetic = sync.OnceValue(func() set { return category("L").or(category("Nl")).or(property("Other_Alphabetic")) })
	uppercase  = sync.OnceValue(func() set { return category("Lu").or(property("Other_Uppercase")) })
	lowercase  = sync.OnceValue(func() set { return category("Ll").or(property("Other_Lowercase")) })
	wordInner  = sync.OnceValue(func() set { return alphabetic().or(category("M")).or(digit()).or(category("Pc")) })
	// word also has Latin-1's superscripts and fractions, except within brackets.
	word  = sync.OnceValue(func() set { return wordInner().or(setOf(span{0xb2, 0xb3}, span{0xb9, 0xb9}, span{0xbc, 0xbe})) })
	graph = sync.OnceValue(func() set {
		return space().or(category("Cc")).or(category("Cn")).or(set{{0xd800, 0xdfff}}).not()
	})
)

// posix returns the set of [[:name:]].
func posix(name string) (set, bool) {
	switch name {
	case "alnum":
		return alphabetic().or(digit()), true
	case "alpha":
		return alphabetic(), true
	case "ascii":
		return set{{0, 127}}, true
	case "blank":
		return category("Zs").or(of('\t')), true
	case "cntrl":
		return category("Cc"), true
	case "digit":
		return digit(), true
	case "graph":
		return graph(), true
	case "lower":
		return lowercase(), true
	case "print":
		return graph().or(category("Zs")), true
	case "punct":
		return category("P").or(category("S")), true
	case "space":
		return space(), true
	case "upper":
		return uppercase(), true
	case "xdigit":
		return hexDigits, true
	case "word":
		return wordInner(), true
	}
	return nil, false
}

// folded returns a name in the form for comparison: without case, blanks, hyphens and underscores.
func folded(name string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "-", "", "_", "").Replace(name))
}

// tables maps the folded names of Unicode's categories and scripts to those of Go's tables.
var tables = sync.OnceValue(func() map[string]string {
	names := map[string]string{}
	for _, list := range []map[string]*unicode.RangeTable{unicode.Categories, unicode.Scripts} {
		for name := range list {
			names[folded(name)] = name
		}
	}
	for alias, name := range unicode.CategoryAliases {
		names[folded(alias)] = name
	}
	return names
})

// named returns the set of \p{name}.
func named(name string) (set, error) {
	short := folded(name)
	switch short {
	case "any":
		return all, nil
	case "assigned":
		return category("Cn").not(), nil
	case "alphabetic":
		return alphabetic(), nil
	case "uppercase":
		return uppercase(), nil
	case "lowercase":
		return lowercase(), nil
	case "whitespace":
		return space(), nil
	case "punct": // this has fewer characters than within brackets
		return category("P"), nil
	case "word": // this may have more characters than within brackets
		return nil, errors.New(`\p{Word} (write \w)`)
	}
	if s, ok := posix(short); ok {
		return s, nil
	}
	if full, ok := tables()[short]; ok {
		for _, list := range []map[string]*unicode.RangeTable{unicode.Categories, unicode.Scripts} {
			if t := list[full]; t != nil {
				return tableSet(full, t), nil
			}
		}
	}
	known := slices.Sorted(maps.Values(tables()))
	if near, ok := nearest.Of(name, known); ok {
		return nil, fmt.Errorf("the unknown character property %q (did you mean %q?)", name, near)
	}
	return nil, fmt.Errorf("the unknown character property %q", name)
}

// tableOf returns a function that makes a table on its first call.
func tableOf(s func() set) func(rune) bool {
	made := sync.OnceValue(func() *table { return newTable(s()) })
	return func(r rune) bool { return made().has(r) }
}

// Characters in the editions of Unicode that Oniguruma and Rust's regex crate use.
var (
	// IsLetter reports whether a character is in \p{L}.
	IsLetter = tableOf(func() set { return category("L") })
	// IsNumber reports whether a character is in \p{N}.
	IsNumber = tableOf(func() set { return category("N") })
	// IsWord reports whether a character is in [\w] or one of the two joiners: \w of Rust's regex
	// crate.
	IsWord = tableOf(func() set { return wordInner().or(set{{0x200c, 0x200d}}) })
)
