package disk

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"unicode/utf8"
)

// MostName is the maximum length of a file's name in bytes (NAME_MAX of Linux; macOS and Windows
// count characters and allow as many or more).
const MostName = 255

// FitName returns name, or a shortened one if name and room more bytes exceed MostName. The
// shortened name is its beginning and eight digits of its SHA-256, which keep names distinct.
// Characters are never split.
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

// RealPath returns the absolute path of a file or folder without links, as far as links can be
// resolved. A link to a file with another ending keeps its own name: the hub's cache names files by
// hashes, and the ending shows the type of a file.
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

// ShortPath returns the canonical spelling of a path: RealPath with forward slashes, relative to
// the working folder if it is inside.
func ShortPath(path string) string {
	real := RealPath(path)
	short, err := filepath.Rel(RealPath("."), real)
	if err != nil || short == "." || !filepath.IsLocal(short) {
		short = real
	}
	return filepath.ToSlash(short)
}
