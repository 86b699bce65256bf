package runs

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"infbench/internal/disk"
)

// SumOf returns the SHA-256 of a file, or of the names and hashes of the result files in a
// folder.
func SumOf(path string) (string, error) {
	info, err := disk.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		sum, _, err := disk.SHA256(path)
		return sum, err
	}
	var lines []string
	err = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && file != path:
			return fs.SkipDir
		case !d.Type().IsRegular() || filepath.Ext(file) != ".json":
			return nil
		}
		sum, _, err := disk.SHA256(file)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(path, file)
		lines = append(lines, filepath.ToSlash(rel)+" "+sum+"\n")
		return err
	})
	if err != nil {
		return "", err
	}
	slices.Sort(lines)
	return disk.Sum(strings.Join(lines, "")), nil
}
