package published

import (
	"archive/tar"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const resultFile = "org__m/r1/X.json"

var hash = strings.Repeat("0123456789", 4)

// A licence is only taken from a text that names one.
func TestLicenceInText(t *testing.T) {
	for text, want := range map[string]string{
		"licence CC0-1.0.": "CC0-1.0", "License: MIT\n": "MIT", "LICENCE: Apache-2.0,": "Apache-2.0", "license: cc-by-sa-4.0\n": "cc-by-sa-4.0",
		"The licence of the results is CC0-1.0": "", "see the licence file": "", "Its license: see there.": "", "The licence of both is old; licence CC-BY-4.0": "CC-BY-4.0",
	} {
		var o Origin
		if o.ofSource(text); o.Licence != want {
			t.Errorf("%q: licence %q, want %q", text, o.Licence, want)
		}
	}
}

// TestOrigin finds repository, commit and licence of results in a checkout, in an archive as git
// makes it, and in a SOURCE.md, which is next to them or in them.
func TestOrigin(t *testing.T) {
	cc0 := "Creative Commons Legal Code\n\nCC0 1.0 Universal\n"
	source := "Source: acme/results @" + hash + "; licence CC0-1.0. Real results."
	for name, c := range map[string]struct {
		files  map[string]string
		header map[string]string // of an archive of the files
		of     string
		want   Origin
	}{
		"nothing":        {files: map[string]string{resultFile: "{}"}, want: Origin{}},
		"checkout":       {files: map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".git/refs/heads/main": hash + "\n", ".git/config": "[remote \"origin\"]\n\turl = https://github.com/acme/results.git\n", "LICENSE": cc0}, want: Origin{"acme/results", hash, "CC0-1.0"}},
		"packed, inside": {files: map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".git/packed-refs": "# pack-refs\n" + hash + " refs/heads/main\n", "LICENSE.md": "MIT License", "results/" + resultFile: "{}"}, of: "results", want: Origin{"", hash, "MIT"}},
		"detached":       {files: map[string]string{".git/HEAD": hash + "\n"}, want: Origin{"", hash, ""}},
		"outside":        {files: map[string]string{".git/HEAD": "ref: ../../secret\n"}, want: Origin{}},
		"in a source":    {files: map[string]string{"SOURCE.md": source, resultFile: "{}"}, want: Origin{"acme/results", hash, "CC0-1.0"}},
		"beside one":     {files: map[string]string{"SOURCE.md": source, "results/" + resultFile: "{}"}, of: "results", want: Origin{"acme/results", hash, "CC0-1.0"}},
		"archive":        {files: map[string]string{"results-0/LICENSE": cc0, "results-0/" + resultFile: "{}"}, header: map[string]string{"comment": hash}, want: Origin{"", hash, "CC0-1.0"}},
		"odd comment":    {files: map[string]string{"a/" + resultFile: "{}"}, header: map[string]string{"comment": "<script>"}, want: Origin{}},
	} {
		dir := t.TempDir()
		from := filepath.Join(dir, c.of)
		if c.header == nil {
			for file, text := range c.files {
				write(t, filepath.Join(dir, file), text)
			}
		} else {
			from = filepath.Join(dir, "x.tar.gz")
			pack(t, from, c.header, c.files)
		}
		if got := originOf(from); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// pack writes an archive as git archive does.
func pack(t *testing.T, to string, header, files map[string]string) {
	t.Helper()
	f, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := gzip.NewWriter(f)
	w := tar.NewWriter(z)
	if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeXGlobalHeader, Name: "pax_global_header", PAXRecords: header}); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if w.Close() != nil || z.Close() != nil {
		t.Fatal("close")
	}
}
