package spec

import (
	"testing"
)

// Baselines that need no network open under their names in the table.
func TestOpen(t *testing.T) {
	for _, name := range ReadyBaselines() {
		b, _ := FindBaseline(name)
		if r, err := b.Open(1); err != nil || r.Name() != name {
			t.Errorf("baseline %s: %v, %v", name, r, err)
		}
	}
	if b, ok := FindBaseline(Untrained); !ok || b.Open != nil {
		t.Errorf("the untrained backbone is %v, %v; want one that needs a network", b, ok)
	}
}
