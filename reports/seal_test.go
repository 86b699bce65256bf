package reports

import (
	"bytes"
	"errors"
	"io"
	"testing"
)

// TestSeal checks that any change and any truncation of a page is detected.
func TestSeal(t *testing.T) {
	var b bytes.Buffer
	err := WriteSealed(&b, func(w io.Writer) error {
		_, err := io.WriteString(w, "<p>51.0</p>\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	page := b.Bytes()
	if err := CheckSeal(page); err != nil {
		t.Fatal(err)
	}
	for at := range page {
		for bit := range 8 {
			changed := bytes.Clone(page)
			changed[at] ^= 1 << bit
			if CheckSeal(changed) == nil {
				t.Errorf("bit %d of byte %d is not found", bit, at)
			}
		}
		if CheckSeal(page[:at]) == nil {
			t.Errorf("cut at %d is not found", at)
		}
	}
	for name, test := range map[string]struct {
		page []byte
		want error
	}{
		"more after its end": {append(bytes.Clone(page), '\n'), errSealBroken},
		"twice":              {append(bytes.Clone(page), page...), errSealBroken},
		"none":               {[]byte("<p>51.0</p>\n"), errSealMissing},
	} {
		if err := CheckSeal(test.page); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
}
