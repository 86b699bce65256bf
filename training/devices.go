package training

import (
	"context"
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"golang.org/x/sync/errgroup"

	"infbench/training/encoder"
)

// Data parallelism: every device has a replica of the encoder and takes its share of a batch's
// chunks. Vectors are gathered, so that the loss, which is computed once, sees the negatives of
// all devices. Gradients are gathered and added in the order of the chunks. One optimiser steps,
// and the replicas get its weights.
//
// On several cards this works, but it is not fast: each chunk sends a gradient of all weights
// through the host (docs/development.md has its share of a step). go-xla can add on the cards (v0.4.1, compute/xla/ops_collective.go,
// AllReduce), but only if all cards are one client with one program. Here each card has its own
// client. XLA would also choose the order of the sum, so the weights would depend on the number
// of cards. Sweeps give each card its own cell.
//
// Several machines would need these changes. Chunk i runs on lane i modulo the lanes of all
// machines. Each machine makes the batches itself, since these are a function of seed and number
// (sampler.batch). The two places where share hands results on (chunked.embed and backward) ask
// other machines for their results. Each machine applies the same update to sums added in the
// same order, instead of CopyTrained. One machine writes the checkpoint while others wait. The
// engine runs jobs of several tasks, which end together and continue from that checkpoint.

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

// share calls do for each of n chunks, chunk i on lane i modulo their number, and hands each
// result to take, chunk after chunk. A lane starts a chunk only after take has accepted the
// lane's last result, which bounds memory.
func share[T any](lanes []lane, n int, do func(l lane, i int) (T, error), take func(i int, result T) error) error {
	if len(lanes) == 1 { // only one result exists at a time
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
