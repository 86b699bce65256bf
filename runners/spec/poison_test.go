package spec

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"infbench/internal/strict"
	"infbench/internal/testkit"
)

// poisonHead begins most invalid files: two valid lines.
const poisonHead = "name: x\nevaluate: [mini-followir]\n"

// numbered returns n lines or items, each with its number.
func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// poisons are files that must be refused, with the beginning of the error.
var poisons = []struct{ name, yaml, want string }{
	// Keys.
	{"a merge key of a matrix", poisonHead + "base: &a {seed: 1}\nmatrix: {<<: *a}", "x.yaml:3:17: matrix seed: want a list"},
	{"a merge key in a base", poisonHead + "bases: {a: &a {seed: 1}, b: {<<: *b}}", "x.yaml:3:34: unknown anchor 'b'"},
	{"a dotted key in base", poisonHead + "base: {train.lr: 1}", `x.yaml:3:8: unknown key "train.lr"`},
	{"a key below a value", poisonHead + "matrix: {seed.x: [1]}", `x.yaml:3:10: key "seed.x": seed has no further keys`},
	{"one setting varied twice", poisonHead + "matrix: {train: [{epochs: 1}], train.epochs: [1, 2]}", "x.yaml:3:32: matrix: train.epochs is varied by train already"},

	// Nothing where something belongs.
	{"no name", "name:\nevaluate: [mini-followir]", "x.yaml:1:6: name: want a name, found nothing"},
	{"null for a name", "name: null\nevaluate: [mini-followir]", "x.yaml:1:7: name: want a name, found nothing"},
	{"an empty base", poisonHead + "base:", "x.yaml:3:6: base: want a mapping, found nothing"},
	{"an empty matrix", poisonHead + "matrix:", "x.yaml:3:8: matrix: want a mapping, found nothing"},
	{"an empty axis", poisonHead + "matrix:\n  seed:", "x.yaml:4:8: matrix seed: want a list of at least one value, found nothing"},
	{"null on an axis", poisonHead + "matrix: {seed: [1, null]}", "x.yaml:3:20: seed: want a whole number, found nothing"},
	{"~ on an axis", poisonHead + "matrix: {seed: [1, ~]}", "x.yaml:3:20: seed: want a whole number, found nothing"},
	{"null for a benchmark", "name: x\nevaluate: [null]", "x.yaml:2:12: evaluate[0]: want a name, found nothing"},
	{"null for a section", poisonHead + "base: {train: }", "x.yaml:3:15: train: want a mapping, found nothing"},
	{"null for a seed", poisonHead + "base: {seed: }", "x.yaml:3:14: seed: want a whole number, found nothing"},
	{"an entry of nothing", poisonHead + "include: [{}]", "x.yaml:3:11: include: the entry names no setting"},
	{"an exclusion of nothing", poisonHead + "exclude: [{}]", "x.yaml:3:11: exclude: the entry names no setting"},
	{"no resources", poisonHead + "resources:", "x.yaml:3:11: resources: want a mapping, found nothing"},
	{"no selection", poisonHead + "select:", "x.yaml:3:8: select: want a mapping, found nothing"},

	// Numbers and words that YAML readers interpret differently.
	{"a float that vanishes", poisonHead + "base: {train: {lr: 1e-999}}", "x.yaml:3:20: lr 0: want a number above 0"},
	{"a negative learning rate", poisonHead + "base: {train: {epochs: 1, lr: -1}}", "x.yaml:3:31: lr -1: want a number above 0"},
	{"one value written in two ways", poisonHead + "matrix: {seed: [16, 0x10]}", "x.yaml:3:16: matrix seed: value 2 repeats value 1"},

	// Sizes and shapes.
	{"one value thirty thousand times", poisonHead + "base: {seed: &a 1}\nmatrix: {seed: [" + strings.Repeat("*a,", 30_000) + "]}", "x.yaml:4:75010: more than 25000 lines and commas"},
	{"twenty thousand wrong values", poisonHead + "matrix: {seed: [" + strings.Repeat("x, ", 19_999) + "x]}", "x.yaml:3:17: seed: want a whole number"},
	{"twenty thousand unknown axes", poisonHead + "matrix:\n" + numbered(20_000, "  key%d: [1]\n"), `x.yaml:4:3: unknown key "key0"`},
	{"twenty thousand unknown benchmarks", "name: x\nevaluate:\n" + numbered(20_000, "  - mini-followirx%d\n"), `x.yaml:3:5: unknown benchmark "mini-followirx0"`},
	{"twenty thousand unknown bases", poisonHead + "bases:\n" + numbered(20_000, "  k%d: x\n"), `x.yaml:4:7: bases.k0: want a mapping, found "x"`},
	{"lists in lists", poisonHead + "matrix: {seed: " + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + "}", "x.yaml:3:1: exceeded max depth"},

	// Aliases that lead back to themselves.
	{"a list in itself", poisonHead + "matrix: {seed: &a [*a]}", "x.yaml:3:16: seed: want a whole number, found a list"},
	{"a mapping in itself", poisonHead + "matrix: &a {seed: *a}", "x.yaml:3:19: matrix seed: want a list of at least one value, found a mapping"},
	{"bases in themselves", poisonHead + "bases: &b {a: *b}", `x.yaml:3:12: unknown key "a"`},
	{"inclusions in themselves", poisonHead + "include: &a [*a]", "x.yaml:3:10: include: want a mapping, found a list"},
}

// A mistake or an attack in an experiment file is refused at once, with its place.
func TestPoisonIsRefusedAtOnce(t *testing.T) {
	const longest = 2 * 20 * 4096 // errors shown, bytes of a value
	for _, c := range poisons {
		t.Run(c.name, func(t *testing.T) {
			fastest := time.Hour
			for range 3 {
				began := testkit.ProcessorTime()
				_, err := parse("x.yaml", []byte(c.yaml), testKnown)
				fastest = min(fastest, testkit.ProcessorTime()-began)
				if err == nil || !strings.HasPrefix(err.Error(), c.want) {
					t.Fatalf("error %.300v, want it to begin with %q", err, c.want)
				}
				if text := err.Error(); len(text) > longest {
					t.Fatalf("an error of %d bytes", len(text))
				}
			}
			if fastest > 100*time.Millisecond {
				t.Errorf("took %v, want at most 100 ms", fastest)
			}
		})
	}
}

// Sections with mistakes are checked to their end: one mistake does not hide another.
func TestOneMistakeHidesNoOther(t *testing.T) {
	_, err := parse("x.yaml", []byte(`name: ../x
evaluate: [mini-folowir]
base: {sed: 1, loss: uni(Q), train: {epochs: 0, lr: -1}}
matrix: {seed: [1.5, 2], world: [x]}
include: [{}, {los: 1}]
baselines: [bm52]
select: {on: tets}
`), testKnown)
	want := []string{"1:7: name", "2:12: unknown benchmark", "3:8: unknown key", "3:22: unknown loss", "3:46: epochs 0", "3:53: lr -1",
		"4:17: seed", "4:34: world", "5:11: include", "5:16: unknown key", "6:13: unknown baseline", "7:9: select"}
	if err == nil {
		t.Fatal("no error")
	}
	lines := strings.Split(err.Error(), "\n")
	for i, begins := range want {
		if i >= len(lines) || !strings.HasPrefix(lines[i], "x.yaml:"+begins) {
			t.Fatalf("errors:\n%v\nwant number %d to begin with %s", err, i+1, begins)
		}
	}
	if len(lines) != len(want) {
		t.Errorf("%d errors, want %d:\n%v", len(lines), len(want), err)
	}
}

// FuzzExperiment checks that any file is either refused with valid places, or gives cells that
// are stored and read back unchanged.
func FuzzExperiment(f *testing.F) {
	for _, c := range poisons {
		if len(c.yaml) < 4096 {
			f.Add([]byte(c.yaml))
		}
	}
	f.Add([]byte(planSource))
	f.Add([]byte(poisonHead + "base: {validate: {measure: p-MRR}, train: {evaluate_every: 2}}\nstop_hopeless: {alpha: 0.05}\nresources: {gpus: 1, time: 90m}"))
	path := filepath.Join(f.TempDir(), "plan.json")
	f.Fuzz(func(t *testing.T, data []byte) {
		testkit.Small.Within(t, len(data), func() {
			e, err := parse("x.yaml", data, testKnown)
			if err != nil {
				var faults strict.Errors
				if !errors.As(err, &faults) || len(faults) == 0 {
					t.Fatalf("no list of errors: %v", err)
				}
				for _, fault := range faults {
					if fault.Line == math.MaxInt {
						break // errors beyond the limit are only counted
					}
					if fault.File != "x.yaml" || fault.Line < 0 || fault.Line > lineEnds(data)+2 { // a missing value at the end has its own line
						t.Fatalf("%v: no such place", fault)
					}
				}
				return
			}
			if e.size() > 500 {
				return // valid, and slow
			}
			p, err := e.Expand(testResolve)
			if err != nil {
				return
			}
			if err := p.Write(path); err != nil {
				t.Fatal(err)
			}
			if got, err := ReadPlan(path); err != nil || !reflect.DeepEqual(got, p) {
				t.Fatalf("read back %+v, %v\nwant %+v", got, err, p)
			}
		})
	})
}

// lineEnds counts the line ends of YAML 1.1.
func lineEnds(data []byte) int {
	n := 0
	for _, end := range []string{"\n", "\r", "\u0085", "\u2028", "\u2029"} {
		n += strings.Count(string(data), end)
	}
	return n
}
