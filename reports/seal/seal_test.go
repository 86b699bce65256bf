package seal_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"infbench/reports/seal"
)

// Whatever of a page is changed, and wherever it is cut short, is found.
func TestCheck(t *testing.T) {
	var b bytes.Buffer
	err := seal.Write(&b, func(w io.Writer) error {
		_, err := io.WriteString(w, "<p>51.0</p>\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	page := b.Bytes()
	if err := seal.Check(page); err != nil {
		t.Fatal(err)
	}
	for at := range page {
		for bit := range 8 {
			changed := bytes.Clone(page)
			changed[at] ^= 1 << bit
			if seal.Check(changed) == nil {
				t.Errorf("bit %d of byte %d is not found", bit, at)
			}
		}
		if seal.Check(page[:at]) == nil {
			t.Errorf("cut at %d is not found", at)
		}
	}
	for name, test := range map[string]struct {
		page []byte
		want error
	}{
		"more after its end": {append(bytes.Clone(page), '\n'), seal.ErrBroken},
		"twice":              {append(bytes.Clone(page), page...), seal.ErrBroken},
		"none":               {[]byte("<p>51.0</p>\n"), seal.ErrMissing},
	} {
		if err := seal.Check(test.page); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
}
