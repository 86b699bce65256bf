package usage

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"infbench/internal/nearest"
)

// CommandLine returns the command line of this process, quoted for a shell.
func CommandLine() string { return Line(os.Args[1:]) }

// Line returns a command line with these arguments, quoted for a shell.
func Line(args []string) string {
	words := []string{"infbench"}
	for _, a := range args {
		words = append(words, Quote(a))
	}
	return strings.Join(words, " ")
}

// Quote quotes a word for a POSIX shell if it needs quotes.
func Quote(s string) string {
	plain := s != ""
	for _, r := range s {
		plain = plain && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./=:@,+", r))
	}
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// loss matches a loss name that a shell requires in quotes.
var loss = regexp.MustCompile(`\b(uni|multi)\(([A-Z,]+)\)`)

// Setting prints KEY=VALUE,... for a command line. Loss names are written in their form without
// quotes; other values are quoted if they need it.
func Setting(key string, values ...string) string {
	text := loss.ReplaceAllStringFunc(strings.Join(values, ","), func(name string) string {
		part := loss.FindStringSubmatch(name)
		return part[1] + ":" + strings.ReplaceAll(part[2], ",", "+")
	})
	return Quote(key + "=" + text)
}

// AsError marks an unknown name as an error in the command line.
func AsError(err error) error {
	var unknown *nearest.UnknownError
	if errors.As(err, &unknown) {
		return Error{Err: err}
	}
	return err
}

// IsPath reports whether a name can only mean a path.
func IsPath(name string) bool {
	return strings.ContainsRune(name, filepath.Separator) || name == "." || name == ".."
}
