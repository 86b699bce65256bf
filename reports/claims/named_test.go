package claims

import "testing"

// The name of a model selects it by itself, not what it is fused with, in any order. The label of a
// system selects only that system, also in the spelling of commands.
func TestModelsByName(t *testing.T) {
	fused := map[string]string{"model": "bm25", "fuse": "random"}
	w := newWorld(1).losses("a", map[string]float64{"uni(P)": .3}, "uni(P)").add(.9, fused).add(.05, map[string]string{"model": "bm25"})
	got := judged(t, `
- {id: plain, says: s, test: better, measure: p-MRR, on: bench, system: {loss: uni(P)}, against: {model: bm25}}
- {id: fused, says: s, test: better, measure: p-MRR, on: bench, system: {loss: uni(P)}, against: {model: bm25, fuse: random}}
- {id: labelled, says: s, test: higher, measure: p-MRR, on: bench, system: {system: bm25 fuse=random}, than: 50}
- {id: alone, says: s, test: lower, measure: p-MRR, on: bench, system: {system: bm25}, than: 50}
- {id: typed, says: s, test: lower, measure: p-MRR, on: bench, system: {system: "uni:P"}, than: 50}
`, w.found(t))
	for id, want := range map[string]string{"plain": "holds", "fused": "reversed", "labelled": "holds", "alone": "holds", "typed": "holds"} {
		if got[id] == nil || got[id].Words() != want {
			t.Errorf("%s: %+v, want %s", id, got[id], want)
		}
	}
}
