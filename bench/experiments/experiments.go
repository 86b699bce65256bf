// Package experiments embeds the project's experiment files: those of the paper's tables and
// small ones for any machine. It does not parse them.
package experiments

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed *.yaml
var files embed.FS

// Names lists the files whose names have the prefix, without the prefix and without .yaml.
func Names(prefix string) []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(fmt.Sprintf("experiments: %v", err)) // the files are part of the program
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutPrefix(e.Name(), prefix); ok {
			names = append(names, strings.TrimSuffix(name, ".yaml"))
		}
	}
	return slices.Sorted(slices.Values(names))
}

// Text returns the file with a name from Names("").
func Text(name string) string {
	text, err := files.ReadFile(name + ".yaml")
	if err != nil {
		panic(fmt.Sprintf("experiments: %v", err))
	}
	return string(text)
}
