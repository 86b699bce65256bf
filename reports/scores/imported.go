package scores

import (
	"fmt"
	"strings"

	"infbench/bench/results"
)

// namedImports is how many imported systems a note lists.
const namedImports = 5

// ImportedNotes says which systems were not run by this program.
func ImportedNotes(systems []*System) []string {
	var names []string
	for _, s := range systems {
		if from := s.Config()[results.Imported]; from != "" {
			names = append(names, fmt.Sprintf("%s (%s)", s.Label, from))
		}
	}
	if len(names) == 0 {
		return nil
	}
	list := strings.Join(names[:min(len(names), namedImports)], ", ")
	if more := len(names) - namedImports; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return []string{"Imported, not run by this program: " + list + "."}
}
