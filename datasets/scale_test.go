//go:build unix

package datasets

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"infbench/internal/testkit"
)

// scaleDocuments is the number of documents in tests of scale: a few, or the value of
// INFBENCH_SCALE_DOCS (1300000 for a corpus of MAIR's size).
func scaleDocuments(tb testing.TB) int {
	s := os.Getenv("INFBENCH_SCALE_DOCS")
	if s == "" {
		return 4000
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

// writeScaleCorpus writes n documents of about 340 words in shards of 100,000, row
// groups of 10,000, and returns the files and the bytes of text.
func writeScaleCorpus(tb testing.TB, n int) (files []string, size int64) {
	tb.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 5000)
	for i := range words {
		b := make([]byte, 3+rng.IntN(7))
		for j := range b {
			b[j] = byte('a' + rng.IntN(26))
		}
		words[i] = string(b)
	}
	dir := tb.TempDir()
	const shard, group = 100_000, 10_000
	for from := 0; from < n; from += shard {
		path := filepath.Join(dir, fmt.Sprintf("test-%05d-of-%05d.parquet", from/shard, (n+shard-1)/shard))
		f, err := os.Create(path)
		if err != nil {
			tb.Fatal(err)
		}
		w := parquet.NewGenericWriter[hubDocument](f, parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(group))
		for i := from; i < min(from+shard, n); i++ {
			var text strings.Builder
			for range 280 + rng.IntN(120) {
				text.WriteString(words[rng.IntN(len(words))])
				text.WriteByte(' ')
			}
			size += int64(text.Len())
			if _, err := w.Write([]hubDocument{{scaleID(i), "a title", text.String()}}); err != nil {
				tb.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			tb.Fatal(err)
		}
		if err := f.Close(); err != nil {
			tb.Fatal(err)
		}
		files = append(files, path)
	}
	return files, size
}

func scaleID(i int) string { return fmt.Sprintf("doc-%07d", i) }

// randomIDs draws n of the corpus's IDs.
func randomIDs(documents, n int) []string {
	rng := rand.New(rand.NewPCG(3, 4))
	ids := make([]string, n)
	for i := range ids {
		ids[i] = scaleID(rng.IntN(documents))
	}
	return ids
}

// TestScale opens, counts and streams a generated corpus and looks up documents. At full size
// (INFBENCH_SCALE_DOCS) it must stay below 600 MiB of memory, stream 150 MB of text and look up
// 1,000 documents in a second of processor time.
func TestScale(t *testing.T) {
	n := scaleDocuments(t)
	files, size := writeScaleCorpus(t, n)
	runtime.GC()
	start := testkit.ProcessorTime()
	docs, err := OpenCorpus(files)
	if err != nil {
		t.Fatal(err)
	}
	opened := testkit.ProcessorTime() - start
	start = testkit.ProcessorTime()
	count, bytes := 0, int64(0)
	for d, err := range docs.Documents() {
		if err != nil {
			t.Fatal(err)
		}
		if d.ID != scaleID(count) {
			t.Fatalf("document %d is %s", count, d.ID)
		}
		count++
		bytes += int64(len(d.Text))
	}
	streamed := testkit.ProcessorTime() - start
	if count != n || docs.Len() != n || bytes != size {
		t.Errorf("%d documents, Len %d, %d bytes; want %d, %d", count, docs.Len(), bytes, n, size)
	}
	ids := randomIDs(n, 1000)
	start = testkit.ProcessorTime()
	found, err := docs.Lookup(ids)
	looked := testkit.ProcessorTime() - start
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if d := found[id]; d.ID != id || len(d.Text) < 1000 {
			t.Fatalf("looked up %q: %q, %d bytes", id, d.ID, len(d.Text))
		}
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	rate := float64(size) / 1e6 / streamed.Seconds()
	t.Logf("%d documents, %.0f MB: opened in %v of processor time, streamed at %.0f MB/s, 1,000 looked up in %v, %d MiB from the system",
		n, float64(size)/1e6, opened.Round(time.Millisecond), rate, looked.Round(time.Millisecond), memory.Sys>>20)
	if n >= 1_000_000 && (memory.Sys>>20 >= 600 || rate < 150 || looked >= time.Second) {
		t.Error("beyond the budget")
	}
}

func BenchmarkStreamParquet(b *testing.B) {
	files, size := writeScaleCorpus(b, scaleDocuments(b))
	docs, err := OpenCorpus(files)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range docs.Documents() {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkLookup looks up 1,000 random documents.
func BenchmarkLookup(b *testing.B) {
	n := scaleDocuments(b)
	files, _ := writeScaleCorpus(b, n)
	docs, err := OpenCorpus(files)
	if err != nil {
		b.Fatal(err)
	}
	ids := randomIDs(n, 1000)
	for b.Loop() {
		if _, err := docs.Lookup(ids); err != nil {
			b.Fatal(err)
		}
	}
}
