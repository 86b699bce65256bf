package command

import (
	"fmt"
	"io"
	"slices"

	"infbench/internal/words"
	"infbench/runners/runs"
)

// unplanned names all trials that only earlier plans had, for retry --discard.
const unplanned = "unplanned"

// discardDamaged removes the folders of damaged trials that sweeps moved aside, for retry
// --discard: all, or those named by an ID, the beginning of one, or a label. A name that is not a
// planned trial also removes trials that only earlier plans had: by their ID, the beginning of one,
// or all by the name unplanned. Nothing else removes results.
func discardDamaged(folder runs.Folder, names []string, stdout io.Writer) error {
	plan, err := folder.Plan()
	if err != nil {
		return err
	}
	var prefixes, left []string
	for _, name := range names {
		found, err := runs.Trials(plan, name)
		if err != nil {
			prefixes, left = append(prefixes, name), append(left, name) // a damaged trial need no longer be planned
		}
		for _, t := range found {
			prefixes = append(prefixes, t.ID)
		}
	}
	removed, err := folder.Aside().Discard(prefixes)
	if err == nil && len(left) > 0 {
		if slices.Contains(left, unplanned) {
			left = nil
		}
		var more []string
		more, err = folder.Leftover(plan).Discard(left)
		removed = append(removed, more...)
	}
	for _, dir := range removed {
		fmt.Fprintln(stdout, "removed", words.Clean(dir))
	}
	if err == nil && len(removed) == 0 {
		text := "no damaged trial was moved aside"
		if len(names) > 0 {
			text = "nothing removed: no damaged and no unplanned trial has this name"
		}
		fmt.Fprintln(stdout, text)
	}
	return err
}
