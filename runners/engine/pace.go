package engine

import (
	"context"
	"time"
)

// pace decides when to look at a queue again: soon after a change, and ever more rarely without
// one.
type pace struct {
	longest, next time.Duration
}

func newPace(longest time.Duration) pace { return pace{longest: longest, next: longest / 8} }

// wait sleeps until the next look.
func (p *pace) wait(ctx context.Context) error { return sleep(ctx, p.next) }

// saw sets the time to the next look.
func (p *pace) saw(change bool) {
	if change {
		p.next = p.longest / 8
	} else {
		p.next = min(p.next*3/2, p.longest)
	}
}

// sleep waits for d or for the end of ctx, whose error it returns.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
