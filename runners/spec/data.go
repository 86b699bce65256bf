package spec

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"infbench/datasets/mixture"
)

// mixture returns a cell's training data. Parsing the experiment has checked it.
func (c *Cell) mixture() mixture.Mixture {
	m, _ := mixture.Parse(c.Data)
	return m
}

// Sources lists the sources of a cell's training data, if any.
func (c *Cell) Sources() []string {
	if c.Data == "" {
		return nil
	}
	return c.mixture().Names()
}

// DataRevision pins all of a trial's training data by the revisions of its sources; "" if one
// has none.
func (t *Trial) DataRevision() string {
	var all []string
	for _, name := range t.Cell.Sources() {
		all = append(all, t.revision(name))
	}
	return JoinRevisions(all)
}

// JoinRevisions pins a mixture by the revisions of its sources.
func JoinRevisions(all []string) string {
	if slices.Contains(all, "") {
		return ""
	}
	return strings.Join(all, ", ")
}

func (t *Trial) revision(name string) string {
	i := slices.IndexFunc(t.Revisions, func(r Revision) bool { return r.Name == name })
	if i < 0 {
		return ""
	}
	return t.Revisions[i].Revision
}

// DataLabel names a trial's training data in reports, as the function DataLabel does.
func (t *Trial) DataLabel() string {
	if t.Cell.Data == "" {
		return ""
	}
	return DataLabel(t.Cell.mixture(), t.revision)
}

// StepsOfLabel names the data that gives a trial's number of steps, as DataLabel does; "" if
// the trial counts on its own data.
func (t *Trial) StepsOfLabel() string {
	if t.Cell.Train.StepsOf == "" {
		return ""
	}
	of := Cell{Data: t.Cell.Train.StepsOf}
	return DataLabel(of.mixture(), t.revision)
}

// DataLabel formats a mixture for reports. A path means nothing on another machine, so it is
// replaced by its last element and, because another may have the same name, the beginning of
// its revision.
func DataLabel(m mixture.Mixture, revision func(name string) string) string {
	m = slices.Clone(m)
	for i := range m {
		if hash, ok := strings.CutPrefix(revision(m[i].Name), "sha256:"); ok && mixture.IsPath(m[i].Name) {
			m[i].Name = fmt.Sprintf("%s@%.8s", filepath.Base(m[i].Name), hash)
		}
	}
	return m.String()
}
