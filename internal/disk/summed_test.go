package disk

import (
	"io"
	"path/filepath"
	"testing"
)

// TestSummed: the hash is that of the written bytes, under the file's final name.
func TestSummed(t *testing.T) {
	dir := t.TempDir()
	files := NewSummed(OS{})
	for name, text := range map[string]string{"empty": "", "below/some": "some text\n"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		fill := func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
		if err := WriteTo(files, path, fill); err != nil {
			t.Fatal(err)
		}
		want, _, err := SHA256(path)
		if got := files.Sum(path); err != nil || got != want {
			t.Errorf("%s: %q (%v), want %q", name, got, err, want)
		}
	}
	if got := files.Sum(filepath.Join(dir, "absent")); got != "" {
		t.Errorf("a file that was not written has the sum %q", got)
	}
}
