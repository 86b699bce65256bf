package format

import (
	"bytes"
	"encoding/json"
)

// The functions below walk text that json.Valid has accepted. They need not check it again, which
// makes them several times faster than decoding into a map.

// eachMember calls visit for every member of a JSON object, key unquoted.
func eachMember(object []byte, visit func(key string, value []byte)) {
	rest := skipSpace(object[1:])
	for len(rest) > 0 && rest[0] != '}' {
		n := valueLen(rest)
		key := unquote(rest[:n])
		rest = skipSpace(rest[n:])
		rest = skipSpace(rest[1:]) // the colon
		n = valueLen(rest)
		visit(key, rest[:n])
		rest = skipSpace(rest[n:])
		if rest[0] == ',' {
			rest = skipSpace(rest[1:])
		}
	}
}

// eachElement calls visit for every element of a JSON array.
func eachElement(array []byte, visit func(value []byte)) {
	rest := skipSpace(array[1:])
	for len(rest) > 0 && rest[0] != ']' {
		n := valueLen(rest)
		visit(rest[:n])
		rest = skipSpace(rest[n:])
		if rest[0] == ',' {
			rest = skipSpace(rest[1:])
		}
	}
}

// valueLen returns the length of the JSON value at the start of text.
func valueLen(text []byte) int {
	switch text[0] {
	case '"':
		return stringLen(text)
	case '{', '[':
		depth := 0
		for i := 0; i < len(text); {
			switch text[i] {
			case '"':
				i += stringLen(text[i:])
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
			i++
		}
		return len(text)
	}
	if end := bytes.IndexAny(text, ",]} \t\r\n"); end >= 0 {
		return end
	}
	return len(text)
}

// stringLen returns the length of the quoted string at the start of text.
func stringLen(text []byte) int {
	for i := 1; i < len(text); {
		n := bytes.IndexByte(text[i:], '"')
		end := i + n
		escapes := 0
		for text[end-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return end + 1
		}
		i = end + 1
	}
	return len(text)
}

// unquote decodes a JSON string. A lone surrogate becomes U+FFFD, as in encoding/json.
func unquote(quoted []byte) string {
	inner := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return string(inner)
	}
	var s string
	if err := json.Unmarshal(quoted, &s); err != nil {
		return string(inner) // cannot be: the line is valid JSON
	}
	return s
}

func skipSpace(text []byte) []byte {
	return bytes.TrimLeft(text, " \t\r\n")
}

func isNull(value []byte) bool { return value[0] == 'n' }

// jsonType names the type of a JSON value for errors.
func jsonType(value []byte) string {
	switch value[0] {
	case '"':
		return "string"
	case '{':
		return "record"
	case '[':
		return "list"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}
