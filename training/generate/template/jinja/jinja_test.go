package jinja

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// values turns decoded JSON into values of templates. Keys are in the order of the file.
func values(t *testing.T, data json.RawMessage) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	v, err := decodeValue(d)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func decodeValue(d *json.Decoder) (any, error) {
	tok, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch v := tok.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return int(n), nil
		}
		return v.Float64()
	case json.Delim:
		list, dict := []any{}, NewDict()
		for d.More() {
			x, err := decodeValue(d)
			if err != nil {
				return nil, err
			}
			if v == '[' {
				list = append(list, x)
				continue
			}
			y, err := decodeValue(d)
			if err != nil {
				return nil, err
			}
			dict.set(x.(string), y)
		}
		if _, err := d.Token(); err != nil || v == '[' {
			return list, err
		}
		return dict, nil
	}
	return tok, nil
}

// stricter are the templates that Jinja2 renders and we refuse, with what the error says:
// what we do not know is an error, never ignored.
var stricter = map[string]string{
	"{{ l + ['d'] | list }}":                 "a list cannot be written",
	"{{ d }}":                                "a mapping cannot be written",
	"{{ l }}":                                "a list cannot be written",
	`{{ "%s" % 'a' }}`:                       "a string %",
	"{% for a in m recursive %}{% endfor %}": "want \"%}\" at \"recursive\"",
}

// TestSnippets holds texts to Jinja2 3.1.6 (testdata/expected.py).
func TestSnippets(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var expected struct {
		Variables map[string]json.RawMessage
		Cases     []struct{ Template, Want, Error string }
	}
	if err := json.Unmarshal(data, &expected); err != nil || len(expected.Cases) < 60 {
		t.Fatalf("%d cases, %v", len(expected.Cases), err)
	}
	variables := map[string]any{}
	for name, raw := range expected.Variables {
		variables[name] = values(t, raw)
	}
	for _, c := range expected.Cases {
		got := ""
		tmpl, err := Parse(c.Template)
		if err == nil {
			got, err = tmpl.Render(variables)
		}
		switch want, strict := stricter[c.Template]; {
		case strict:
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %q, %v, want %q", c.Template, got, err, want)
			}
		case c.Error != "":
			if err == nil {
				t.Errorf("%q: %q, want an error like %q", c.Template, got, c.Error)
			}
		case err != nil || got != c.Want:
			t.Errorf("%q: %v\n%q, want\n%q", c.Template, err, got, c.Want)
		}
	}
}

// render reads and renders a template.
func render(source string, variables map[string]any) (string, error) {
	tmpl, err := Parse(source)
	if err != nil {
		return "", err
	}
	return tmpl.Render(variables)
}

// TestGeneration: the mark of transformers' own around what a model wrote.
func TestGeneration(t *testing.T) {
	if got, err := render("{% for i in [1, 2] %}{% generation %}a{{ i }}{% endgeneration %}{% endfor %}", nil); err != nil || got != "a1a2" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestFunc: functions of the caller, whose errors have the template's line.
func TestFunc(t *testing.T) {
	raise := Func(func(args []any) (any, error) { return nil, errors.New(args[0].(string)) })
	_, err := render("a\n{% if true %}\n{{ raise('no ' + 'way') }}{% endif %}", map[string]any{"raise": raise})
	var at *Error
	if !errors.As(err, &at) || at.Line != 3 || err.Error() != "line 3: no way" {
		t.Error(err)
	}
}

// TestBounds: nothing that a template computes is without end.
func TestBounds(t *testing.T) {
	for source, want := range map[string]string{
		"{{ 'a' * 100000000 }}": "of more than",
		"{% set ns = namespace(s='aaaa') %}{% for i in range(100) %}{% set ns.s = ns.s + ns.s %}{% endfor %}": "of more than",
		"{% set ns = namespace(s=[1]) %}{% for i in range(100) %}{% set ns.s = ns.s + ns.s %}{% endfor %}":    "of more than",
		"{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}":                    "too many steps",
		"{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}":                                                     "more than 100 calls and loops",
		"{% for i in range(1000000) %}{% endfor %}":                                                           "range of more than 100000",
		"{% for i in range(100000) %}{{ 'a' * 1000000 }}{% endfor %}":                                         "of more than",
		"{{ ('a' * 10000000).replace('a', 'b' * 100) }}":                                                      "of more than",
		"{{ (['a' * 10000000] * 1) | join }}":                                                                 "a list *",
		"{{ [('a' * 10000000), ('a' * 10000000)] | join }}":                                                   "of more than",
		"{{ " + strings.Repeat("(", 5000) + strings.Repeat(")", 5000) + " }}":                                 "more than 100 brackets",
		"{{ " + strings.Repeat("not ", 5000) + "a }}":                                                         "more than 100 brackets",
		"{{ " + strings.Repeat("- ", 5000) + "a }}":                                                           "more than 100 brackets",
		strings.Repeat("{% if a %}", 5000):                                                                    "more than 100 brackets",
		strings.Repeat(" ", MaxSource+1):                                                                      "more than 1048576",
		"{% include 'go.mod' %}":                                                                              `unknown tag "include"`,
		"{% extends 'go.mod' %}":                                                                              `unknown tag "extends"`,
		"{{ a | fliter }}":                                                                                    `unknown filter "fliter"`,
		"{{ a is defind }}":                                                                                   `did you mean "defined"?`,
		"{{ 'a'.__class__ }}":                                                                                 `unknown method of a text "__class__"`,
		"{% raw %}":                                                                                           "no {% endraw %}",
		"{# a":                                                                                                "no #}",
		"{% for i in [1] %}":                                                                                  "want {% endfor %}",
		"a{% break %}":                                                                                        "break outside of a loop",
	} {
		_, err := render(source, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", source, err, want)
		}
	}
}

// FuzzRender: no source makes it panic or run for long.
func FuzzRender(f *testing.F) {
	f.Add("{% for a, b in d.items() if a %}{{ loop.index ~ a[::-1] | trim }}{% else %}{% set x.y = 1 %}{% endfor %}")
	f.Add("{%- macro f(a=1) -%}{{ (1, 2)[a:] is in [3] }}{%+ endmacro +%}{{ -f(a=2) ** 2 // 3 }}{# c #}")
	f.Fuzz(func(t *testing.T, source string) {
		text, err := render(source, map[string]any{"d": NewDict("k", "v", "l", []any{1, "a"}), "s": "aé"})
		if err == nil && len(text) > MaxText {
			t.Errorf("%d bytes", len(text))
		}
	})
}
