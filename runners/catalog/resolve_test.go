package catalog

import (
	"strings"
	"testing"
)

// TestResolve: mistakes of syntax, of names, and those that show only when names are known are
// reported together, in the order of the file.
func TestResolve(t *testing.T) {
	_, err := Parse("x.yaml", []byte(`name: x
base: {data: mini-infr, sed: 1, train: {epochs: 0, steps_of: none}}
matrix: {loss: [uni:P, uni(P)], backbone: [tiny-bart]}
baselines: [bm25, {rerank: bm25}, {model: bm25, depth: 3}, bm25]
evaluate: [mini-followir, {mini-mair: [nope]}, mini-mar]
`))
	want := []string{
		`x.yaml:2:14: unknown training data "mini-infr"; did you mean "mini-infir"?`,
		`x.yaml:2:25: unknown key "sed"; did you mean "seed"?`,
		"x.yaml:2:49: epochs 0: want at least 1",
		`x.yaml:2:62: steps_of: unknown training data "none"`,
		"x.yaml:3:16: matrix loss: value 2 repeats value 1",
		`x.yaml:3:44: unknown backbone "tiny-bart"; did you mean "tiny-bert"?`,
		"x.yaml:4:19: baselines: rerank: bm25 finds documents by itself",
		"x.yaml:4:35: baselines: depth 3",
		`x.yaml:4:60: baselines: "bm25" given twice`,
		`x.yaml:5:40: mini-mair: unknown task "nope"`,
		`x.yaml:5:48: unknown benchmark "mini-mar"; did you mean "mini-mair"?`,
	}
	if err == nil {
		t.Fatal("taken")
	}
	lines := strings.Split(err.Error(), "\n")
	for i := range max(len(lines), len(want)) {
		if i >= len(lines) || i >= len(want) || !strings.HasPrefix(lines[i], want[i]) {
			t.Fatalf("error %d:\n%v\nwant\n%s", i+1, err, strings.Join(want, "\n"))
		}
	}
}
