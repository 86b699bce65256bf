package scores

import (
	"fmt"
	"strings"

	"infbench/internal/words"
)

// ChunkNotes names the systems whose training ran out of memory, so that the program
// trained fewer sequences at a time than configured.
func ChunkNotes(v *Set) []string {
	var out []string
	for _, s := range v.Systems {
		var chunks []string
		n := 0
		for _, t := range s.Trials {
			if c := t.Provenance.Chunk; c > 0 {
				chunks, n = words.AddNew(chunks, fmt.Sprint(c)), n+1
			}
		}
		if n == 0 {
			continue
		}
		out = append(out, words.Clean(fmt.Sprintf("%s ran out of memory in %d of %s and was trained %s sequences at a time, not as its settings say. The loss is the same, but rounded differently, and training amplifies such differences.",
			s.Label, n, words.Plural(len(s.Trials), "training run", "training runs"), strings.Join(chunks, " or "))))
	}
	return out
}
