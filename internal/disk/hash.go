package disk

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
)

// SHA256 streams the file at path and returns its hash, in lower-case hexadecimal, and its size.
func SHA256(path string) (sum string, size int64, err error) {
	f, err := Stream(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	h := sha256.New()
	if size, err = io.Copy(h, f); err != nil {
		return "", 0, fmt.Errorf("read %s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), size, nil
}

// Sum returns the hash of a text or of bytes, in lower-case hexadecimal.
func Sum[T ~string | ~[]byte](data T) string {
	sum := sha256.Sum256([]byte(data))
	return hex.EncodeToString(sum[:])
}
