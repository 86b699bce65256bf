package spec

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"infbench/datasets/mixture"
)

// byContent names files and folders by the last element of their paths: a trial's ID does not
// depend on their location or its spelling. It depends on their content through the revisions.
// These are in the order of the cell's inputs, so that two inputs with the same name stay
// distinct.
func (t *Trial) byContent(id identity) identity {
	c := &id.Cell
	c.Data, c.Train.StepsOf = t.mixtureByContent(c.Data), t.mixtureByContent(c.Train.StepsOf)
	c.Backbone = t.contentName(BackboneInput, c.Backbone)
	for _, model := range []*string{&c.Model, &c.First, &c.Train.FalseNegatives.Guide, &c.Train.Distill.Teacher} {
		*model = t.contentName(ModelInput, *model)
	}
	fused := c.Fused()
	for i := range fused {
		fused[i] = t.contentName(ModelInput, fused[i])
	}
	c.Fuse = strings.Join(fused, "+")
	id.Evaluate = slices.Clone(id.Evaluate)
	for i, entry := range id.Evaluate {
		name, tasks := TasksOf(entry)
		id.Evaluate[i] = entryOf(t.contentName("", name), tasks)
	}
	id.Revisions = slices.Clone(id.Revisions)
	for i := range id.Revisions {
		r := &id.Revisions[i]
		for _, kind := range []string{BackboneInput, ModelInput, CardInput, ""} {
			if name, ok := strings.CutPrefix(r.Name, kind); ok {
				r.Name = kind + t.contentName(strings.Replace(kind, CardInput, ModelInput, 1), name)
				break
			}
		}
	}
	return id
}

// contentName returns the name of an input without its folder if the trial pins it by a hash. A
// snapshot in the hub's cache gets the name of its repository; other names stay.
func (t *Trial) contentName(kind, name string) string {
	if strings.HasPrefix(t.revision(kind+name), "sha256:") {
		return path.Base(name)
	}
	repository, _ := Snapshot(name)
	return repository
}

// mixtureByContent applies contentName to each source of training data.
func (t *Trial) mixtureByContent(data string) string {
	if data == "" {
		return ""
	}
	m, err := mixture.Parse(data)
	if err != nil {
		return data // not parsed from a file
	}
	for i := range m {
		m[i].Name = t.contentName("", m[i].Name)
	}
	return m.String()
}

// snapshotPath matches the path of a snapshot of a repository ORG/NAME.
var snapshotPath = regexp.MustCompile(`[/\\]models--([^/\\]+?)--([^/\\]+)[/\\]snapshots[/\\]([0-9a-f]{40})$`)

// Snapshot parses the path of a snapshot in a cache of the hub into ORG/NAME and the commit. It
// returns any other name unchanged, and "".
func Snapshot(name string) (repository, commit string) {
	if m := snapshotPath.FindStringSubmatch(name); m != nil {
		return m[1] + "/" + m[2], m[3]
	}
	return name, ""
}
