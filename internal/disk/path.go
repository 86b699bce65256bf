package disk

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"unicode/utf8"
)

// MostName is how many bytes the name of a file has at most (NAME_MAX of Linux; macOS and
// Windows count characters and take as many or more).
const MostName = 255

// FitName returns name, or where a file of that name and room more bytes would have more than
// file systems take, its beginning and eight digits of its SHA-256, which keep names apart.
// Characters stay whole.
func FitName(name string, room int) string {
	if len(name)+room <= MostName {
		return name
	}
	digits := fmt.Sprintf("-%.4x", sha256.Sum256([]byte(name)))
	end := max(0, MostName-room-len(digits))
	for end > 0 && !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end] + digits
}

// RealPath is the absolute path of a file or folder without links, as far as it can be
// told. A link to a file of another ending keeps its own name: the hub's cache names files
// by hashes, and the ending says what a file holds.
func RealPath(path string) string {
	abs, err := Twice(func() (string, error) { return filepath.Abs(path) })
	if err != nil {
		return filepath.Clean(path)
	}
	real, err := Twice(func() (string, error) { return filepath.EvalSymlinks(abs) })
	if err != nil {
		return abs
	}
	if info, err := Stat(real); filepath.Ext(real) != filepath.Ext(abs) && (err != nil || !info.IsDir()) {
		return filepath.Join(RealPath(filepath.Dir(abs)), filepath.Base(abs))
	}
	return real
}

// ShortPath is the one spelling of a path, however it was typed: RealPath, relative to the
// working folder for what lies in it, with forward slashes.
func ShortPath(path string) string {
	real := RealPath(path)
	short, err := filepath.Rel(RealPath("."), real)
	if err != nil || short == "." || !filepath.IsLocal(short) {
		short = real
	}
	return filepath.ToSlash(short)
}
