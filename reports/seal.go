package reports

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
)

const (
	SealStart = "<!-- sha256:" // start of the comment that ends a page; it cannot occur in texts, because < is escaped
	sealEnd   = " -->\n"
)

// Errors of CheckSeal.
var (
	errSealBroken  = errors.New("the page was changed after it was written: its seal is broken")
	errSealMissing = errors.New("the page has no seal: it was cut short, or changed after it was written")
)

// WriteSealed writes the output of fill and its seal: a comment with the SHA-256 of
// everything before it, by which CheckSeal detects changes. It buffers, because a template
// writes millions of pieces.
func WriteSealed(w io.Writer, fill func(w io.Writer) error) error {
	sum := sha256.New()
	whole := bufio.NewWriterSize(io.MultiWriter(w, sum), 1<<16)
	if err := fill(whole); err != nil {
		return err
	}
	if err := whole.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%s%x%s", SealStart, sum.Sum(nil), sealEnd)
	return err
}

// CheckSeal checks a page against its seal. It returns nil, errSealBroken or
// errSealMissing. Package verify checks whether the numbers follow from the values, and
// the values from the run folders.
func CheckSeal(page []byte) error {
	at := bytes.LastIndex(page, []byte(SealStart))
	if at < 0 {
		return errSealMissing
	}
	var want bytes.Buffer
	fmt.Fprintf(&want, "%s%x%s", SealStart, sha256.Sum256(page[:at]), sealEnd)
	if !bytes.Equal(page[at:], want.Bytes()) {
		return errSealBroken
	}
	return nil
}
