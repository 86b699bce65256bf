package published

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"infbench/internal/disk"
)

// place is what the name of a result file says.
type place struct{ model, revision, task, file string }

// foldersAbove returns the two folders that hold what a folder holds, or a file,
// which tell model and revision where files lie too near to its top; none for an
// archive, and empty names for a file that lies anywhere.
func foldersAbove(path string) ([]string, error) {
	info, err := disk.Stat(path)
	if err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	parts := strings.Split(filepath.ToSlash(abs), "/")
	switch {
	case info.IsDir():
		return parts[max(0, len(parts)-2):], nil
	case !isJSON(path):
		return nil, nil
	case len(parts) < 3 || !strings.Contains(parts[len(parts)-3], "__"):
		return []string{"", ""}, nil
	}
	return parts[len(parts)-3 : len(parts)-1], nil
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
		return len(above) >= missing && (strings.Contains(above[len(above)-missing], "__") || above[0] == "")
	}
	return true
}
