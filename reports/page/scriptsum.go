package page

import (
	"infbench/internal/disk"
)

// ScriptSum returns the SHA-256, in hexadecimal digits, of the embedded ECharts script; ""
// if the binary was built without it.
func ScriptSum() string {
	data, err := script()
	if err != nil || data == nil {
		return ""
	}
	return disk.Sum(data)
}
