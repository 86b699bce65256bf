package spec

import (
	"fmt"
	"testing"

	"infbench/datasets/mixture"
)

// contentKnown accepts any path as data, backbone, model and benchmark.
func contentKnown() testNames {
	known, any := testKnown, func(name string) (string, error) { return name, nil }
	known.Backbone, known.Collection = any, any
	known.Data = func(text string) (string, error) {
		m, err := mixture.Parse(text)
		return m.String(), err
	}
	known.Model = func(name string) (Model, error) { return Model{Name: name, Finds: true}, nil }
	return known
}

// A trial's ID depends on the content, the names and the order of its inputs, not on their
// location.
func TestIDsByContent(t *testing.T) {
	holds := map[string]string{
		"./a/s": "sha256:1", "./b/s": "sha256:2", "./c/s": "sha256:1", "./d/s": "sha256:2", "./c/r": "sha256:1",
		"/hub/models--org--e5/snapshots/0123456789012345678901234567890123456789": "0123456789012345678901234567890123456789",
		"org/e5": "0123456789012345678901234567890123456789",
	}
	id := func(settings string) string {
		e, err := parse("x.yaml", []byte("name: x\n"+settings), contentKnown())
		if err != nil {
			t.Fatal(err)
		}
		p, err := e.Expand(func(name string, _ uint64) (string, error) {
			for _, kind := range []string{DataInput, BackboneInput, ModelInput, ""} {
				if rev := holds[name[min(len(kind), len(name)):]]; rev != "" {
					return rev, nil
				}
			}
			return "", nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return p.Trials[0].ID
	}
	for _, form := range []string{
		"evaluate: [mini-mair]\nbase: {data: %s}",
		"evaluate: [mini-mair]\nbase: {backbone: %s}",
		"evaluate: [mini-mair]\nbaselines: [%s]",
		"evaluate: [mini-mair]\nbaselines: [{model: bm25, fuse: [%s]}]",
		"evaluate: [mini-mair]\nbase: {train: {distill: {teacher: %s, share: 0.5}}}",
		"baselines: [bm25]\nevaluate: [%s]",
	} {
		of := func(name string) string { return id(fmt.Sprintf(form, name)) }
		same, renamed, other := of("./c/s"), of("./c/r"), of("./b/s")
		if first := of("./a/s"); first != same || first == renamed || first == other {
			t.Errorf("%s: ID %s, of equal files %s, of another name %s, of other files %s", form, first, same, renamed, other)
		}
	}
	mixed := func(a, b string) string {
		return id("evaluate: [mini-mair]\nbase: {data: \"" + a + ":2 + " + b + ":1\"}")
	}
	if mixed("./a/s", "./b/s") != mixed("./c/s", "./d/s") || mixed("./a/s", "./b/s") == mixed("./b/s", "./a/s") {
		t.Error("sources of one name are taken for one another")
	}
	model := func(name string) string { return id("evaluate: [mini-mair]\nbaselines: [" + name + "]") }
	if model("org/e5") != model("/hub/models--org--e5/snapshots/0123456789012345678901234567890123456789") {
		t.Error("a snapshot has another ID by its path")
	}
}
