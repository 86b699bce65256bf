package nearest

import (
	"fmt"
	"path/filepath"
)

// Path suggests what may be meant by a path that leads to nothing, of the names in its
// folder: "; did you mean FOLDER/NAME?", or nothing, as where it is there after all.
func Path(path string, beside []string) string {
	base := filepath.Base(path)
	near, ok := Of(base, beside)
	if !ok || near == base {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", filepath.Join(filepath.Dir(path), near))
}
