package disk_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/disk"
)

// value is the value that the tests seal.
type value struct {
	Name  string         `json:"name"`
	Count map[string]int `json:"count"`
}

// TestEveryOtherByteIsRefused: a sealed file with any changed byte is refused with its name.
func TestEveryOtherByteIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "value.json")
	want := value{"a", map[string]int{"b": 1}}
	if err := disk.WriteSealed(disk.OS{}, path, want); err != nil {
		t.Fatal(err)
	}
	var got value
	if err := disk.ReadSealed(path, &got); err != nil || got.Name != want.Name || got.Count["b"] != 1 {
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
			if err := disk.DecodeSealed(path, changed, new(value)); !errors.Is(err, disk.ErrChanged) || !strings.Contains(err.Error(), path) {
				t.Fatalf("byte %d made %q: %v", i, other, err)
			}
		}
	}
	for n := range whole {
		if disk.DecodeSealed(path, whole[:n], new(value)) == nil {
			t.Fatalf("cut to %d bytes: no error", n)
		}
	}
}

// TestWithoutSeal: a file without a seal is refused, and only objects can be sealed.
func TestWithoutSeal(t *testing.T) {
	for _, text := range []string{"", `{"name": "a", "count": {"b": 1}}`, "{\n  \"name\": \"a\",\n  \"count\": {\n    \"b\": 1\n  },\n  \"more\": \"" + strings.Repeat("0", 99) + "\"\n}\n"} {
		if err := disk.DecodeSealed("plain.json", []byte(text), new(value)); !errors.Is(err, disk.ErrChanged) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := disk.EncodeSealed([]int{1}); err == nil {
		t.Error("a list was sealed")
	}
}
