package nearest

import (
	"fmt"
	"path/filepath"
)

// Path suggests what may be meant by a path that leads to nothing, of the names in its
// folder: "; did you mean FOLDER/NAME?", or nothing.
func Path(path string, beside []string) string {
	near, ok := Of(filepath.Base(path), beside)
	if !ok {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", filepath.Join(filepath.Dir(path), near))
}
