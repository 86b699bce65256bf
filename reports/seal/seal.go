// Package seal ends a page with the SHA-256 of all that stands before it, as a
// comment, and holds pages to it. It tells a page that was changed afterwards from
// one that was not; that the numbers follow from the values, and the values from
// the run folders, is for package verify to find out. A leaf.
package seal

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
)

const (
	Start = "<!-- sha256:" // of the comment; no text on a page can hold it, < is escaped in all
	end   = " -->\n"
)

// Why a page is not taken for what was written. Every infbench that wrote values into
// its pages wrote seals too.
var (
	ErrBroken  = errors.New("the page was changed after it was written: its seal is broken")
	ErrMissing = errors.New("the page has no seal: it was cut short, or changed after it was written")
)

// Write writes what fill writes and its seal. A template writes millions of pieces, which
// are put together.
func Write(w io.Writer, fill func(w io.Writer) error) error {
	sum := sha256.New()
	whole := bufio.NewWriterSize(io.MultiWriter(w, sum), 1<<16)
	if err := fill(whole); err != nil {
		return err
	}
	if err := whole.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%s%x%s", Start, sum.Sum(nil), end)
	return err
}

// Check holds a page to its seal: nil, ErrBroken or ErrMissing.
func Check(page []byte) error {
	at := bytes.LastIndex(page, []byte(Start))
	if at < 0 {
		return ErrMissing
	}
	var want bytes.Buffer
	fmt.Fprintf(&want, "%s%x%s", Start, sha256.Sum256(page[:at]), end)
	if !bytes.Equal(page[at:], want.Bytes()) {
		return ErrBroken
	}
	return nil
}
