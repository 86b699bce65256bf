package disk

import "fmt"

// FormatError means that a file of infbench has another format than this build reads. Until the
// first release each kind of file has one format, and no build reads those of another.
type FormatError struct {
	Path  string // "" if the caller names the file
	Found string // format of the file
	Reads string // format that this build reads
}

func (e *FormatError) Error() string {
	text := fmt.Sprintf("found format %s, and this build of infbench reads format %s: move it away and run it again with this build, or use the build that made it", e.Found, e.Reads)
	if e.Path == "" {
		return text
	}
	return e.Path + ": " + text
}

// CheckFormat returns a FormatError if a file has another format than this build reads.
func CheckFormat[T comparable](path string, found, reads T) error {
	if found == reads {
		return nil
	}
	text := fmt.Sprint(found)
	if text == "" {
		text = "unknown"
	}
	return &FormatError{path, text, fmt.Sprint(reads)}
}
