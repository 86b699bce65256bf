package generate

import (
	"encoding/json"
	"reflect"
	"testing"
)

// TestFormOf: fields in their order, each a text or one of a few values; other schemas
// are no forms.
func TestFormOf(t *testing.T) {
	got, ok := formOf(json.RawMessage(`{"type":"object","properties":{
		"id":{"type":"string"},"b":{"type":"boolean"},"n":{"type":"integer","minimum":-1,"maximum":1},
		"a":{"type":"string","enum":["yes","\"no\""]},"c":{"const":3}}, "required":["id"], "additionalProperties":false}`))
	want := form{[]field{{`"id"`, nil}, {`"b"`, []string{"true", "false"}}, {`"n"`, []string{"-1", "0", "1"}}, {`"a"`, []string{`"yes"`, `"\"no\""`}}, {`"c"`, []string{"3"}}}}
	if !ok || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, ok)
	}
	for _, other := range []string{
		``, `null`, `{}`, `{"type":"object"}`, `{"type":"object","properties":{}}`, `{"type":"array","items":{"type":"integer"}}`,
		`{"type":"object","properties":{"n":{"type":"integer"}}}`,
		`{"type":"object","properties":{"n":{"type":"integer","minimum":0,"maximum":99}}}`,
		`{"type":"object","properties":{"l":{"type":"array"}}}`, `{"type":"object","properties":[1]}`, `{"type":"object","properties":{"a":3}}`,
	} {
		if f, ok := formOf(json.RawMessage(other)); ok {
			t.Errorf("%s is the form %v", other, f)
		}
	}
}

// TestTextsOfForms: a text ends at its first quote, and is JSON whatever the model wrote.
func TestTextsOfForms(t *testing.T) {
	for _, c := range []struct {
		written string
		end     int
		value   string // of what is before the end
	}{
		{`abc", more`, 3, "abc"},
		{`a\"b"`, 4, `a"b`},
		{`a\\"`, 3, `a\`},
		{"two\nlines\t\"", 10, "two\nlines\t"},
		{`\u00e9\n"`, 8, "é\n"},
		{`bad \x escape"`, 13, `bad \x escape`},
		{"bell \a\"", 6, "bell \a"},
		{`<b> & é"`, 8, "<b> & é"},
		{`no end \"`, -1, ""},
		{`"`, 0, ""},
	} {
		if got := endOfText(c.written); got != c.end {
			t.Errorf("%q ends at %d, want %d", c.written, got, c.end)
		}
		if c.end < 0 {
			continue
		}
		var value string
		if err := json.Unmarshal([]byte(`"`+valid(c.written[:c.end])+`"`), &value); err != nil || value != c.value {
			t.Errorf("%q is %q, %v, want %q", c.written, value, err, c.value)
		}
	}
}
