package disk

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
)

// The first lines of a sealed file: an object whose first key is the SHA-256, in hexadecimal, of
// everything after its line. The seal protects against faults of disks, file servers and editors,
// not against people, who can compute hashes as well.
const (
	sealOpening = "{\n"
	sealKey     = `  "sum": `
	sealLine    = sealKey + "\"%x\",\n"
)

// ErrChanged means that a file was changed since it was written.
var ErrChanged = errors.New("the file was changed")

// EncodeSealed returns the indented JSON of an object with its seal: equal values give equal bytes.
func EncodeSealed(v any) ([]byte, error) {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return nil, err
	}
	rest, ok := bytes.CutPrefix(data, []byte(sealOpening))
	if !ok {
		return nil, fmt.Errorf("only a non-empty object can be sealed, not a %T", v)
	}
	rest = append(rest, '\n')
	return append(sealHead(rest), rest...), nil
}

// sealHead returns the beginning of a sealed file.
func sealHead(rest []byte) []byte {
	return fmt.Appendf([]byte(sealOpening), sealLine, sha256.Sum256(rest))
}

// WriteSealed creates or replaces the file at path on a file system with the sealed JSON of an
// object.
func WriteSealed(fsys FS, path string, v any) error {
	data, err := EncodeSealed(v)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return WriteBytesTo(fsys, path, data)
}

// SplitSealed removes the seal from a file and reports whether it is valid. A file without a seal
// is returned unchanged.
func SplitSealed(data []byte) (plain []byte, holds bool) {
	length := len(sealHead(nil))
	if len(data) < length || !bytes.HasPrefix(data, []byte(sealOpening+sealKey)) {
		return data, false
	}
	rest := data[length:]
	return append([]byte(sealOpening), rest...), bytes.Equal(data[:length], sealHead(rest))
}

// DecodeSealed decodes the content of a file at path. It returns ErrChanged if the seal is missing
// or invalid.
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

// ReadSealed is like DecodeSealed for the regular file at path.
func ReadSealed(path string, v any) error {
	data, err := ReadFile(path)
	if err != nil {
		return err
	}
	return DecodeSealed(path, data, v)
}
