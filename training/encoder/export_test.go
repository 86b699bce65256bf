package encoder

import (
	"maps"
	"slices"
)

// ModelTypes lists the families, so that tests can cover them all.
func ModelTypes() []string { return slices.Sorted(maps.Keys(architectures())) }
