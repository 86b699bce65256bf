package scores

import (
	"slices"
)

// Realm is the kind of data on a board. Realms never share a board.
type Realm string

// The realms.
const (
	Real       Realm = "real"
	Synthetic  Realm = "synthetic"
	Unrecorded Realm = "unrecorded" // no finished trial recorded the benchmark's origin
)

// InRealm lists the benchmarks of a realm in the order of their values.
func (v *Set) InRealm(realm Realm) []string {
	var names []string
	for _, s := range v.Slots {
		if v.Benchmarks[s.Benchmark].Realm() == realm && !slices.Contains(names, s.Benchmark) {
			names = append(names, s.Benchmark)
		}
	}
	return names
}
