package runners

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// Cached is an encoder that stores every vector in files and calls the underlying encoder only
// for new texts. It is safe for concurrent use, and several processes may share a folder: only
// one of them at a time encodes texts of a model, and the others then find its vectors, so that
// each text is encoded once.
//
// The key of a vector is the SHA-256 of everything that determines it: the fingerprint of the
// model, query or document, and the texts. A vector may depend up to 1e-6 on the other texts in
// its batch, so runs with and without the cache may differ by as much.
type Cached struct {
	kept
	encoder Encoder
}

var _ Encoder = (*Cached)(nil)

// requester is an encoder that sends its texts in requests. For it Cached asks for the texts of
// one request at a time, with several requests in parallel, and stores each answer immediately,
// so that a process killed between two answers loses none.
type requester interface {
	Requests() (texts, parallel int) // texts in a request, requests at a time; at least 1 each
}

// The kinds of text, as used in keys.
const (
	kindQuery    = "query"
	kindDocument = "document"
)

// NewCached returns encoder with a cache in a folder, which it creates if necessary. The
// fingerprint must contain everything that determines a vector besides the text: weights,
// pooling, prompts, truncation, precision. It is stored with the vectors, so it must not
// contain a secret. Close the cache after use.
func NewCached(encoder Encoder, folder, fingerprint string) (*Cached, error) {
	c := &Cached{encoder: encoder}
	if err := c.open(folder, fingerprint, encoder.Dim()); err != nil {
		return nil, err
	}
	return c, nil
}

// modelID is the folder name for the vectors of a fingerprint.
func modelID(fingerprint string, dim int) string {
	key := vectorKey(fingerprint, fmt.Sprint(dim), "", "")
	return hex.EncodeToString(key[:modelIDLength/2])
}

// vectorKey hashes the parts with their lengths, so that different lists of parts have
// different keys.
func vectorKey(parts ...string) [sha256.Size]byte {
	h := sha256.New()
	h.Write([]byte("infbench vector 1\n"))
	for _, part := range parts {
		var length [8]byte
		binary.LittleEndian.PutUint64(length[:], uint64(len(part)))
		h.Write(length[:])
		h.Write([]byte(part))
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// Dim returns the dimension of the encoder.
func (c *Cached) Dim() int { return c.encoder.Dim() }

// EncodeQueries implements Encoder.
func (c *Cached) EncodeQueries(ctx context.Context, queries, instructions []string, dst []float32) error {
	return c.encode(ctx, kindQuery, queries, instructions, dst, c.encoder.EncodeQueries)
}

// EncodeDocuments implements Encoder.
func (c *Cached) EncodeDocuments(ctx context.Context, titles, texts []string, dst []float32) error {
	return c.encode(ctx, kindDocument, titles, texts, dst, c.encoder.EncodeDocuments)
}

// wanted are requested texts, by key.
type wanted struct {
	kind string
	a, b []string
	dst  []float32
	keys [][sha256.Size]byte         // in order of first use
	rows map[[sha256.Size]byte][]int // rows of a, b and dst
}

// encode fills dst from the store and, for missing texts, from the encoder.
func (c *Cached) encode(ctx context.Context, kind string, a, b []string, dst []float32,
	encode func(ctx context.Context, a, b []string, dst []float32) error) error {
	w := wanted{kind: kind, a: a, b: b, dst: dst, rows: map[[sha256.Size]byte][]int{}}
	for i := range a {
		key := vectorKey(c.fingerprint, kind, a[i], b[i])
		if w.rows[key] == nil {
			w.keys = append(w.keys, key)
		}
		w.rows[key] = append(w.rows[key], i)
	}
	return c.fill(ctx,
		func() (missing bool, err error) { err = c.find(&w); return len(w.keys) > 0, err },
		func() error { return c.encodeRest(ctx, &w, encode) })
}

// find fills in the vectors that the store has; the other keys remain.
func (c *Cached) find(w *wanted) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var missing [][sha256.Size]byte
	for _, key := range w.keys {
		rows := w.rows[key]
		found, err := c.store.get(key, c.row(w.dst, rows[0]))
		if err != nil {
			return fmt.Errorf("embedding cache: %w", err)
		}
		if !found {
			missing = append(missing, key)
			continue
		}
		c.spread(w.dst, rows)
		c.hits += len(rows)
	}
	w.keys = missing
	return nil
}

// row is vector i of dst.
func (c *Cached) row(dst []float32, i int) []float32 { return dst[i*c.Dim() : (i+1)*c.Dim()] }

// spread copies the first of several equal rows to the others.
func (c *Cached) spread(dst []float32, rows []int) {
	for _, i := range rows[1:] {
		copy(c.row(dst, i), c.row(dst, rows[0]))
	}
}

// encodeRest encodes the remaining texts and stores their vectors.
func (c *Cached) encodeRest(ctx context.Context, w *wanted, encode func(ctx context.Context, a, b []string, dst []float32) error) error {
	n, dim := len(w.keys), c.Dim()
	a, b := make([]string, n), make([]string, n)
	misses := 0
	for k, key := range w.keys {
		a[k], b[k] = w.a[w.rows[key][0]], w.b[w.rows[key][0]]
		misses += len(w.rows[key])
	}
	c.mu.Lock()
	c.misses += misses
	c.mu.Unlock()
	vectors := make([]float32, n*dim)
	err := c.ask(n, func(lo, hi int) error {
		part := vectors[lo*dim : hi*dim]
		if err := encode(ctx, a[lo:hi], b[lo:hi], part); err != nil {
			return err
		}
		return c.keep(w.kind, w.keys[lo:hi], part)
	})
	if err != nil {
		return err
	}
	for k, key := range w.keys {
		rows := w.rows[key]
		copy(c.row(w.dst, rows[0]), c.row(vectors, k))
		c.spread(w.dst, rows)
	}
	return nil
}

// ask calls request for texts lo to hi until all n are requested. After a failure it starts no
// more requests but waits for running ones, so that a paid answer is kept.
func (c *Cached) ask(n int, request func(lo, hi int) error) error {
	size, parallel := n, 1
	if r, ok := c.encoder.(requester); ok {
		size, parallel = r.Requests()
	}
	var group errgroup.Group
	var failed atomic.Bool
	group.SetLimit(parallel)
	for lo := 0; lo < n && !failed.Load(); lo += size {
		group.Go(func() error {
			err := request(lo, min(lo+size, n))
			if err != nil {
				failed.Store(true)
			}
			return err
		})
	}
	return group.Wait()
}

// keep stores new vectors.
func (c *Cached) keep(kind string, keys [][sha256.Size]byte, vectors []float32) error {
	if !Finite(vectors) {
		return fmt.Errorf("embedding cache: a %s has a vector that is not finite", kind)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.store.add(keys, vectors); err != nil {
		return fmt.Errorf("embedding cache: %w", err)
	}
	return nil
}
