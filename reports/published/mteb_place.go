package published

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"infbench/internal/disk"
)

// place is the information in the name of a result file.
type place struct{ model, revision, task, file string }

// foldersAbove returns the two folders above the contents of a folder, or above a file. They name
// model and revision if the files are less than two levels deep. It returns nil for an archive, and
// empty names for a file outside such folders.
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

// placeOf parses the name of a file.
func placeOf(name string, above []string) place {
	parts := strings.Split(name, "/")
	if len(parts) < 3 {
		parts = append(slices.Clone(above), parts...)
	}
	n := len(parts)
	return place{strings.Replace(parts[n-3], "__", "/", 1), parts[n-2], strings.TrimSuffix(parts[n-1], ".json"), name}
}

// isResult reports whether a name is that of a result file and not of another file next to them.
// The folders above name a model only if they have the form of such a name.
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
