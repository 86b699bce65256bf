package spec

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"infbench/datasets/mixture"
)

// byContent names files and folders by the last element of their path: where they lie, and
// how that was written, has no say in a trial's ID. What they hold has, by the revisions,
// which stand in the order in which the cell names its inputs, so that two of one name stay
// apart.
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

// contentName is the name of an input without its folder where the trial pins it by a hash;
// other names stay, but a snapshot in the hub's cache goes by its repository.
func (t *Trial) contentName(kind, name string) string {
	if strings.HasPrefix(t.revision(kind+name), "sha256:") {
		return path.Base(name)
	}
	repository, _ := Snapshot(name)
	return repository
}

// mixtureByContent is contentName of each source of training data.
func (t *Trial) mixtureByContent(data string) string {
	if data == "" {
		return ""
	}
	m, err := mixture.Parse(data)
	if err != nil {
		return data // none was parsed from a file
	}
	for i := range m {
		m[i].Name = t.contentName("", m[i].Name)
	}
	return m.String()
}

// snapshotPath is the path of what was fetched from a repository of two names.
var snapshotPath = regexp.MustCompile(`[/\\]models--([^/\\]+?)--([^/\\]+)[/\\]snapshots[/\\]([0-9a-f]{40})$`)

// Snapshot reads the path of a snapshot in a cache of the hub: ORG/NAME and the commit; of
// another name that name and "".
func Snapshot(name string) (repository, commit string) {
	if m := snapshotPath.FindStringSubmatch(name); m != nil {
		return m[1] + "/" + m[2], m[3]
	}
	return name, ""
}
