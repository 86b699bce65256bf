package metrics

import (
	"fmt"
	"strings"
)

// Explain describes a measure, by its name as results carry it, in one line: its definition, its
// cutoff and which values are better. It is "" for a name that is not one of our measures.
func Explain(name string) string {
	f := familyNamed(name)
	if f == nil {
		return ""
	}
	definition := f.Definition
	if !strings.Contains(name, "(") {
		definition = plain(definition)
	}
	text := definition
	if second := text[1]; 'a' <= second && second <= 'z' { // else it begins with a symbol
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	if _, cutoff, ok := strings.Cut(name[strings.LastIndexByte(name, ')')+1:], "@"); ok {
		letter := "k"
		if strings.Contains(definition, "x*R") {
			letter = "x"
		}
		text += "; here " + letter + " = " + cutoff
	}
	text += "."
	switch d, err := DirectionOf(name); {
	case err != nil:
	case d == Higher:
		text += " Higher is better"
	case d == Lower:
		text += " Lower is better"
	default:
		text += " Neither direction is better"
	}
	if scale := Scale(name); scale != 1 {
		text += fmt.Sprintf("; shown ×%g", scale)
	}
	return text + "."
}

// plain leaves out the clauses of a definition that explain options.
func plain(definition string) string {
	var kept []string
	for i, clause := range strings.Split(definition, "; ") {
		if i == 0 || !strings.Contains(clause, "='") {
			kept = append(kept, clause)
		}
	}
	return strings.Join(kept, "; ")
}

// AddressOf returns the address of the paper of a measure, or else of the tool that it agrees with,
// by the measure's name as results carry it; "" if none is known.
func AddressOf(name string) string {
	if f := familyNamed(name); f != nil {
		return f.Address
	}
	return ""
}
