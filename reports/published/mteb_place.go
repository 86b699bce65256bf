package published

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// place is what the name of a result file says.
type place struct{ model, revision, task, file string }

// foldersAbove returns the two folders that hold what a folder holds, which tell
// model and revision where files lie too near to its top; none for an archive.
func foldersAbove(dir string) ([]string, error) {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return nil, err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	parts := strings.Split(filepath.ToSlash(abs), "/")
	return parts[max(0, len(parts)-2):], nil
}

// placeOf reads the name of a file.
func placeOf(name string, above []string) place {
	parts := strings.Split(name, "/")
	if len(parts) < 3 {
		parts = append(slices.Clone(above), parts...)
	}
	n := len(parts)
	return place{strings.Replace(parts[n-3], "__", "/", 1), parts[n-2], strings.TrimSuffix(parts[n-1], ".json"), name}
}

// isResult tells result files from what else stands beside them. Above a folder
// there is a model only where its name says so.
func isResult(name string, above []string) bool {
	parts := strings.Split(name, "/")
	if path.Ext(name) != ".json" || parts[len(parts)-1] == "model_meta.json" {
		return false
	}
	if missing := 3 - len(parts); missing > 0 {
		return len(above) >= missing && strings.Contains(above[len(above)-missing], "__")
	}
	return true
}
