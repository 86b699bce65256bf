package format

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"infbench/metrics/trec"
)

// TestOpenRun checks that compression is recognized by the file's first bytes.
func TestOpenRun(t *testing.T) {
	text := []byte("q Q0 d1 1 1 t\n")
	var zipped, zst bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write(text)
	z.Close()
	s, err := zstd.NewWriter(&zst)
	if err != nil {
		t.Fatal(err)
	}
	s.Write(text)
	s.Close()
	for name, data := range map[string][]byte{"plain": text, "run.gz": zipped.Bytes(), "run.zst": zst.Bytes(), "gzip.txt": zipped.Bytes()} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		run, _, err := OpenRun(path, trec.Options{})
		if err != nil || fmt.Sprint(run) != fmt.Sprint(trec.Run{"q": {{Doc: "d1", Score: 1}}}) {
			t.Errorf("%s: %v, %v", name, run, err)
		}
	}
	truncated := filepath.Join(t.TempDir(), "cut.gz")
	if err := os.WriteFile(truncated, zipped.Bytes()[:zipped.Len()-9], 0o666); err != nil {
		t.Fatal(err)
	}
	if run, _, err := OpenRun(truncated, trec.Options{}); err == nil || !strings.Contains(err.Error(), "cut.gz") {
		t.Errorf("truncated gzip: %v, %v, want an error that names the file", run, err)
	}
	if _, err := OpenQrels(filepath.Join(t.TempDir(), "absent"), trec.Options{}); !os.IsNotExist(err) {
		t.Errorf("absent file: %v", err)
	}
}
