package usage

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"infbench/internal/nearest"
)

// CommandLine is this process's command, quoted for a shell.
func CommandLine() string { return Line(os.Args[1:]) }

// Line is a command of these arguments, quoted for a shell.
func Line(args []string) string {
	words := []string{"infbench"}
	for _, a := range args {
		words = append(words, Quote(a))
	}
	return strings.Join(words, " ")
}

// Quote quotes a word for a POSIX shell where it must be.
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

// loss fits the name of a loss that a shell wants in quotes.
var loss = regexp.MustCompile(`\b(uni|multi)\(([A-Z,]+)\)`)

// Setting prints KEY=VALUE,... for a command line: losses as they need no quotes, anything
// else quoted where it must be.
func Setting(key string, values ...string) string {
	text := loss.ReplaceAllStringFunc(strings.Join(values, ","), func(name string) string {
		part := loss.FindStringSubmatch(name)
		return part[1] + ":" + strings.ReplaceAll(part[2], ",", "+")
	})
	return Quote(key + "=" + text)
}

// AsError marks an unknown name as a mistake in the command line.
func AsError(err error) error {
	var unknown *nearest.UnknownError
	if errors.As(err, &unknown) {
		return Error{Err: err}
	}
	return err
}

// IsPath says whether a name can only be meant as a path.
func IsPath(name string) bool {
	return strings.ContainsRune(name, filepath.Separator) || name == "." || name == ".."
}
