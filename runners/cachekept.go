package runners

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
)

// kept is the part of an embedding cache for one fingerprint, in records of equal length, with
// the turn that processes take to add to it. Its mutex guards the other fields.
type kept struct {
	fingerprint string
	turn        *turn

	mu           sync.Mutex
	store        *vectorStore
	hits, misses int
}

// open opens the part in a folder. Its records have dim values of four bytes.
func (k *kept) open(folder, fingerprint string, dim int) error {
	model := filepath.Join(folder, modelID(fingerprint, dim))
	store, err := openVectorStore(model, dim)
	if err == nil {
		err = markUsed(model, fingerprint)
	}
	if err != nil {
		return fmt.Errorf("embedding cache: %w", err)
	}
	k.fingerprint, k.store, k.turn = fingerprint, store, newTurn(filepath.Join(model, turnFile))
	return nil
}

// fill calls find to look up the requested texts, which reports whether any is missing. If so,
// it waits for this process's turn, looks up texts added by others, and calls add for the rest.
func (k *kept) fill(ctx context.Context, find func() (missing bool, err error), add func() error) error {
	if missing, err := find(); err != nil || !missing {
		return err
	}
	done, err := k.turn.take(ctx)
	if err != nil {
		return fmt.Errorf("embedding cache: wait for other processes: %w", err)
	}
	defer done()
	if err := k.refresh(); err != nil {
		return err
	}
	if missing, err := find(); err != nil || !missing {
		return err
	}
	return add()
}

// refresh reads the records that other processes wrote.
func (k *kept) refresh() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.store.refresh(); err != nil {
		return fmt.Errorf("embedding cache: %w", err)
	}
	return nil
}

// CacheStats counts the operations of a cache.
type CacheStats struct {
	Hits, Misses int // texts found and not found since opening
	Vectors      int // records in the store
	Damaged      int // records found broken on opening, whose texts are encoded again
}

// Stats returns the counts since opening.
func (k *kept) Stats() CacheStats {
	k.mu.Lock()
	defer k.mu.Unlock()
	return CacheStats{k.hits, k.misses, len(k.store.places), k.store.damaged}
}

// Close syncs the written records, so that they survive a power loss, and closes the files.
func (k *kept) Close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return errors.Join(k.store.close(), k.turn.close())
}
