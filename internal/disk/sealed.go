// Package sealed keeps JSON files that say whether they are what was written: their
// first key is the SHA-256 of all that follows it. It guards against what disks, file
// servers and editors do, and not against people, who can hash as well. It also words the
// refusal of files of other formats. A leaf that every package may import.

package disk

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
)

// The first lines of a sealed file: an object whose first key is the SHA-256, in
// hexadecimal, of all that follows the line.
const (
	opening = "{\n"
	key     = `  "sum": `
	line    = key + "\"%x\",\n"
)

// ErrChanged says that a file is not what was written.
var ErrChanged = errors.New("the file was changed")

// Encode is the indented JSON of an object, sealed: equal values give equal bytes.
func EncodeSealed(v any) ([]byte, error) {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return nil, err
	}
	rest, ok := bytes.CutPrefix(data, []byte(opening))
	if !ok {
		return nil, fmt.Errorf("only an object that is not empty can be sealed, and %T is none", v)
	}
	rest = append(rest, '\n')
	return append(head(rest), rest...), nil
}

// head is what a sealed file begins with.
func head(rest []byte) []byte { return fmt.Appendf([]byte(opening), line, sha256.Sum256(rest)) }

// Write creates or replaces the file at path on a file system with the sealed JSON of
// an object.
func WriteSealed(fsys FS, path string, v any) error {
	data, err := EncodeSealed(v)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return WriteBytesTo(fsys, path, data)
}

// Split takes the seal out of a file and reports whether it holds. A file without a seal
// is returned as it is.
func SplitSealed(data []byte) (plain []byte, holds bool) {
	length := len(head(nil))
	if len(data) < length || !bytes.HasPrefix(data, []byte(opening+key)) {
		return data, false
	}
	rest := data[length:]
	return append([]byte(opening), rest...), bytes.Equal(data[:length], head(rest))
}

// Decode decodes what a file at path holds, and returns ErrChanged if it has no
// seal or the seal does not hold.
func DecodeSealed(path string, data []byte, v any) error {
	plain, holds := SplitSealed(data)
	if !holds {
		return fmt.Errorf("%s: %w", path, ErrChanged)
	}
	if err := json.Unmarshal(plain, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// Read is Decode of the regular file at path.
func ReadSealed(path string, v any) error {
	data, err := ReadFile(path)
	if err != nil {
		return err
	}
	return DecodeSealed(path, data, v)
}
