package command

import (
	"fmt"
	"io"

	"infbench/internal/words"
	"infbench/runners/runs"
)

// discardDamaged removes the folders of damaged trials that sweeps moved aside, for retry
// --discard: all, or those named by an ID, the beginning of one, or a label. A trial that is
// no longer planned can be named by its ID. Nothing else removes results.
func discardDamaged(folder runs.Folder, names []string, stdout io.Writer) error {
	plan, err := folder.Plan()
	if err != nil {
		return err
	}
	var prefixes []string
	for _, name := range names {
		found, err := runs.Trials(plan, name)
		if err != nil {
			prefixes = append(prefixes, name) // a damaged trial need no longer be planned
		}
		for _, t := range found {
			prefixes = append(prefixes, t.ID)
		}
	}
	removed, err := folder.Aside().Discard(prefixes)
	for _, dir := range removed {
		fmt.Fprintln(stdout, "removed", words.Clean(dir))
	}
	if err == nil && len(removed) == 0 {
		fmt.Fprintln(stdout, "no damaged trial was moved aside")
	}
	return err
}
