package scores

import (
	"fmt"

	"infbench/internal/words"
	"infbench/runners/results"
)

// namedImports is how many imported systems a note lists.
const namedImports = 5

// ImportedNotes says which systems were imported, and not run by this program; of what was
// submitted SubmittedNotes says it.
func ImportedNotes(systems []*System) []string {
	var names []string
	for _, s := range systems {
		if from := s.Config()[results.Imported]; from != "" && s.Submission() == nil {
			names = append(names, fmt.Sprintf("%s (%s)", s.Label, from))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{"Imported, not run by this program: " + words.First(namedImports, names) + "."}
}
