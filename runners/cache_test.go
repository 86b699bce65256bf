package runners

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"infbench/internal/testkit"
	"infbench/internal/testkit/tracer"
)

// recorder is an encoder that records the texts that it encodes.
type recorder struct {
	letters
	asked []string
	err   error
}

func (r *recorder) EncodeQueries(ctx context.Context, queries, instructions []string, dst []float32) error {
	for i := range queries {
		r.asked = append(r.asked, "query:"+queries[i]+":"+instructions[i])
	}
	return errors.Join(r.err, r.letters.EncodeQueries(ctx, queries, instructions, dst))
}

func (r *recorder) EncodeDocuments(ctx context.Context, titles, texts []string, dst []float32) error {
	for i := range texts {
		r.asked = append(r.asked, "document:"+titles[i]+":"+texts[i])
	}
	return errors.Join(r.err, r.letters.EncodeDocuments(ctx, titles, texts, dst))
}

func openCached(t *testing.T, r *recorder, folder, fingerprint string) *Cached {
	t.Helper()
	c, err := NewCached(r, folder, fingerprint)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// encodeDocs encodes texts without titles and checks the vectors.
func encodeDocs(t *testing.T, c *Cached, texts ...string) {
	t.Helper()
	got, want := make([]float32, 8*len(texts)), make([]float32, 8*len(texts))
	if err := c.EncodeDocuments(t.Context(), make([]string, len(texts)), texts, got); err != nil {
		t.Fatal(err)
	}
	if err := (letters{}).EncodeDocuments(t.Context(), make([]string, len(texts)), texts, want); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("vectors of %q = %v, want %v", texts, got, want)
	}
}

func TestCachedAsksOnce(t *testing.T) {
	folder, r := t.TempDir(), &recorder{}
	c := openCached(t, r, folder, "model")
	encodeDocs(t, c, "a", "bad", "a", "cab")
	encodeDocs(t, c, "cab", "dad")
	if want := []string{"document::a", "document::bad", "document::cab", "document::dad"}; !slices.Equal(r.asked, want) {
		t.Errorf("asked for %q, want %q", r.asked, want)
	}
	if got, want := c.Stats(), (CacheStats{Hits: 1, Misses: 5, Vectors: 4}); got != want {
		t.Errorf("stats %+v, want %+v", got, want)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	again := &recorder{}
	encodeDocs(t, openCached(t, again, folder, "model"), "dad", "cab", "bad", "a")
	if len(again.asked) > 0 {
		t.Errorf("after reopening asked for %q", again.asked)
	}
}

// TestCachedKeys: any difference in a property that determines a vector gives a new vector.
func TestCachedKeys(t *testing.T) {
	folder, r := t.TempDir(), &recorder{}
	one, two := openCached(t, r, folder, "model"), openCached(t, r, folder, "model 2")
	dst := make([]float32, 8)
	for _, c := range []*Cached{one, two} {
		for _, pair := range [][2]string{{"ab", "c"}, {"a", "bc"}, {"abc", ""}, {"", "abc"}, {"bc", "a"}} {
			for range 2 {
				if err := c.EncodeQueries(t.Context(), []string{pair[0]}, []string{pair[1]}, dst); err != nil {
					t.Fatal(err)
				}
				if err := c.EncodeDocuments(t.Context(), []string{pair[0]}, []string{pair[1]}, dst); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if len(r.asked) != 2*2*5 {
		t.Errorf("%d texts encoded, want 20", len(r.asked))
	}
}

// TestCachedSharedFolder: two processes write at a time; a third finds the vectors of both.
func TestCachedSharedFolder(t *testing.T) {
	folder := t.TempDir()
	one, two := openCached(t, &recorder{}, folder, "model"), openCached(t, &recorder{}, folder, "model")
	encodeDocs(t, one, "a", "bad")
	encodeDocs(t, two, "bad", "cab")
	encodeDocs(t, one, "dad")
	r := &recorder{}
	encodeDocs(t, openCached(t, r, folder, "model"), "a", "bad", "cab", "dad")
	if len(r.asked) > 0 {
		t.Errorf("asked for %q, which the others wrote", r.asked)
	}
}

// segment returns the only segment of a folder.
func segment(t *testing.T, folder string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(folder, "*", "*.vectors"))
	if err != nil || len(found) != 1 {
		t.Fatalf("segments %q, %v; want one", found, err)
	}
	return found[0]
}

// TestCachedDamage: a process killed at any byte of its writing, or a flipped bit, costs only
// the affected records and never gives a wrong vector.
func TestCachedDamage(t *testing.T) {
	testkit.Deep(t)
	folder := t.TempDir()
	c := openCached(t, &recorder{}, folder, "model")
	texts := []string{"a", "bad", "cab"}
	encodeDocs(t, c, texts...)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	path := segment(t, folder)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	header, record := len(segmentHeader(8)), 32+8*4+4
	if len(whole) != header+3*record {
		t.Fatalf("segment of %d bytes, want %d", len(whole), header+3*record)
	}
	check := func(what string, data []byte, lost int) {
		dir := t.TempDir()
		copied := filepath.Join(dir, filepath.Base(filepath.Dir(path)), "x.vectors")
		if err := errors.Join(os.MkdirAll(filepath.Dir(copied), 0o755), os.WriteFile(copied, data, 0o600)); err != nil {
			t.Fatal(err)
		}
		r := &recorder{}
		c := openCached(t, r, dir, "model")
		encodeDocs(t, c, texts...)
		if len(r.asked) != lost {
			t.Errorf("%s: %d records lost, want %d", what, len(r.asked), lost)
		}
	}
	for n := range len(whole) {
		check("cut", whole[:n], 3-max(0, n-header)/record)
	}
	for at := header; at < len(whole); at += 7 {
		data := slices.Clone(whole)
		data[at] ^= 0x10
		check("flip", data, 1)
	}
}

func TestCachedErrors(t *testing.T) {
	folder := t.TempDir()
	broken := errors.New("no memory")
	r := &recorder{err: broken}
	c := openCached(t, r, folder, "model")
	dst := make([]float32, 8)
	if err := c.EncodeQueries(t.Context(), []string{"a"}, []string{""}, dst); !errors.Is(err, broken) {
		t.Errorf("error %v, want the encoder's", err)
	}
	nan := &table{dim: 8, vectors: map[string][]float32{"x": {float32(math.NaN())}}}
	poisoned, err := NewCached(nan, folder, "nan")
	if err != nil {
		t.Fatal(err)
	}
	defer poisoned.Close()
	for range 2 { // an error is not cached either
		if err := poisoned.EncodeDocuments(t.Context(), []string{""}, []string{"x"}, dst); err == nil || !strings.Contains(err.Error(), "not finite") {
			t.Errorf("NaN: error %v", err)
		}
	}
	r.err = nil
	encodeDocs(t, c, "a")
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.EncodeDocuments(t.Context(), []string{""}, []string{"a"}, dst); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("after Close: error %v, want fs.ErrClosed", err)
	}
	if err := os.WriteFile(segment(t, folder), []byte("somebody else's file, as long as a header"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := NewCached(r, folder, "model"); err == nil || !strings.Contains(err.Error(), "not a segment of vectors with 8 values") {
		t.Errorf("foreign file: error %v", err)
	}
}

// TestCachedRetrieval: retrieval from a warm cache gives the same bytes as retrieval without
// one.
func TestCachedRetrieval(t *testing.T) {
	task, folder := contractTask(), t.TempDir()
	want := retrieve(t, NewDense("letters", letters{}, DenseOptions{}), task, 50)
	for range 2 {
		r := &recorder{}
		c := openCached(t, r, folder, "letters")
		if got := retrieve(t, NewDense("letters", c, DenseOptions{BatchSize: 9}), task, 50); !reflect.DeepEqual(got, want) {
			t.Error("the cache changes the ranking")
		}
	}
}

// TestCacheIsSharedWhileCold: processes that start together with a cold cache encode each text
// only once. Here each process is a cache of its own on one folder.
func TestCacheIsSharedWhileCold(t *testing.T) {
	folder := t.TempDir()
	var texts []string
	for i := range 40 {
		texts = append(texts, strings.Repeat("a", i+1), strings.Repeat("b", i+1))
	}
	recorders := make([]*recorder, 4)
	var group errgroup.Group
	for i := range recorders {
		recorders[i] = &recorder{}
		c := openCached(t, recorders[i], folder, "model")
		group.Go(func() error {
			for lo := 0; lo < len(texts); lo += 8 {
				part, dst := texts[lo:lo+8], make([]float32, 8*8)
				if err := c.EncodeDocuments(t.Context(), make([]string, 8), part, dst); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	asked := map[string]int{}
	for _, r := range recorders {
		for _, text := range r.asked {
			asked[text]++
		}
	}
	if len(asked) != len(texts) {
		t.Errorf("%d texts were encoded, want %d", len(asked), len(texts))
	}
	for text, n := range asked {
		if n != 1 {
			t.Errorf("%s was encoded %d times", text, n)
		}
	}
	check, err := onlyModel(t, folder).Verify()
	if err != nil || check.Vectors != len(texts) || !check.clean() {
		t.Errorf("the cache holds %+v, %v", check, err)
	}
}

// TestCacheTurnEnds: a process that waits for its turn ends with its context.
func TestCacheTurnEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), turnFile)
	first, second := newTurn(path), newTurn(path)
	done, err := first.take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*turnPoll)
	defer cancel()
	if _, err := second.take(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while another process encodes: %v", err)
	}
	done()
	if done, err = second.take(t.Context()); err != nil {
		t.Fatal(err)
	}
	done()
	if err := errors.Join(first.close(), second.close()); err != nil {
		t.Error(err)
	}
}

// TestCacheSurvivesPowerLoss: whichever operation of a cache breaks, the next process finds
// correct vectors or none. Vectors of a cache that was closed without an error are found.
func TestCacheSurvivesPowerLoss(t *testing.T) {
	fill := func(dir string) {
		if fillCache(t, filepath.Join(dir, "cache")) == nil {
			fmt.Print("closed")
		}
	}
	tracer.EachFault(t, nil, fill, func(what, dir, said string) {
		r := &recorder{}
		encodeDocs(t, openCached(t, r, filepath.Join(dir, "cache"), "f"), "a", "b", "c", "d")
		if said != "" && len(r.asked) > 0 {
			t.Errorf("%s: %v were encoded again", what, r.asked)
		}
	})
}

// fillCache stores vectors in two steps.
func fillCache(t *testing.T, folder string) error {
	c, err := NewCached(&recorder{}, folder, "f")
	if err != nil {
		return err
	}
	for _, texts := range [][]string{{"a", "b"}, {"c", "d"}} {
		err = errors.Join(err, c.EncodeDocuments(t.Context(), make([]string, 2), texts, make([]float32, 16)))
	}
	return errors.Join(err, c.Close())
}
