package page

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
)

// A page ends with the SHA-256 of all that stands before it, as a comment. It
// tells a page that was changed afterwards from one that was not; that the
// numbers follow from the values, and the values from the run folders, is for
// VerifyPage to find out.
const (
	SealStart = "<!-- sha256:"
	sealEnd   = " -->\n"
)

// errSeal says that a page is not what was written.
var errSeal = errors.New("the page was changed after it was written")

// Sealed writes what fill writes and its seal.
func Sealed(w io.Writer, fill func(w io.Writer) error) error {
	sum := sha256.New()
	if err := fill(io.MultiWriter(w, sum)); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%s%x%s", SealStart, sum.Sum(nil), sealEnd)
	return err
}

// CheckSeal holds a page to its seal.
func CheckSeal(page []byte) error {
	at := bytes.LastIndex(page, []byte(SealStart))
	if at < 0 {
		return errors.New("the page has no seal: it was made by an older version, or cut short")
	}
	var want bytes.Buffer
	fmt.Fprintf(&want, "%s%x%s", SealStart, sha256.Sum256(page[:at]), sealEnd)
	if !bytes.Equal(page[at:], want.Bytes()) {
		return errSeal
	}
	return nil
}
