package scores

import (
	"fmt"

	"infbench/internal/words"
	"infbench/runners/results"
)

// namedImports is the number of imported systems that a note lists.
const namedImports = 5

// ImportedNotes names the systems that were imported, not run by this program. Submitted
// systems are in SubmittedNotes.
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
