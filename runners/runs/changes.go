package runs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"time"

	"infbench/internal/disk"
	"infbench/internal/words"
	"infbench/runners/spec"
)

// ChangesFile is the log of the changes of a plan, one JSON object on each line. A plan that never
// changed has none.
const ChangesFile = "changes.jsonl"

// Change is one change of the plan.
type Change struct {
	At      time.Time      `json:"at"`
	Added   []string       `json:"added,omitempty"`   // labels of trials
	Dropped []string       `json:"dropped,omitempty"` // labels of trials
	Altered map[string]int `json:"altered,omitempty"` // number of trials by the altered settings
}

// Changes is the log of the changes of a run folder's plan.
type Changes struct{ at Folder }

// Changes returns the log of the folder.
func (f Folder) Changes() Changes { return Changes{f} }

// Read returns the changes, the earliest first.
func (c Changes) Read() ([]Change, error) {
	path := c.at.path(ChangesFile)
	data, err := disk.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []Change
	for i, line := range linesOf(data) {
		var one Change
		if err := json.Unmarshal(line, &one); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, i+1, err)
		}
		all = append(all, one)
	}
	return all, nil
}

// Add notes the differences between the old plan and a new one, before the new one is written. It
// writes nothing if a killed process has already noted them, or if no trial differs.
func (c Changes) Add(d spec.Differences, now time.Time) error {
	next := Change{At: now.UTC().Truncate(time.Second)}
	for _, t := range d.Added {
		next.Added = append(next.Added, t.Label)
	}
	for _, t := range d.Dropped {
		next.Dropped = append(next.Dropped, t.Label)
	}
	for _, a := range d.Altered {
		if a.Old.ID == a.New.ID {
			continue // its results stay
		}
		if next.Altered == nil {
			next.Altered = map[string]int{}
		}
		next.Altered[spec.Reason(a.Changes)]++
	}
	all, err := c.Read()
	if err != nil || len(next.Added)+len(next.Dropped)+len(next.Altered) == 0 {
		return err
	}
	if n := len(all); n > 0 {
		last := all[n-1]
		if last.At = next.At; reflect.DeepEqual(last, next) {
			return nil
		}
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	for _, one := range append(all, next) {
		if err := enc.Encode(one); err != nil {
			return err
		}
	}
	return disk.WriteBytesTo(c.at.Files, c.at.path(ChangesFile), out.Bytes())
}

// shownChanges is the number of changes that Words describes, and of trials of each.
const shownChanges = 5

// Words describes the latest changes in sentences, the earliest first.
func (c Changes) Words() ([]string, error) {
	all, err := c.Read()
	if err != nil {
		return nil, err
	}
	var said []string
	if n := len(all) - shownChanges; n > 0 {
		said = append(said, fmt.Sprintf("The plan changed %s before %s.", words.Plural(n, "time", "times"), all[n].At.Format(time.DateOnly)))
		all = all[n:]
	}
	for _, one := range all {
		on := "On " + one.At.UTC().Format(time.DateOnly)
		if n := len(one.Added); n > 0 {
			said = append(said, fmt.Sprintf("%s %s added: %s.", on, words.Plural(n, "trial was", "trials were"), words.Clean(words.First(shownChanges, one.Added))))
		}
		for _, reason := range slices.Sorted(maps.Keys(one.Altered)) {
			said = append(said, fmt.Sprintf("%s %s replaced: %s.", on, words.Plural(one.Altered[reason], "trial was", "trials were"), words.Clean(reason)))
		}
		if n := len(one.Dropped); n > 0 {
			said = append(said, fmt.Sprintf("%s %s taken out of the plan: %s.", on, words.Plural(n, "trial was", "trials were"), words.Clean(words.First(shownChanges, one.Dropped))))
		}
	}
	return said, nil
}
