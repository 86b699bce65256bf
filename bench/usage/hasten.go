package usage

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"
)

// ExitInterrupted is the exit code of what a signal stopped and what cannot go on: the
// same command begins anew.
const ExitInterrupted = 130

// patience is how long after a signal a verb may take to end by itself.
const patience = 800 * time.Millisecond

// Hasten ends this process with a code where a signal came and ended is not called soon
// after: whatever a verb is at, a crash of it leaves nothing half done.
func Hasten(ctx context.Context, code int, stderr io.Writer) (ended func()) {
	done := make(chan struct{})
	go func() {
		select {
		case <-done:
			return
		case <-ctx.Done():
		}
		select {
		case <-done:
		case <-time.After(patience):
			fmt.Fprintln(stderr, "infbench:", context.Cause(ctx))
			os.Exit(code)
		}
	}()
	return func() { close(done) }
}
