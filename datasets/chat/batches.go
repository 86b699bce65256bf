package chat

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"infbench/internal/disk"
)

// BatchResult counts the outcomes of the questions that Prefetch sent.
type BatchResult struct {
	Sent     int           `json:"sent"`
	Answered int           `json:"answered"`           // stored answers, including unusable ones
	Failures map[Class]int `json:"failures,omitempty"` // not stored; these questions would be sent again
}

// Batcher asks many questions through an endpoint's batches, which are cheaper and slower. It
// stores the answers, where a Cached finds them.
type Batcher struct {
	client *Client
	store  *Store
	every  time.Duration
}

// NewBatcher returns a batcher of a client; the store should be of the client's origin. Batches are
// polled at the given interval; 0 means 30 seconds.
func NewBatcher(c *Client, s *Store, every time.Duration) *Batcher {
	if every <= 0 {
		every = 30 * time.Second
	}
	return &Batcher{c, s, every}
}

// openBatch is the file of an unfinished batch, stored next to the answers. It is written before
// the batch is created. After a kill the next process continues the batch, and nothing is paid
// twice.
type openBatch struct {
	Key      string             `json:"key"`
	Requests map[string]Request `json:"requests"` // by hash
	ID       string             `json:"id,omitempty"`
}

// Prefetch finishes the batches that earlier processes began, then asks the questions without a
// stored answer, in batches. It returns when all have ended.
func (b *Batcher) Prefetch(ctx context.Context, requests []Request) (BatchResult, error) {
	result := BatchResult{Failures: map[Class]int{}}
	open, err := b.open()
	if err != nil {
		return result, err
	}
	for _, o := range open {
		if err := b.run(ctx, o, &result); err != nil {
			return result, b.clean(ctx, err)
		}
	}
	parts, err := b.parts(requests)
	if err != nil {
		return result, err
	}
	for _, o := range parts {
		if err := b.run(ctx, o, &result); err != nil {
			return result, b.clean(ctx, err)
		}
	}
	return result, nil
}

// clean returns an error that may be shown: without keys and private texts.
func (b *Batcher) clean(ctx context.Context, err error) error {
	return b.client.clean(ctx, "batch at "+b.client.opts.BaseURL, ClassOf(err), err)
}

// dir returns the folder of the batch files.
func (b *Batcher) dir() string { return filepath.Join(b.store.folder(), "batches") }

func (b *Batcher) path(o *openBatch) string { return filepath.Join(b.dir(), o.Key+".json") }

// open reads the unfinished batches, sorted by name.
func (b *Batcher) open() ([]*openBatch, error) {
	files, err := disk.ReadDir(b.dir())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var open []*openBatch
	for _, f := range files {
		if disk.IsTemporary(f.Name()) || !strings.HasSuffix(f.Name(), ".json") {
			continue
		}
		path := filepath.Join(b.dir(), f.Name())
		text, err := disk.ReadFile(path)
		if err != nil {
			return nil, err
		}
		o := &openBatch{}
		if err := json.Unmarshal(text, o); err != nil {
			return nil, fmt.Errorf("%s is damaged: %w", path, err)
		}
		open = append(open, o)
	}
	return open, nil
}

// parts splits the requests without stored answers into batches.
func (b *Batcher) parts(requests []Request) (parts []*openBatch, err error) {
	missing, size := map[string]Request{}, 0
	close := func() {
		if len(missing) > 0 {
			parts = append(parts, &openBatch{Key: keyOf(missing), Requests: missing})
		}
		missing, size = map[string]Request{}, 0
	}
	seen := map[string]bool{}
	for _, r := range requests {
		hash, err := r.Hash()
		if err != nil {
			return nil, err
		}
		kept, err := b.store.Has(r)
		if err != nil {
			return nil, err
		}
		if kept || seen[hash] {
			continue
		}
		seen[hash] = true
		if size += 2*r.AtMost() + 1000; len(missing) == maxBatch || size > maxBatchBytes {
			close()
			size = 2*r.AtMost() + 1000
		}
		missing[hash] = r
	}
	close()
	return parts, nil
}

// order lists the hashes of a batch's requests, sorted.
func (o *openBatch) order() []string { return slices.Sorted(maps.Keys(o.Requests)) }

// keyOf returns a batch's key, computed from its requests.
func keyOf(requests map[string]Request) string {
	return disk.Sum(strings.Join(slices.Sorted(maps.Keys(requests)), "\n"))[:32]
}

// run continues a batch from its current state to its end.
func (b *Batcher) run(ctx context.Context, o *openBatch, result *BatchResult) error {
	result.Sent += len(o.Requests)
	paid, err := b.start(ctx, o)
	if err != nil {
		return err
	}
	done, err := b.client.await(ctx, o.ID, b.every)
	if err != nil {
		return err
	}
	outcomes, err := b.client.outcomes(ctx, done, o.Requests)
	if err != nil {
		return err
	}
	if err := b.keep(o, outcomes, paid, result); err != nil {
		return err
	}
	if done.Status != "completed" && len(outcomes) == 0 {
		err = &Error{Lost, fmt.Errorf("batch %s: %s", o.ID, done.Status)}
	}
	return errors.Join(err, disk.OS{}.Remove(b.path(o)))
}

// start creates the batch unless an earlier process did. The reservations are by hash.
func (b *Batcher) start(ctx context.Context, o *openBatch) (paid map[string]*reservation, err error) {
	if o.ID != "" {
		return nil, nil
	}
	if _, err := disk.Stat(b.path(o)); err == nil {
		if o.ID, err = b.client.findBatch(ctx, o.Key); err != nil || o.ID != "" {
			return nil, errors.Join(err, b.write(o))
		}
	}
	if paid, err = b.reserve(o); err != nil {
		return nil, err
	}
	if err := b.write(o); err != nil {
		return nil, err
	}
	file, err := b.client.upload(ctx, o.Requests, o.order())
	if err == nil {
		o.ID, err = b.client.submit(ctx, file, o.Key)
	}
	if err != nil {
		return nil, err // the reservations stay: the batch may be under way
	}
	return paid, b.write(o)
}

// reserve reserves the worst case of all questions.
func (b *Batcher) reserve(o *openBatch) (map[string]*reservation, error) {
	paid := map[string]*reservation{}
	for _, hash := range o.order() {
		r := o.Requests[hash]
		p, err := b.client.opts.Budget.reserveNow(&r)
		if err != nil {
			for _, p := range paid {
				p.nothing()
			}
			return nil, err
		}
		paid[hash] = p
	}
	return paid, nil
}

func (b *Batcher) write(o *openBatch) error {
	return disk.WriteJSONTo(disk.OS{}, b.path(o), o)
}

// keep stores the answers of a batch and counts the failures.
func (b *Batcher) keep(o *openBatch, outcomes []outcome, paid map[string]*reservation, result *BatchResult) error {
	cached, seen := NewCached(nil, b.store), map[string]bool{}
	for _, out := range outcomes {
		r, asked := o.Requests[out.hash]
		if !asked || seen[out.hash] {
			result.Failures[cmp.Or(ClassOf(out.err), WrongRecord)]++
			continue
		}
		seen[out.hash] = true
		paid[out.hash].just(out.answer.Input, out.answer.Output)
		if _, err := cached.keep(out.hash, r, out.answer, out.err); err != nil && ClassOf(err) != ClassOf(out.err) {
			return err
		}
		if kept, err := b.store.Has(r); err != nil {
			return err
		} else if kept {
			result.Answered++
		} else {
			result.Failures[ClassOf(out.err)]++
		}
	}
	for hash := range o.Requests {
		if !seen[hash] {
			paid[hash].nothing()
			result.Failures[Lost]++
		}
	}
	return nil
}
