package disk

import "path/filepath"

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
