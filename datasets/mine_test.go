package datasets

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"infbench/internal/testkit"
)

// mined is the part "mining" of losses_extended.json: runs of mine_hard_negatives.
type mined struct {
	Inputs struct {
		Pairs   [][2]string
		Corpus  []string
		Vectors map[string][]float64
		Cross   map[string]map[string]float64
	}
	Cases []struct {
		Options   json.RawMessage
		RangeMax  int `json:"range_max"`
		Negatives map[string][]string
		Scores    map[string][]float64
		Eligible  map[string][]string
		NTuples   [][]string `json:"n_tuples"`
	}
}

// options are the options of mine_hard_negatives.
type options struct {
	Negatives      int `json:"num_negatives"`
	Corpus         bool
	RangeMin       int      `json:"range_min"`
	RangeMax       int      `json:"range_max"`
	MaxScore       *float64 `json:"max_score"`
	MinScore       *float64 `json:"min_score"`
	AbsoluteMargin *float64 `json:"absolute_margin"`
	RelativeMargin *float64 `json:"relative_margin"`
	CrossEncoder   bool     `json:"cross_encoder"`
}

// TestMiningGoldens runs all cases with mined negatives in the golden files, including subfolders.
func TestMiningGoldens(t *testing.T) {
	cases := 0
	for _, pattern := range []string{"*.json", "*/*.json"} {
		paths, err := filepath.Glob(filepath.Join(testkit.Shared(), "goldens", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var g struct{ Mining *mined }
			if json.Unmarshal(data, &g) != nil || g.Mining == nil {
				continue // of another kind
			}
			for i := range g.Mining.Cases {
				g.Mining.check(t, i)
			}
			cases += len(g.Mining.Cases)
		}
	}
	if cases == 0 {
		t.Skipf("SKIP: shared data absent at %s", testkit.Shared())
	}
}

// check runs a case with the options as named here.
func (g mined) check(t *testing.T, number int) {
	t.Helper()
	c := g.Cases[number]
	var said options
	d := json.NewDecoder(bytes.NewReader(c.Options))
	d.DisallowUnknownFields()
	if err := d.Decode(&said); err != nil {
		t.Fatalf("an option that nobody knows: %v", err)
	}
	o := MiningOptions{Count: said.Negatives, Skip: said.RangeMin, Depth: said.RangeMax, Max: said.MaxScore, Min: said.MinScore, Margin: said.AbsoluteMargin}
	if said.RelativeMargin != nil {
		o.Margin, o.Relative = said.RelativeMargin, true
	}
	corpus, queries, positives, most := g.laidOut(said.Corpus)
	where := fmt.Sprintf("case %d, %s", number, c.Options)
	if got := o.Within(most); got != c.RangeMax {
		t.Errorf("%s: depth %d, want %d", where, got, c.RangeMax)
	}
	// In Sentence Transformers a cross-encoder is used only if a margin or max_score is set.
	rescored := said.CrossEncoder && (o.Margin != nil || o.Max != nil)
	var tuples [][]string
	for _, name := range queries {
		q := g.found(name, corpus, positives[name], o.Retrieve(most), rescored)
		picked := o.Pick(q, most)
		var names []string
		for k, s := range picked {
			names = append(names, corpus[s.Passage])
			if want := c.Scores[name][k]; math.Abs(s.Score-want) > 1e-9 {
				t.Errorf("%s: %s scores %v for %s, want %v", where, names[k], s.Score, name, want)
			}
		}
		if !slices.Equal(names, c.Negatives[name]) {
			t.Errorf("%s: negatives of %s are %q, want %q", where, name, names, c.Negatives[name])
		}
		var eligible []string
		for _, s := range o.Eligible(q, most) {
			eligible = append(eligible, corpus[s.Passage])
		}
		slices.Sort(eligible)
		if want := slices.Sorted(slices.Values(c.Eligible[name])); !slices.Equal(eligible, want) {
			t.Errorf("%s: eligible for %s are %q, want %q", where, name, eligible, want)
		}
		for _, pair := range g.Inputs.Pairs {
			if pair[0] == name && len(names) == o.Count { // there, shorter lists make no tuple
				tuples = append(tuples, append([]string{name, pair[1]}, names...))
			}
		}
	}
	if fmt.Sprint(tuples) != fmt.Sprint(c.NTuples) {
		t.Errorf("%s: tuples %q, want %q", where, tuples, c.NTuples)
	}
}

// laidOut returns the corpus with the positives, first occurrences kept, the queries with their
// positives, and the maximum number of positives.
func (g mined) laidOut(withCorpus bool) (corpus, queries []string, positives map[string][]string, most int) {
	positives = map[string][]string{}
	if withCorpus {
		corpus = append(corpus, g.Inputs.Corpus...)
	}
	for _, pair := range g.Inputs.Pairs {
		if positives[pair[0]] == nil {
			queries = append(queries, pair[0])
		}
		positives[pair[0]] = append(positives[pair[0]], pair[1])
		corpus = append(corpus, pair[1])
		most = max(most, len(positives[pair[0]]))
	}
	var distinct []string
	for _, text := range corpus {
		if !slices.Contains(distinct, text) {
			distinct = append(distinct, text)
		}
	}
	return distinct, queries, positives, most
}

// found retrieves the best passages by cosine, and rescores them if rescored is set.
func (g mined) found(query string, corpus, positives []string, depth int, rescored bool) MiningQuery {
	cosine := func(a, b []float64) float64 {
		dot, x, y := 0.0, 0.0, 0.0
		for i := range a {
			dot, x, y = dot+a[i]*b[i], x+a[i]*a[i], y+b[i]*b[i]
		}
		return dot / math.Sqrt(x*y)
	}
	var q MiningQuery
	for i, text := range corpus {
		q.Found = append(q.Found, MiningScored{i, cosine(g.Inputs.Vectors[query], g.Inputs.Vectors[text])})
	}
	for _, text := range positives {
		q.Positives = append(q.Positives, q.Found[slices.Index(corpus, text)])
	}
	order(q.Found)
	q.Found = q.Found[:min(depth, len(q.Found))]
	if rescored {
		for _, list := range [][]MiningScored{q.Found, q.Positives} {
			for k := range list {
				list[k].Score = g.Inputs.Cross[query][corpus[list[k].Passage]]
			}
		}
	}
	return q
}

// TestPick: negatives given by the data stay, however high their scores. A draw takes only eligible
// passages, each once, and the same ones for the same seed.
func TestPick(t *testing.T) {
	q := MiningQuery{Positives: []MiningScored{{0, 0.9}}, Negatives: []int{1}}
	for i := range 20 {
		q.Found = append(q.Found, MiningScored{i, 0.95 - float64(i)/20})
	}
	margin := 0.1
	o := MiningOptions{Count: 4, Margin: &margin}
	if got := fmt.Sprint(o.Pick(q, 1)); got != "[{1 0.8999999999999999} {3 0.7999999999999999} {4 0.75} {5 0.7}]" {
		t.Error(got)
	}
	o.Skip = 2
	if got := fmt.Sprint(o.Pick(q, 1)[0]); got != "{4 0.75}" {
		t.Error(got)
	}
	draw := func(seed uint64) []MiningScored {
		o.Random = rand.New(rand.NewPCG(seed, 0))
		return o.Pick(q, 1)
	}
	eligible, seen := o.Eligible(q, 1), map[MiningScored]bool{}
	for seed := range uint64(50) {
		got := draw(seed)
		if !slices.Equal(got, draw(seed)) || !slices.IsSortedFunc(got, func(a, b MiningScored) int { return a.Passage - b.Passage }) || len(got) != 4 {
			t.Fatalf("seed %d drew %v", seed, got)
		}
		for _, s := range got {
			seen[s] = true
			if !slices.Contains(eligible, s) {
				t.Fatalf("seed %d drew %v, which is not eligible", seed, s)
			}
		}
	}
	if len(seen) != len(eligible) {
		t.Errorf("%d of %d eligible passages were ever drawn", len(seen), len(eligible))
	}
}
