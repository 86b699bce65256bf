package reports

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf16"

	"infbench/internal/words"
)

// ScriptJSON encodes a value for a script element. It escapes <, > and &, as well as
// invisible and direction-changing characters, which JSON has only in strings.
func ScriptJSON(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	if !bytes.ContainsFunc(data, words.Invisible) {
		return data, nil
	}
	var b bytes.Buffer
	for _, r := range string(data) {
		if !words.Invisible(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.Bytes(), nil
}
