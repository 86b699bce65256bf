package page

import (
	"infbench/internal/disk"
)

// ScriptSum is the SHA-256, in hexadecimal digits, of the ECharts script that this binary
// embeds; "" where it was built without.
func ScriptSum() string {
	data, err := script()
	if err != nil || data == nil {
		return ""
	}
	return disk.Sum(data)
}
