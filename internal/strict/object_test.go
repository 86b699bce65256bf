package strict

import (
	"strings"
	"testing"
)

func TestObject(t *testing.T) {
	type inner struct {
		Yes string `json:"yes"`
	}
	type base struct {
		Pooling string `json:"pooling,omitempty"`
	}
	type Deep struct {
		Deep string `json:"deep"` // of the embedding field's name
	}
	type value struct {
		base
		Deep
		Query string           `json:"query"`
		Judge *inner           `json:"judge,omitzero"`
		List  []inner          `json:"list"`
		Map   map[string]inner `json:"map"`
		Any   any              `json:"any"`
		Plain string
	}
	for text, want := range map[string]string{
		`{"query": "a", "pooling": "cls", "judge": {"yes": "y"}, "list": [{"yes": "y"}], "map": {"x": {"yes": "y"}}, "any": {"x": 1}, "plain": "", "deep": ""}`: "",
		"\ufeff{\"query\": null, \"judge\": null}\n": "",

		"{\n\"pool\": \"cls\"}":                   `f.json:2: unknown key "pool" (known: pooling, deep, query, judge, list, map, any, plain, Plain)`,
		`{"poling": "cls"}`:                       `f.json:1: unknown key "poling"; did you mean "pooling"?`,
		"{\"Query\": \"a\"}":                      `f.json:1: unknown key "Query"; did you mean "query"?`,
		"{\"a\": 1,\n\"b\": {\"c\": [1]}}":        "f.json:2: unknown key \"b\"",
		`{"judge": {"Yess": ""}}`:                 `f.json:1: judge: unknown key "Yess"; did you mean "yes"?`,
		`{"list": [{"yes": ""}, {"no": ""}]}`:     `f.json:1: list[1]: unknown key "no"`,
		`{"map": {"x": {"no": ""}}}`:              `f.json:1: map.x: unknown key "no"`,
		"{\"query\": \"a\",\n\n\"query\": \"b\"}": `f.json:3: key "query" comes twice`,
		"{\n\"query\": 5}":                        "f.json:2: json: cannot unmarshal number",
		"{\"query\": \"a\",\n}":                   "f.json:2: ",
		"{\"query\": \"a\"":                       "f.json:1: unexpected EOF",
		"":                                        "f.json:1: unexpected EOF",
		"{}\n{}":                                  "f.json:1: data after the JSON value",
		"\xff\xfe{\x00}\x00":                      "f.json: the text is in UTF-16",
	} {
		var v value
		err := Object("f.json", []byte(text), &v)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
