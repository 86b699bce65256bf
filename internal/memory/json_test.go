package memory

import (
	"errors"
	"strings"
	"testing"
)

// TestForJSON: the room for JSON is computed from its values, since small ones take more than their
// text.
func TestForJSON(t *testing.T) {
	defer Limit(Least)()
	for name, c := range map[string]struct {
		text string
		full bool
	}{
		"one text":       {`"` + strings.Repeat("x", 10<<20) + `"`, false},
		"few values":     {"[" + strings.Repeat("{},", 1000) + "{}]", false},
		"many values":    {"[" + strings.Repeat("0,", 1<<20) + "0]", true},
		"many objects":   {"[" + strings.Repeat("{},", 1<<20) + "{}]", true},
		"many keys":      {"{" + strings.Repeat(`"":"",`, 1<<20) + `"":0}`, true},
		"nested objects": {strings.Repeat(`{"":`, 1<<20), true},
	} {
		err := ForJSON([]byte(c.text))
		if full := new(Full); errors.As(err, &full) != c.full {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAppend: memory is checked before a growing slice is copied.
func TestAppend(t *testing.T) {
	defer Limit(Least)()
	var all [][4096]byte
	var err error
	for range 1 << 20 {
		if all, err = Append(all, [4096]byte{}); err != nil {
			break
		}
	}
	if full := new(Full); !errors.As(err, &full) {
		t.Errorf("4 GiB in %d: %v", Least, err)
	}
}
