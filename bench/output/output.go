// Package output is what verbs print and where: standard output, the files that a user
// names, and small tables of a verb's own numbers for a terminal, as CSV or as JSON.
// Package reports lays out results.
package output

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/term"
)

// Output is the standard output of a verb. It remembers the first error of a write, so
// that no verb ends well whose output is lost.
type Output struct {
	w   io.Writer
	mu  sync.Mutex
	err error
}

var _ io.Writer = (*Output)(nil)

// New is the output that goes to w.
func New(w io.Writer) *Output { return &Output{w: w} }

// Write implements io.Writer. After an error nothing more is written: what a reader
// gets has no holes.
func (o *Output) Write(p []byte) (n int, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		n, o.err = o.w.Write(p)
	}
	return n, o.err
}

// Blame adds to how a verb ended that its output could not be written.
func (o *Output) Blame(err error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil || errors.Is(err, o.err) {
		return err
	}
	return errors.Join(err, fmt.Errorf("standard output could not be written: %w", o.err))
}

// Unwrap is what the output goes to, for package terminal to ask.
func (o *Output) Unwrap() io.Writer { return o.w }

// Terminal returns the terminal that w writes to, if it is one.
func Terminal(w io.Writer) (*os.File, bool) {
	if o, ok := w.(*Output); ok {
		w = o.w
	}
	f, ok := w.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
}
