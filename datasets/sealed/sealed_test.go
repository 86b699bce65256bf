package sealed_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/datasets/atomicfile"
	"infbench/datasets/sealed"
)

// value is what the tests seal.
type value struct {
	Name  string         `json:"name"`
	Count map[string]int `json:"count"`
}

// Whichever byte is changed, to whichever other, a sealed file is refused by its name.
func TestEveryOtherByteIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "value.json")
	want := value{"a", map[string]int{"b": 1}}
	if err := sealed.Write(atomicfile.OS{}, path, want); err != nil {
		t.Fatal(err)
	}
	var got value
	if err := sealed.Read(path, &got); err != nil || got.Name != want.Name || got.Count["b"] != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		for shift := 1; shift < 256; shift++ {
			other := whole[i] + byte(shift)
			changed := bytes.Clone(whole)
			changed[i] = other
			if err := sealed.Decode(path, changed, new(value)); !errors.Is(err, sealed.ErrChanged) || !strings.Contains(err.Error(), path) {
				t.Fatalf("byte %d made %q: %v", i, other, err)
			}
		}
	}
	for n := range whole {
		if sealed.Decode(path, whole[:n], new(value)) == nil {
			t.Fatalf("cut to %d bytes: no error", n)
		}
	}
}

// A file without a seal is refused, and what is not an object cannot be sealed.
func TestWithoutSeal(t *testing.T) {
	for _, text := range []string{"", `{"name": "a", "count": {"b": 1}}`, "{\n  \"name\": \"a\",\n  \"count\": {\n    \"b\": 1\n  },\n  \"more\": \"" + strings.Repeat("0", 99) + "\"\n}\n"} {
		if err := sealed.Decode("plain.json", []byte(text), new(value)); !errors.Is(err, sealed.ErrChanged) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := sealed.Encode([]int{1}); err == nil {
		t.Error("a list was sealed")
	}
}
