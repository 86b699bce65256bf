package runs

import (
	"crypto/sha256"
	"encoding/hex"
)

// Sha256Text is the SHA-256 of a text in hexadecimal.
func Sha256Text(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
