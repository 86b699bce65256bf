package submit

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"infbench/internal/disk"
)

// revision is one submission among those of its system.
type revision struct {
	place
	replaces string
	checked  *checked // nil where it is published as it is
}

// settleRevisions says which submissions are replaced, and refuses two of one system of
// which neither replaces the other, replacements of what is not there, and systems that
// differ in case only.
func settleRevisions(done []*checked, published []place) {
	bySystem := map[string][]revision{}
	add := func(r revision) {
		system := strings.ToLower(r.org)
		bySystem[system] = append(bySystem[system], r)
	}
	for _, at := range published {
		add(revision{at, replacesOf(at), nil})
	}
	for _, s := range done {
		if s.said != nil {
			add(revision{s.place, s.said.Replaces, s})
		}
	}
	for _, system := range sortedKeys(bySystem) {
		settle(bySystem[system])
	}
}

// settle does so for the revisions of one system, published ones first.
func settle(all []revision) {
	by := map[string]revision{}
	for _, r := range all {
		if r.replaces == "" {
			continue
		}
		if other, ok := by[r.replaces]; ok {
			r.refuse("replaces", "%s replaces %s already", other.dir, shortened(r.replaces))
		} else if !isFolder(filepath.Join(filepath.Dir(r.dir), r.replaces)) {
			r.refuse("replaces", "no revision %s lies beside this one", shortened(r.replaces))
		}
		by[r.replaces] = r
	}
	var shown []revision
	for _, r := range all {
		if newer, ok := by[r.folder]; !ok {
			shown = append(shown, r)
		} else if r.checked != nil {
			r.checked.replacedBy = newer.folder
		}
	}
	if len(shown) == 0 {
		all[len(all)-1].refuse("replaces", "the revisions of the system replace each other in a circle")
		return
	}
	for _, r := range shown[1:] {
		if r.org != shown[0].org {
			r.refuse("system", "lies in %s, and %s differs from that in case only", r.org, shown[0].org)
		} else {
			r.refuse("revision", "%s is of the same system, and neither replaces the other: the newer one says replaces: REVISION", shown[0].dir)
		}
	}
}

// refuse notes a fault at a key; what is published is left as it is.
func (r revision) refuse(key, text string, args ...any) {
	if r.checked != nil {
		r.checked.faults.add(DeclarationFile, cmp.Or(r.checked.lines[key], 1), text, args...)
	}
}

// replacesOf is the revision that a published submission replaces; "" for none.
func replacesOf(at place) string {
	data, err := disk.ReadFile(filepath.Join(at.dir, DeclarationFile))
	var d struct{ Replaces string }
	if err != nil || yaml.Unmarshal(data, &d) != nil {
		return "" // it was accepted once, by an infbench that may have been another
	}
	return d.Replaces
}

// isFolder says whether a path is a folder, and no link to one.
func isFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// sortedKeys lists the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
