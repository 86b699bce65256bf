package secret

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"

	"infbench/internal/testkit"
)

// odd is a key with every character that some notation escapes.
const odd = `sk-Proj/ab+cd="e&f<9>_Z.x`

// echoes are the ways in which a server may repeat a key.
func echoes(key string) map[string]string {
	asJSON, _ := json.Marshal(key)
	twice, _ := json.Marshal(string(asJSON))
	each := func(format string) (s string) {
		for _, b := range []byte(key) {
			s += fmt.Sprintf(format, b)
		}
		return s
	}
	half := len(key)/2 + 4
	return map[string]string{
		"as it is":        key,
		"JSON":            string(asJSON),
		"JSON in JSON":    string(twice),
		"JSON, slashes":   strings.ReplaceAll(key, "/", `\/`),
		"JSON, all":       each(`\u%04x`),
		"JSON, upper":     each(`\u%04X`),
		"JSON, all twice": each(`\\u%04x`),
		"Go":              fmt.Sprintf("%q", key),
		"Go twice":        fmt.Sprintf("%q", fmt.Sprintf("%q", key)),
		"Python":          each(`\x%02x`),
		"query":           url.QueryEscape(key),
		"path":            url.PathEscape(key),
		"percent, all":    each("%%%02x"),
		"percent twice":   url.QueryEscape(url.QueryEscape(key)),
		"HTML":            html.EscapeString(key),
		"HTML twice":      html.EscapeString(html.EscapeString(key)),
		"HTML, decimal":   each("&#%d;"),
		"HTML, hex":       each("&#x%X;"),
		"upper case":      strings.ToUpper(key),
		"lower case":      strings.ToLower(key),
		"folded":          key[:7] + "\r\n " + key[7:],
		"folded in JSON":  key[:7] + `\r\n\t` + key[7:],
		"cut short":       key[:half] + "…",
		"base 64":         base64.StdEncoding.EncodeToString([]byte(key)),
		"basic":           base64.StdEncoding.EncodeToString([]byte("user:" + key)),
		"basic, longer":   base64.StdEncoding.EncodeToString([]byte("someone:" + key)),
		"basic, password": base64.StdEncoding.EncodeToString([]byte(key + ":password")),
		"base 64 for URL": base64.RawURLEncoding.EncodeToString([]byte("u:" + key)),
		"hexadecimal":     hex.EncodeToString([]byte(key)),
		"HEXADECIMAL":     strings.ToUpper(hex.EncodeToString([]byte(key))),
	}
}

// TestRedactEchoes: nothing of a repeated key is left in any notation, and the text around it
// stays.
func TestRedactEchoes(t *testing.T) {
	for _, key := range []string{odd, text, "0123456789abcdef0123456789abcdef", "AIzaSyA-Bc_dEf"} {
		s := New(key)
		for name, form := range echoes(key) {
			for _, said := range []string{`the key <%s> is wrong`, `{"error": "Bearer %s, user"}`, `%s`} {
				at := strings.Index(said, "%s")
				got := s.Redact(said[:at] + form + said[at+2:])
				quoted := strings.NewReplacer(`"(hidden)"`, "(hidden)", `\"(hidden)\"`, "(hidden)", `"\"(hidden)\""`, "(hidden)", `"\\\"(hidden)\\\""`, "(hidden)", "…", "").Replace(got)
				if !strings.Contains(got, s.String()) || len(quoted) > len(said)-2+len(s.String())+12 || !strings.HasPrefix(got, said[:at]) || !strings.HasSuffix(got, said[at+2:]) {
					t.Errorf("%s of %s: %s", name, key, got)
				}
			}
		}
	}
}

// TestRedactLeaves: other text stays.
func TestRedactLeaves(t *testing.T) {
	for _, said := range []string{"", "s", "sk-", `sk-P\u0072`, "%73%6b", "a b c", "\xff\xfe", strings.Repeat("s", 1000), `{"error": "no such model", "param": null}`} {
		if got := New(odd).Redact(said); got != said {
			t.Errorf("%q became %q", said, got)
		}
	}
}

// FuzzRedact: a text around a key, in any notation, loses the key without a panic.
func FuzzRedact(f *testing.F) {
	for _, form := range echoes(odd) {
		f.Add(odd, form)
	}
	f.Add(text, "before \\u0073")
	f.Add("\xff", "\xff%ff")
	f.Add(`000000\\0`, "0")
	f.Fuzz(func(t *testing.T, key, said string) {
		testkit.Small.Within(t, len(key)+len(said), func() {
			s := New(key)
			got := s.Redact(said + New(key).reveal() + said)
			if whole := s.reveal(); len(whole) > len("(hidden)") && strings.Contains(got, whole) {
				t.Errorf("%q shows %q", got, whole)
			}
		})
	})
}

// reveal returns the text itself.
func (s Secret) reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}
