package training

import (
	"context"
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"golang.org/x/sync/errgroup"

	"infbench/training/encoder"
)

// Data parallelism: every device has a replica of the encoder and takes its share
// of a batch's chunks. Vectors are gathered, so that the loss, which is computed
// once, sees the negatives of all devices; gradients are gathered and added in the
// order of the chunks; one optimiser steps, and the replicas get its weights.
//
// On several cards that is functional, not fast: what is gathered, a gradient of all
// weights for each chunk, goes through the host. go-xla can add on the cards (v0.4.1,
// compute/xla/ops_collective.go, AllReduce), but then all of them are one client with one
// program, where each has a client here, and the order of the sum is XLA's, so that the
// weights would depend on the number of cards. Sweeps give each card a cell of its own.
//
// Several machines would take: chunk i on lane i modulo the lanes of all of them, each
// making the batches itself, as these are a function of seed and number (sampler.batch);
// the two places where share hands results on (chunked.embed and backward) asking other
// machines for theirs; the same update on each, of sums added in the same order, in the
// place of CopyTrained; one that writes the checkpoint while others wait; and jobs of
// several tasks from the engine, which end together and go on from that checkpoint.

// newReplicas copies an encoder to devices.
func newReplicas(enc *encoder.Encoder, devices []compute.Backend) ([]*encoder.Encoder, error) {
	var list []*encoder.Encoder
	for i, device := range devices {
		r, err := enc.Replica(device)
		if err != nil {
			return nil, fmt.Errorf("device %d: %w", i+2, err)
		}
		list = append(list, r)
	}
	return list, nil
}

// share calls do for each of n chunks, chunk i on lane i modulo their number, and
// hands what it returns to take, chunk after chunk. A lane begins no chunk before
// its last result is taken, which bounds what is held.
func share[T any](lanes []lane, n int, do func(l lane, i int) (T, error), take func(i int, result T) error) error {
	if len(lanes) == 1 { // nothing is held beside what take is at
		for i := range n {
			result, err := do(lanes[0], i)
			if err == nil {
				err = take(i, result)
			}
			if err != nil {
				return fmt.Errorf("chunk %d: %w", i, err)
			}
		}
		return nil
	}
	group, ctx := errgroup.WithContext(context.Background())
	results := make([]chan T, len(lanes))
	for d := range lanes {
		results[d] = make(chan T)
		group.Go(func() error {
			for i := d; i < n; i += len(lanes) {
				result, err := do(lanes[d], i)
				if err != nil {
					return fmt.Errorf("chunk %d on device %d: %w", i, d+1, err)
				}
				select {
				case results[d] <- result:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			return nil
		})
	}
	group.Go(func() error {
		for i := range n {
			select {
			case result := <-results[i%len(lanes)]:
				if err := take(i, result); err != nil {
					return fmt.Errorf("chunk %d: %w", i, err)
				}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	return group.Wait()
}

// moveToHost replaces tensors of a device by copies that every device can read.
func moveToHost(list []*tensors.Tensor) error {
	for i, t := range list {
		dimensions := t.Shape().Dimensions
		values, err := take(t)
		if err != nil {
			return err
		}
		list[i] = tensors.FromFlatDataAndDimensions(values, dimensions...)
	}
	return nil
}
