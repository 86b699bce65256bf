package jinja

import (
	"encoding/json"
	"fmt"
	"strings"
)

// dumps is json.dumps(v, ensure_ascii=False) of Python; indent < 0 is one line.
func dumps(v any, indent, depth int) (string, error) {
	open, between, closing := "", ", ", ""
	if indent >= 0 {
		open = "\n" + strings.Repeat(" ", indent*(depth+1))
		between, closing = ","+open, "\n"+strings.Repeat(" ", indent*depth)
	}
	var parts []string
	add := func(prefix string, v any) error {
		s, err := dumps(v, indent, depth+1)
		parts = append(parts, prefix+s)
		return err
	}
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			if err := add("", x); err != nil {
				return "", err
			}
		}
		if len(v) == 0 {
			return "[]", nil
		}
		return "[" + open + strings.Join(parts, between) + closing + "]", nil
	case *Dict:
		for _, key := range v.keys {
			k, _ := dumps(key, -1, 0)
			if err := add(k+": ", v.values[key]); err != nil {
				return "", err
			}
		}
		if len(v.keys) == 0 {
			return "{}", nil
		}
		return "{" + open + strings.Join(parts, between) + closing + "}", nil
	case float64:
		return write(v)
	case nil, bool, int, string:
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		err := e.Encode(v)
		s := strings.TrimSuffix(b.String(), "\n")
		return strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029").Replace(s), err
	}
	return "", fmt.Errorf("%s is no JSON", typeName(v))
}
