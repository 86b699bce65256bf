// Package output writes the output of verbs: standard output, files that a user names, and
// small tables of a verb's own numbers for a terminal, as CSV or as JSON. Package reports
// formats results.
package output

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/term"
)

// Output is the standard output of a verb. It remembers the first write error, so that a verb
// whose output is lost does not succeed.
type Output struct {
	w   io.Writer
	mu  sync.Mutex
	err error
}

var _ io.Writer = (*Output)(nil)

// New returns an output that writes to w.
func New(w io.Writer) *Output { return &Output{w: w} }

// Write implements io.Writer. After an error it writes nothing more: the output has no gaps.
func (o *Output) Write(p []byte) (n int, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		n, o.err = o.w.Write(p)
	}
	return n, o.err
}

// Blame adds the write error, if there was one, to the error of a verb.
func (o *Output) Blame(err error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil || errors.Is(err, o.err) {
		return err
	}
	return errors.Join(err, fmt.Errorf("standard output could not be written: %w", o.err))
}

// Unwrap returns the underlying writer, for package terminal.
func (o *Output) Unwrap() io.Writer { return o.w }

// Terminal returns the terminal that w writes to, if it is one.
func Terminal(w io.Writer) (*os.File, bool) {
	if o, ok := w.(*Output); ok {
		w = o.w
	}
	f, ok := w.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
}
