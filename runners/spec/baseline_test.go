package spec

import (
	"testing"
)

// What needs no network opens under the name that the table gives it.
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
