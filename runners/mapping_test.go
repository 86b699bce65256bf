package runners

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/runners/codes"
)

// heldDocs passes the vectors in memory of texts without titles to use, or fails.
func heldDocs(t *testing.T, c *Cached, texts []string, use func(vectors)) error {
	t.Helper()
	ok, err := c.hold(make([]string, len(texts)), texts, func(v vectors) bool { use(v); return true })
	if err == nil && !ok {
		t.Fatalf("%q are not in memory", texts)
	}
	return err
}

// TestCacheHolds: a cache returns known vectors in place: as one part if they were written in
// that order, also after a process has written more.
func TestCacheHolds(t *testing.T) {
	folder, texts := t.TempDir(), []string{"a", "bad", "cab", "dad", "fee"}
	c := openCached(t, &recorder{}, folder, "model")
	for n := 2; n <= len(texts); n++ {
		if ok, err := c.hold(make([]string, n), texts[:n], func(vectors) bool { return true }); ok || err != nil {
			t.Errorf("%q are in memory before they are known: %v, %v", texts[:n], ok, err)
		}
		encodeDocs(t, c, texts[:n]...)
		want := make([]float32, 8*n)
		if err := (letters{}).EncodeDocuments(t.Context(), make([]string, n), texts[:n], want); err != nil {
			t.Fatal(err)
		}
		err := heldDocs(t, c, texts[:n], func(v vectors) {
			for i := range n {
				if got := v.row(i); !slices.Equal(got, want[8*i:8*i+8]) {
					t.Errorf("vector %d of %d is %v, want %v", i, n, got, want[8*i:8*i+8])
				}
			}
			if len(v.parts) != 1 {
				t.Errorf("%d vectors lie in %d parts", n, len(v.parts))
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestDenseSearchesTheCache: retrieval reads vectors in mapped memory, in any order and more
// than once, and allocates no memory for them.
func TestDenseSearchesTheCache(t *testing.T) {
	task, folder := contractTask(), t.TempDir()
	want := retrieve(t, NewDense("letters", letters{}, DenseOptions{}), task, 50)
	c := openCached(t, &recorder{}, folder, "letters")
	docs := slices.Clone(task.Corpus.(datasets.MemoryCorpus))
	slices.Reverse(docs[100:200])
	turned := *task
	turned.Corpus = docs
	retrieve(t, NewDense("letters", c, DenseOptions{}), &turned, 50)
	r := NewDense("letters", c, DenseOptions{BatchSize: 32})
	if got := retrieve(t, r, task, 50); !reflect.DeepEqual(got, want) {
		t.Error("a search in the cache's files has another result")
	}
	sc, err := OpenScope(t.Context(), task, 5)
	if err != nil {
		t.Fatal(err)
	}
	for b, err := range r.blocks(t.Context(), sc, 128) {
		if err != nil || b.memory != nil {
			t.Errorf("a block has a copy of %d values, %v", len(b.memory), err)
		}
	}
}

// TestDenseSearchesLengthsInTheCache: a vector whose length float32 cannot square is copied,
// and the copy is scaled.
func TestDenseSearchesLengthsInTheCache(t *testing.T) {
	task, e := randomTable(60, 3, 8)
	want := retrieve(t, NewDense("d", e, DenseOptions{}), task, 20)
	for i := range e.vectors["document 3"] {
		e.vectors["document 3"][i] *= 0x1p100
	}
	c, err := NewCached(e, t.TempDir(), "table")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range 2 {
		if got := retrieve(t, NewDense("d", c, DenseOptions{BatchSize: 8}), task, 20); !reflect.DeepEqual(got, want) {
			t.Error("a long vector changes the ranking")
		}
	}
}

// TestCacheChangedWhileOpen: if another program changes a file that is open, or mapped, the
// result is an error, neither a wrong ranking nor the end of the process.
func TestCacheChangedWhileOpen(t *testing.T) {
	texts := make([]string, 2000) // more than a page
	for i := range texts {
		texts[i] = strings.Repeat("a", i) + "b"
	}
	for name, c := range map[string]struct {
		change func(path string, data []byte) error
		before bool // the vectors are read before the change
		want   string
	}{
		"cut":           {func(path string, _ []byte) error { return os.Truncate(path, 5000) }, true, "but had more when it was opened"},
		"cut in memory": {func(path string, _ []byte) error { return os.Truncate(path, 5000) }, false, "was cut short"},
		"emptied":       {func(path string, _ []byte) error { return os.Truncate(path, 0) }, false, "was cut short"},
		"written over":  {func(path string, data []byte) error { data[90]++; return os.WriteFile(path, data, 0o644) }, true, "changed since it was opened"},
		"removed":       {func(path string, _ []byte) error { return os.Remove(path) }, false, ""},
		"merged by others": {func(path string, _ []byte) error {
			model := filepath.Dir(path)
			return errors.Join(os.WriteFile(filepath.Join(model, "x.vectors"), nil, 0o644), os.Remove(path))
		}, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			fill(t, folder, "model", texts...)
			path := segment(t, folder)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			cache := openCached(t, &recorder{}, folder, "model")
			if c.before {
				if err := c.change(path, data); err != nil {
					t.Fatal(err)
				}
			}
			err = heldDocs(t, cache, texts, func(v vectors) {
				if c.before {
					return
				}
				if err := c.change(path, data); err != nil {
					t.Error(err)
				}
				for i := range texts {
					length(v.row(i))
				}
			})
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// TestDenseSearchOfCutFile: if a file is cut while its vectors are compared, the search returns
// an error.
func TestDenseSearchOfCutFile(t *testing.T) {
	eachKernelSet(t, func(t *testing.T) {
		for _, queries := range []int{1, 20} {
			folder := t.TempDir()
			task, e := randomTable(3000, queries, 16)
			c, err := NewCached(e, folder, "table")
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			retrieve(t, NewDense("d", c, DenseOptions{}), task, 5)
			r := NewDense("d", c, DenseOptions{})
			sc, err := OpenScope(t.Context(), task, 5)
			if err != nil {
				t.Fatal(err)
			}
			asked, err := r.encodeQueries(t.Context(), task.Queries)
			if err != nil {
				t.Fatal(err)
			}
			s := newDenseSearch(sc, 16, Cosine, codes.Float32, asked, 5)
			for b, err := range r.blocks(t.Context(), sc, 4000) {
				if err != nil || b.memory != nil {
					t.Fatalf("the vectors are not in memory: %v", err)
				}
				if err := os.Truncate(segment(t, folder), 8192); err != nil {
					t.Fatal(err)
				}
				if err := s.add(t.Context(), b); !errors.Is(err, errShrunk) {
					t.Errorf("%d queries: error %v, want that the file was cut", queries, err)
				}
				break
			}
		}
	})
}
