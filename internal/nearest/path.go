package nearest

import (
	"fmt"
	"path/filepath"
)

// Path suggests, for a path that leads to nothing, the closest name in its folder: "; did you mean
// FOLDER/NAME?". It returns "" if there is none, or if the path exists after all.
func Path(path string, beside []string) string {
	base := filepath.Base(path)
	near, ok := Of(base, beside)
	if !ok || near == base {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", filepath.Join(filepath.Dir(path), near))
}
