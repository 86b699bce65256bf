package diversity_test

import (
	"slices"
	"strings"
	"testing"

	"infbench/metrics/diversity"
)

// sixTexts were tokenised for the external reference values by Python's re.findall(r"\w+",
// text.lower()).
var sixTexts = []string{
	"The cat sat on the mat.",
	"The cat sat on a mat!",
	"A dog barked at the cat on the mat today",
	"Retrieval follows instructions",
	"the the the cat",
	"retrieval of the cat on the mat follows",
}

func tokenized(texts []string) [][]string {
	var all [][]string
	for _, text := range texts {
		all = append(all, diversity.Tokenize(text))
	}
	return all
}

func count(order int, texts [][]string) *diversity.NGrams {
	g := diversity.NewNGrams(order)
	for _, tokens := range texts {
		g.Add(tokens)
	}
	return g
}

func TestTokenize(t *testing.T) {
	got := diversity.Tokenize("Don't STOP: Straße, x_1 (été) — 情報検索。नमस्ते")
	want := []string{"don", "t", "stop", "straße", "x_1", "été", "情報検索", "नमस्ते"}
	if !slices.Equal(got, want) {
		t.Errorf("tokens %q, want %q", got, want)
	}
}

// Expected values from numpy over collections.Counter of the same tokens (std with ddof 0).
func TestVariants(t *testing.T) {
	texts := tokenized(sixTexts)
	for _, c := range []struct {
		order, types, total int
		want                map[string]float64
	}{
		{1, 14, 37, map[string]float64{"dqi_t1": 5.812672293433814, "mean_freq": 2.642857142857143, "simpson": 0.1307523739956173, "distinct_ratio": 0.3783783783783784}},
		{2, 19, 31, map[string]float64{"dqi_t1": 18.326998280661822, "mean_freq": 1.631578947368421, "simpson": 0.07388137356919876, "distinct_ratio": 0.6129032258064516}},
		{3, 19, 25, map[string]float64{"dqi_t1": 33.518008540957865, "mean_freq": 1.3157894736842106, "simpson": 0.0624, "distinct_ratio": 0.76}},
	} {
		g := count(c.order, texts)
		if g.Order() != c.order || g.Types() != c.types || g.Total() != c.total {
			t.Errorf("%d-grams: %d of %d, want %d of %d", g.Order(), g.Types(), g.Total(), c.types, c.total)
		}
		for name, want := range c.want {
			v, err := diversity.ParseVariant(name)
			if err != nil {
				t.Fatal(err)
			}
			near(t, name, v.Value(g), want, 1e-12)
		}
	}
}

// Repeating one text instead of writing a new one moves every variant towards less diverse,
// according to its stated direction.
func TestVariantDirections(t *testing.T) {
	varied := []string{"red fish swim", "blue birds fly high", "red birds sing", "old dogs sleep"}
	repeated := []string{"red fish swim", "red fish swim", "red fish swim", "red birds sing"}
	for _, v := range diversity.Variants {
		a, okA := v.Value(count(1, tokenized(varied))).Get()
		b, okB := v.Value(count(1, tokenized(repeated))).Get()
		if !okA || !okB || a == b || (a > b) != v.Higher {
			t.Errorf("%s: %v for varied, %v for repeated texts; higher is diverse: %v", v.Name, a, b, v.Higher)
		}
	}
}

func TestVariantsUndefined(t *testing.T) {
	for _, v := range diversity.Variants {
		if n, ok := v.Value(count(3, [][]string{{"too", "short"}})).Get(); ok {
			t.Errorf("%s of no n-gram = %v, want undefined", v.Name, n)
		}
	}
	t1 := diversity.Variants[0]
	if n, ok := t1.Value(count(1, [][]string{{"a", "b"}, {"c"}})).Get(); ok {
		t.Errorf("dqi_t1 of equal counts = %v, want undefined", n)
	}
	if _, err := diversity.ParseVariant("dqi-t1"); err == nil || !strings.Contains(err.Error(), `"dqi_t1"`) {
		t.Errorf("unknown variant: %v", err)
	}
}

func TestSample(t *testing.T) {
	seen := make(map[int]int)
	for seed := range uint64(2000) {
		got := diversity.Sample(10, 3, seed)
		if len(got) != 3 || !slices.IsSorted(got) || got[0] == got[1] || got[1] == got[2] {
			t.Fatalf("seed %d: %v", seed, got)
		}
		for _, i := range got {
			seen[i]++
		}
	}
	for i := range 10 {
		if seen[i] < 500 || seen[i] > 700 { // 600 expected, standard deviation 20
			t.Errorf("index %d drawn %d times of 600 expected", i, seen[i])
		}
	}
	if got := diversity.Sample(3, 5, 1); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("5 of 3 = %v", got)
	}
}
