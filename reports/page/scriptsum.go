package page

import (
	"crypto/sha256"
	"encoding/hex"
)

// ScriptSum is the SHA-256, in hexadecimal digits, of the ECharts script that this binary
// embeds; "" where it was built without.
func ScriptSum() string {
	data, err := script()
	if err != nil || data == nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
