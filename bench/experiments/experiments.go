// Package experiments embeds the experiment files of the project: those of the tables of
// the paper, and small ones that run on any machine. It does not parse them.
package experiments

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed *.yaml
var files embed.FS

// Names lists the files whose names begin so, without that and without .yaml.
func Names(prefix string) []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(fmt.Sprintf("experiments: %v", err)) // they are part of the program
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutPrefix(e.Name(), prefix); ok {
			names = append(names, strings.TrimSuffix(name, ".yaml"))
		}
	}
	return slices.Sorted(slices.Values(names))
}

// Text is the file of that name, which must be one of Names("").
func Text(name string) string {
	text, err := files.ReadFile(name + ".yaml")
	if err != nil {
		panic(fmt.Sprintf("experiments: %v", err))
	}
	return string(text)
}
