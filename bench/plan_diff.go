package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"infbench/bench/catalog"
	"infbench/bench/spec"
	"infbench/reports/words"
)

// planDiff lists what a new plan adds to that in a file, drops and alters.
func planDiff(w io.Writer, path string, plan *spec.Plan) error {
	old, err := spec.ReadPlan(path)
	if errors.Is(err, fs.ErrNotExist) {
		old = &spec.Plan{}
	} else if err != nil {
		return err
	}
	d := spec.Diff(old, plan)
	if len(d.Added)+len(d.Dropped)+len(d.Altered)+len(d.Settings) == 0 {
		fmt.Fprintf(w, "nothing differs from %s\n", path)
		return nil
	}
	for _, c := range d.Settings {
		fmt.Fprintf(w, "~ %s\n", words.Clean(c.String()))
	}
	for _, t := range d.Added {
		fmt.Fprintf(w, "+ %s  %s\n", shownID(t), words.Clean(t.Label))
	}
	for _, t := range d.Dropped {
		fmt.Fprintf(w, "- %s  %s\n", t.ID, words.Clean(t.Label))
	}
	for _, a := range d.Altered {
		var what []string
		for _, c := range a.Changes {
			what = append(what, c.String())
		}
		id := a.Old.ID
		if a.New.ID != id {
			id += " -> " + shownID(a.New)
		}
		fmt.Fprintf(w, "~ %s  %s: %s\n", id, words.Clean(a.New.Label), words.Clean(strings.Join(what, ", ")))
	}
	_, err = fmt.Fprintln(w, d.Counts())
	return err
}

// shownID is the ID of a trial, which it has once all that it reads is there.
func shownID(t *spec.Trial) string {
	if !catalog.IsResolved(t) {
		return "-"
	}
	return t.ID
}
