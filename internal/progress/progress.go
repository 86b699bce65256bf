// Package progress tells, through a context, which share of a long piece of work is done. The code
// that does the work reports its own share, whatever the work is a part of. Without a receiver
// nothing happens.
package progress

import "context"

type key struct{}

// receiver receives the share that is done.
type receiver struct {
	report func(share float64) // nil: nobody
	isPart bool
}

// With returns a context in which report receives the share that is done, 0 to 1. Only parts of the
// work are reported: code that does not know of them reports nothing. Calls may come from several
// goroutines.
func With(ctx context.Context, report func(share float64)) context.Context {
	return context.WithValue(ctx, key{}, receiver{report: report})
}

// Part returns the context of a part of the work: after from units of it until to, of so many in all.
func Part(ctx context.Context, from, to, of int) context.Context {
	r, ok := ctx.Value(key{}).(receiver)
	if !ok || r.report == nil {
		return ctx
	}
	before, size, all := float64(from), float64(to-from), float64(max(of, 1))
	return context.WithValue(ctx, key{}, receiver{func(share float64) { r.report((before + share*size) / all) }, true})
}

// Without returns a context in which nothing is reported.
func Without(ctx context.Context) context.Context { return With(ctx, nil) }

// Report reports that a share of a part is done.
func Report(ctx context.Context, share float64) {
	if r, ok := ctx.Value(key{}).(receiver); ok && r.isPart && r.report != nil {
		r.report(min(max(share, 0), 1))
	}
}
