package claims

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// If nothing differs, at most 5 % of files with 20 claims give any false verdict, with training
// runs that are as noisy as their queries.
func TestFalseClaims(t *testing.T) {
	const files = 150
	var text strings.Builder
	claim := func(i int, test, rest string) {
		fmt.Fprintf(&text, "- {id: c%d, says: s, test: %s, measure: p-MRR, on: bench, %s}\n", i, test, rest)
	}
	for i := range 14 {
		claim(i, []string{"better", "worse"}[i%2], fmt.Sprintf("system: {loss: uni(%d)}, against: {loss: uni(%d)}", i%6, (i+1+i/6)%6))
	}
	claim(14, "best", "among: {form: uni}, system: {loss: uni(0)}")
	claim(15, "best", "among: {form: uni}, system: {loss: uni(3)}")
	claim(16, "higher", "system: {form: uni}, than: 0")
	claim(17, "lower", "system: {loss: uni(1)}, than: 0")
	claim(18, "equal", "system: {form: multi}, against: {form: uni}, pair: [], margin: 5") // the margin is the truth
	claim(19, "equal", "system: {loss: multi(0)}, than: 0, margin: 5")
	wrong := 0
	for n := range files {
		w := newWorld(uint64(100 + n))
		w.queries, w.drift = 30, .01
		for i := range 6 {
			w.add(0, map[string]string{"loss": fmt.Sprintf("uni(%d)", i)})
		}
		w.add(.05, map[string]string{"loss": "multi(0)"})
		for _, j := range judged(t, text.String(), w.found(t)) {
			if j.Verdict != NotShown {
				wrong++
				break
			}
		}
	}
	rate := float64(wrong) / files
	if t.Logf("%d of %d files have a false claim", wrong, files); rate > .05+3*math.Sqrt(.05*.95/files) {
		t.Errorf("%.3f of files have a false claim, want at most .05", rate)
	}
}
