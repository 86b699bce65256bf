package results

import (
	"strings"

	"infbench/internal/disk"
)

// MostFileName is the largest number of characters in a FileName.
const MostFileName = 200

// FileName keeps letters, digits, '-', '_' and inner dots of a name. It shortens names of more
// than MostFileName characters as disk.FitName does.
func FileName(name string) string {
	return disk.FitName(safeName(name), disk.MostName-MostFileName)
}

// safeName replaces characters that are unsafe in file names.
func safeName(name string) string {
	s := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		}
		return '_'
	}, name)
	return strings.Trim(s, ".")
}
