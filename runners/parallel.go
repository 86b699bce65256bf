package runners

import (
	"context"
	"iter"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// Workers is the number of goroutines that share work: as many as the scheduler runs at once.
// Results never depend on it.
func Workers() int { return runtime.GOMAXPROCS(0) }

// ForEach calls work(worker, i) once for each i in [0, n), from at most workers
// goroutines; calls with the same worker never overlap, so state kept by worker
// needs no lock. It stops at the first error or when ctx ends.
func ForEach(ctx context.Context, workers, n int, work func(worker, i int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	for worker := range min(workers, n) {
		group.Go(func() error {
			for {
				if err := ctx.Err(); err != nil {
					return err
				}
				i := int(next.Add(1)) - 1
				if i >= n {
					return nil
				}
				if err := work(worker, i); err != nil {
					return err
				}
			}
		})
	}
	return group.Wait()
}

// ForSpans is ForEach for spans of [0, n), each of the given size from lo up to hi; the last
// may be shorter.
func ForSpans(ctx context.Context, n, size int, work func(worker, lo, hi int) error) error {
	return ForEach(ctx, Workers(), (n+size-1)/size, func(worker, i int) error {
		return work(worker, i*size, min((i+1)*size, n))
	})
}

// Pipeline maps the items of in by several goroutines and passes the results to sink in the
// order of the items. work(worker, item) is called as in ForEach; calls of sink never overlap.
// At most a few items per worker are in memory at a time.
func Pipeline[In, Out any](ctx context.Context, workers int, in iter.Seq2[In, error], work func(worker int, item In) Out, sink func(Out) error) error {
	type job struct {
		item In
		out  chan Out
	}
	jobs := make(chan job)
	order := make(chan chan Out, 2*workers)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(jobs)
		defer close(order)
		for item, err := range in {
			if err != nil {
				return err
			}
			j := job{item, make(chan Out, 1)}
			select {
			case order <- j.out:
			case <-ctx.Done():
				return ctx.Err()
			}
			select {
			case jobs <- j:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	for worker := range workers {
		group.Go(func() error {
			for j := range jobs {
				j.out <- work(worker, j.item)
			}
			return nil
		})
	}
	group.Go(func() error {
		for out := range order {
			select {
			case result := <-out:
				if err := sink(result); err != nil {
					return err
				}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	return group.Wait()
}
