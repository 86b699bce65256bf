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
	checked  *checked // nil if it is already published
}

// settleRevisions marks the submissions that others replace. It refuses two submissions of one
// system if neither replaces the other, replacements of a missing revision, and systems whose
// names differ only in case.
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
		if s.declaration != nil {
			add(revision{s.place, s.declaration.Replaces, s})
		}
	}
	for _, system := range sortedKeys(bySystem) {
		settle(bySystem[system])
	}
}

// settle is settleRevisions for the revisions of one system, published ones first.
func settle(all []revision) {
	by := map[string]revision{}
	for _, r := range all {
		if r.replaces == "" {
			continue
		}
		if other, ok := by[r.replaces]; ok {
			r.refuse("replaces", "%s replaces %s already", other.dir, shortened(r.replaces))
		} else if !isFolder(filepath.Join(filepath.Dir(r.dir), r.replaces)) {
			r.refuse("replaces", "the system has no revision %s", shortened(r.replaces))
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
			r.refuse("system", "is in %s, which differs only in case from %s", r.org, shown[0].org)
		} else {
			r.refuse("revision", "%s is of the same system, and neither replaces the other: add replaces: REVISION to the newer one, or, if they are trainings of one system, make them one submission with seed-N/runs", shown[0].dir)
		}
	}
}

// refuse adds a fault at a key; published submissions cannot be refused.
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
		return "" // it was accepted once, perhaps by another version of infbench
	}
	return d.Replaces
}

// isFolder reports whether a path is a folder and not a link to one.
func isFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// sortedKeys lists the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
