package metrics

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// mtebAt is mteb's spelling of @: ndcg_at_10.
const mtebAt = "_at_"

// maxName limits the length of a measure's name, and so the nesting of names.
const maxName = 300

// Parse returns the measure with a name: a family's name, options in parentheses and a cutoff after
// @, as in "nDCG(dcg='exp-log2')@10", or mteb's form, "ndcg_at_10". The case of the family's name
// is ignored. Every name of Names parses, and so does every measure's String.
func Parse(name string) (Measure, error) {
	m, err := parseMeasure(name)
	if err != nil {
		return nil, fmt.Errorf("measure %q: %w", name, err)
	}
	return m, nil
}

// Canonical returns the name as results carry it, from any form that Parse accepts; other names are
// returned unchanged.
func Canonical(name string) string {
	if m, err := Parse(name); err == nil {
		return m.String()
	}
	return name
}

func parseMeasure(name string) (Measure, error) {
	if len(name) > maxName {
		return nil, fmt.Errorf("name longer than %d bytes", maxName)
	}
	base, args, err := cutName(strings.TrimSpace(name))
	if err != nil {
		return nil, err
	}
	f, err := familyCalled(base)
	if err != nil {
		return nil, err
	}
	m := f.make(args)
	if err := args.check(f); err != nil {
		return nil, err
	}
	if len(m.String()) > maxName {
		return nil, fmt.Errorf("name longer than %d bytes once its defaults are written out", maxName)
	}
	return m, nil
}

// cutName splits a name: base(option=value,...)@cutoff, or base_at_cutoff in mteb's form.
func cutName(name string) (base string, a *arguments, err error) {
	a = &arguments{options: map[string]string{}}
	if base, cutoff, ok := strings.Cut(name, mtebAt); ok && cutoff != "" && strings.Trim(cutoff, "0123456789") == "" {
		name = base + "@" + cutoff
	}
	open := strings.IndexByte(name, '(')
	if at := strings.IndexByte(name, '@'); open < 0 || at >= 0 && at < open {
		base, a.cutoff, err = cutCutoff(name)
		return base, a, err
	}
	base = name[:open]
	parts, rest, err := cutOptions(name[open+1:])
	if err != nil {
		return "", nil, err
	}
	for _, part := range parts {
		key, value, ok := strings.Cut(part, "=")
		key = strings.TrimSpace(key)
		if !ok || key == "" {
			return "", nil, fmt.Errorf("option %q is not of the form name=value", part)
		}
		if _, twice := a.options[key]; twice {
			return "", nil, fmt.Errorf("option %s is given twice", key)
		}
		a.options[key] = unquote(strings.TrimSpace(value))
		a.order = append(a.order, key)
	}
	var between string
	between, a.cutoff, err = cutCutoff(rest)
	if err == nil && between != "" {
		err = fmt.Errorf("%q after the options", between)
	}
	return base, a, err
}

// cutCutoff splits text at @; a cutoff must not be empty.
func cutCutoff(text string) (before, cutoff string, err error) {
	before, cutoff, found := strings.Cut(text, "@")
	if found && cutoff == "" {
		return "", "", errors.New("no cutoff after @")
	}
	return before, cutoff, nil
}

// cutOptions splits the text after an opening parenthesis at the commas outside quotes and inner
// parentheses, and returns the rest after the closing one.
func cutOptions(text string) (parts []string, rest string, err error) {
	depth, start, quote := 0, 0, byte(0)
	for i := range len(text) {
		c := text[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '(':
			depth++
		case c == ')' && depth > 0:
			depth--
		case c == ')':
			if last := text[start:i]; strings.TrimSpace(last) != "" || len(parts) > 0 {
				parts = append(parts, last)
			}
			return parts, text[i+1:], nil
		case c == ',' && depth == 0:
			parts = append(parts, text[start:i])
			start = i + 1
		}
	}
	return nil, "", errors.New("no closing parenthesis")
}

// unquote strips one pair of quotes.
func unquote(text string) string {
	if n := len(text); n >= 2 && text[0] == text[n-1] && (text[0] == '\'' || text[0] == '"') {
		return text[1 : n-1]
	}
	return text
}

// spell writes a name: base, the options other than "", and the cutoff if it is not 0.
func spell(base string, k int, options ...string) string {
	var given []string
	for _, o := range options {
		if o != "" {
			given = append(given, o)
		}
	}
	if len(given) > 0 {
		base += "(" + strings.Join(given, ",") + ")"
	}
	if k > 0 {
		base += "@" + strconv.Itoa(k)
	}
	return base
}

// relOption writes the option rel, or "" if rel is 0.
func relOption(rel int) string {
	if rel == 0 {
		return ""
	}
	return "rel=" + strconv.Itoa(rel)
}

// numberOption writes a numeric option, or "" for its default.
func numberOption(key string, value, fallback float64) string {
	if value == fallback {
		return ""
	}
	return key + "=" + strconv.FormatFloat(value, 'g', -1, 64)
}

// wordOption writes a word option, or "" for its default.
func wordOption(key, value, fallback string) string {
	if value == fallback {
		return ""
	}
	return key + "='" + value + "'"
}
