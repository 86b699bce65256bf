package training

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"infbench/internal/testkit"
)

// golden reads a shared golden file into v.
func golden(t *testing.T, name string, v any) {
	t.Helper()
	readGolden(t, filepath.Join(testkit.SharedPath(t, "goldens"), name), v)
}

// readGolden decodes a file.
func readGolden(t *testing.T, path string, v any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// goldenFiles returns the JSON files with a given top-level key in the goldens folder and its
// subfolders.
func goldenFiles(t *testing.T, key string) (names []string) {
	t.Helper()
	root := testkit.SharedPath(t, "goldens")
	for _, pattern := range []string{"*.json", "*/*.json"} {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var keys map[string]json.RawMessage
			if json.Unmarshal(data, &keys) != nil || keys[key] == nil {
				continue // another kind of file
			}
			name, err := filepath.Rel(root, path)
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		t.Fatalf("no file in %s has the key %q", root, key)
	}
	return names
}

// goldenLosses is losses.json: numpy and torch autograd in float64.
type goldenLosses struct {
	Format  string
	Batches []struct {
		P       [][]float64
		IQ      [][][]float64
		Results []struct {
			Variant     string `json:"iq_negative_variant"`
			Temperature float64
			Losses      map[string]float64
			Grad        map[string]struct {
				DP  [][]float64
				DIQ [][][]float64
			}
		}
	}
}

func TestLossGoldens(t *testing.T) {
	for _, name := range goldenFiles(t, "batches") {
		t.Run(name, func(t *testing.T) {
			var g goldenLosses
			golden(t, name, &g)
			if g.Format != "golden-losses-v1" {
				t.Fatalf("format %q", g.Format)
			}
			g.check(t)
		})
	}
}

func (g goldenLosses) check(t *testing.T) {
	variants := map[string]IQTerm{"appendix_c_kk": Pair, "main_text_ik": QueryOnly}
	be := openBackend(t)
	losses, gradients := 0, 0
	for i, b := range g.Batches {
		in := batch{b.P, b.IQ}
		for _, r := range b.Results {
			o := paper(t, r.Temperature)
			var ok bool
			if o.IQ, ok = variants[r.Variant]; !ok {
				t.Fatalf("unknown IQ variant %q", r.Variant)
			}
			for name, want := range r.Losses {
				losses++
				where := fmt.Sprintf("batch %d, %s, t=%v, %s", i, r.Variant, r.Temperature, name)
				l := parsed(t, strings.Replace(name, "_", ":", 1))
				got := evaluate(t, be, l, o, in)
				near(t, where, got.loss, want, 1e-5, 0)
				near(t, where+" in float64", plainLoss(l, o, in.everyOther()), want, 1e-8, 1e-10)
				total := 0.0
				for n, term := range l.Terms.Split() {
					near(t, where+" term "+term.String(), got.terms[n], r.Losses["uni_"+term.String()], 1e-5, 0)
					total += got.terms[n]
				}
				if l.Form == Uni {
					near(t, where+" sum of terms", total, want, 1e-5, 0)
				}
				if grad, ok := r.Grad[name]; ok {
					gradients++
					compareGradients(t, where, got, grad.DP, grad.DIQ)
				}
			}
		}
	}
	if losses == 0 || gradients == 0 {
		t.Errorf("%d losses and %d gradients in the file", losses, gradients)
	}
}

// compareGradients allows an error of 1e-4 relative to the largest component: float32 cannot give
// components that cancel to zero a relative precision of their own.
func compareGradients(t *testing.T, where string, got outcome, dp [][]float64, diq [][][]float64) {
	t.Helper()
	scale := 0.0
	for _, rows := range append(slices.Clone(diq), dp) {
		for _, row := range rows {
			for _, v := range row {
				scale = max(scale, math.Abs(v))
			}
		}
	}
	gotP, gotPairs := got.byPair(len(dp))
	for i := range dp {
		for d := range dp[i] {
			near(t, fmt.Sprintf("%s dp[%d][%d]", where, i, d), gotP[i][d], dp[i][d], 0, 1e-4*scale)
		}
	}
	for j := range diq {
		for k := range diq[j] {
			for d := range diq[j][k] {
				near(t, fmt.Sprintf("%s diq[%d][%d][%d]", where, j, k, d), gotPairs[j][k][d], diq[j][k][d], 0, 1e-4*scale)
			}
		}
	}
}

// byPair turns the gradient of a batch of n anchors with every other candidate (batch.everyOther)
// into the gradient of its p and pairs; a pair can be a candidate twice.
func (o outcome) byPair(n int) (dp [][]float64, dpairs [][][]float64) {
	at, d := 0, len(o.gradient[0])
	next := func() []float64 {
		row := make([]float64, d)
		for k, g := range o.gradient[at] {
			row[k] = float64(g)
		}
		at++
		return row
	}
	dpairs = make([][][]float64, n)
	for j := range dpairs {
		dp = append(dp, next())
		dpairs[j] = make([][]float64, n)
	}
	for i := range n {
		dpairs[i][i] = next()
	}
	for i := range n { // instructions
		for j := range n {
			if j != i {
				dpairs[j][i] = next()
			}
		}
	}
	for i := range n { // queries
		for k := range n {
			if k != i {
				for x, g := range next() {
					dpairs[i][k][x] += g
				}
			}
		}
	}
	return dp, dpairs
}

// TestReferenceLossGoldens compares the losses with the reference code's values on simulated
// devices with sampled instruction negatives.
func TestReferenceLossGoldens(t *testing.T) {
	for _, name := range goldenFiles(t, "IQ_variants") {
		t.Run(name, func(t *testing.T) { checkReference(t, name) })
	}
}

func checkReference(t *testing.T, name string) {
	var g struct {
		Devices  int `json:"W"`
		Rows     int `json:"rows_per_device"`
		Divisor  int `json:"div_neg_batch"`
		IQ, P    [][]float64
		Variants [][][]float64 `json:"IQ_variants"`
		Scale    float64       `json:"scale_code"`
	}
	golden(t, name, &g)
	reference, err := Fidelity("reference")
	if err != nil {
		t.Fatal(err)
	}
	near(t, "scale of the reference preset", reference.Scale(), g.Scale, 1e-12, 0)
	// The expected values come from the vectors as rounded in the file.
	in := plainBatch{p: g.P, iq: g.IQ, queries: make([][][]float64, len(g.P)), unit: true}
	if len(g.P) != g.Devices*g.Rows || len(g.Variants) != len(g.P) {
		t.Fatalf("%d rows with %d lists of instructions on %d devices of %d", len(g.P), len(g.Variants), g.Devices, g.Rows)
	}
	for i, variants := range g.Variants { // the row's own instruction first
		if len(variants) != g.Rows/g.Divisor {
			t.Fatalf("row %d has %d instructions, want %d/%d", i, len(variants), g.Rows, g.Divisor)
		}
		in.instructions = append(in.instructions, variants[1:])
		in.counted = append(in.counted, slices.Repeat([]bool{true}, len(variants)-1))
		in.queries[i] = g.IQ[:1] // no term uses it here
	}
	be := openBackend(t)
	for scale, want := range expectedAtScales(t, name) {
		o := reference
		if scale != g.Scale {
			o.Temperature, o.Epsilon = 1/scale, 0
		}
		for name, want := range want {
			o, name := o, name
			if rest, dup := strings.CutPrefix(name, "multi_dup:"); dup {
				o.Duplicates, name = Keep, "multi:"+rest
			}
			l := parsed(t, strings.Replace(name, "same_tower", "P+IQ+ST", 1))
			where := fmt.Sprintf("%s at scale %.4g (%s)", name, scale, o.Duplicates)
			near(t, where, built(t, be, l, o, in).loss, want, 1e-5, 0)
			near(t, where+" in float64", plainLoss(l, o, in), want, 0, 1e-8)
		}
	}
}

// expectedAtScales reads the keys expected_scale_* of a golden file and returns the losses by
// scale and name.
func expectedAtScales(t *testing.T, name string) map[float64]map[string]float64 {
	t.Helper()
	var keys map[string]json.RawMessage
	golden(t, name, &keys)
	all := map[float64]map[string]float64{}
	for key, raw := range keys {
		text, ok := strings.CutPrefix(key, "expected_scale_")
		if !ok {
			continue
		}
		var scale float64
		var err error
		if text == "code" {
			err = json.Unmarshal(keys["scale_code"], &scale)
		} else {
			scale, err = strconv.ParseFloat(text, 64)
		}
		var losses map[string]float64
		if err == nil {
			err = json.Unmarshal(raw, &losses)
		}
		if err != nil || len(losses) == 0 {
			t.Fatalf("%s: %d losses, %v", key, len(losses), err)
		}
		all[scale] = losses
	}
	if len(all) == 0 {
		t.Fatal("the file expects nothing")
	}
	return all
}
