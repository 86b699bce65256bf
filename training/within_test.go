package training

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"infbench/datasets/mixture"
	"infbench/training/encoder"
)

// Rows are contrasted with those of their own record, and with as many drawn rows of others, the
// same in every term. A batch is a function of seed and number.
func TestCandidatesWithin(t *testing.T) {
	for _, c := range []struct {
		within Within
		drawn  int
	}{{WithinOwn, 0}, {"own+1", 1}, {"own+4", 4}} {
		config := toyConfig()
		config.RowsPerGroup, config.Groups = 6, 2
		config.IQTerm, config.Candidates = QueryOnly, c.within
		s := testSampler(t, 8, config, nil)
		if fmt.Sprint(s.batch(1)) != fmt.Sprint(testSampler(t, 8, config, nil).batch(1)) {
			t.Errorf("%s: another batch at the second call", c.within)
		}
		for number := range 4 {
			b := s.batch(number)
			lists := map[string]bool{}
			for i, others := range b.Candidates {
				own, seen := 0, map[int]bool{i: true}
				for _, k := range others {
					if seen[k] {
						t.Errorf("%s: row %d is contrasted with row %d twice", c.within, i, k)
					}
					if seen[k] = true; b.Records[k] == b.Records[i] {
						own++
					}
				}
				if own != 2 || len(others) != 2+c.drawn {
					t.Errorf("%s: row %d has %d rows of its record and %d in all", c.within, i, own, len(others))
				}
				lists[fmt.Sprint(others[2:])] = true
				if got, want := len(b.Queries[i]), 2+c.drawn; got != want {
					t.Errorf("%s: row %d has %d queries, want %d", c.within, i, got, want)
				}
				var texts []string
				for n, j := range b.Instructions[i] {
					if text := s.rows[j].Instruction; b.Counted[i][n] {
						if slices.Contains(texts, text) || text == s.rows[b.Rows[i]].Instruction {
							t.Errorf("%s: row %d has instruction %s twice", c.within, i, text)
						}
						texts = append(texts, text)
					}
				}
				if len(texts) < 1 || len(texts) > 1+c.drawn || len(b.Instructions[i]) != 1+c.drawn {
					t.Errorf("%s: row %d has instructions %v in a list of %d", c.within, i, texts, len(b.Instructions[i]))
				}
			}
			if c.drawn > 0 && len(lists) < 6 {
				t.Errorf("%s: %d different draws for 12 rows", c.within, len(lists))
			}
			e := plainTokens(s).encode(b, s.mixed())
			if got := len(e.texts); got > len(b.Rows)+s.mixed() {
				t.Errorf("%s: %d pairs, more than %d", c.within, got, len(b.Rows)+s.mixed())
			}
		}
	}
}

// plainTokens has the rows of a sampler, with one token for each text.
func plainTokens(s *sampler) *tokens {
	t := &tokens{rows: s.rows, crossed: true}
	for range s.rows {
		one := []int32{1}
		t.passages, t.instructions, t.queries = append(t.passages, one), append(t.instructions, one), append(t.queries, one)
	}
	return t
}

// Vectors as pooled train and are saved as such: with inner products in chunks as in one piece,
// from temperature 1 and bias 0.
func TestTrainByDot(t *testing.T) {
	data := colours(24)
	apply := func() *encoder.Encoder {
		enc := newEncoder(t, data)
		if err := enc.Apply(Design{Score: encoder.DotScore}); err != nil {
			t.Fatal(err)
		}
		return enc
	}
	c := toyConfig()
	c.RowsPerGroup = 6
	for _, name := range []string{"uni(P,I)", "multi(P,IQ,ST)", "sig(P,I)", "pair(P,I,IQ)"} {
		for _, within := range []Within{"", WithinOwn, "own+2"} {
			c := c
			c.Candidates = within
			where := fmt.Sprintf("%s, candidates %s", name, within)
			l := parsed(t, name)
			loss, want := newProbe(t, c, l, apply(), data).byVariable(t)
			c.Chunk = 5
			chunked, got := newProbe(t, c, l, apply(), data).byVariable(t)
			near(t, where+": loss in chunks", chunked, loss, 1e-6, 1e-7)
			size, off := 0.0, 0.0
			for path, of := range want {
				size, off = math.Hypot(size, length(of)), math.Hypot(off, distance(got[path], of))
			}
			if !(size > 0) || !(off <= 1e-5*size) {
				t.Errorf("%s: the gradient in chunks is %.3g off, of length %.3g", where, off, size)
			}
		}
	}
	c.Epochs = 40
	enc := apply()
	sum, err := Train(t.Context(), c, parsed(t, "uni(P,I)"), enc, of(data), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if first, last := sum.Curve[0].Loss, sum.Curve[len(sum.Curve)-1].Loss; !(last < first/2) {
		t.Errorf("the loss goes from %v to %v", first, last)
	}
	dir := t.TempDir() + "/model"
	if err := enc.Save(dir); err != nil {
		t.Fatal(err)
	}
	if how, err := encoder.FolderSimilarity(dir); how != "dot" || err != nil {
		t.Errorf("the folder's similarity is %q, %v", how, err)
	}
}

// Errors of candidates and scores name key, value and what to do.
func TestRefusedScoresAndCandidates(t *testing.T) {
	rows := mixture.Data{{Source: mixture.Source{Name: "rows"}, Records: plainly(24, true)}}
	for _, r := range []struct {
		want string
		loss string
		s    Score
		data mixture.Data
		edit func(*Config)
	}{
		{`unknown candidates "bach"`, "uni(P)", "", nil, func(c *Config) { c.Candidates = "bach" }},
		{`candidates "own+0": want a number of rows of at least 1`, "uni(P)", "", nil, func(c *Config) { c.Candidates = "own+0" }},
		{"candidates own+40: a batch of 12 rows has 9 of other records", "uni(P)", "", nil, func(c *Config) { c.Candidates = "own+40" }},
		{"candidates own: the records have one row", "uni(P)", "", rows, func(c *Config) { c.Candidates = WithinOwn }},
		{"with candidates own, which selects the instructions itself", "uni(P,I)", "", nil, func(c *Config) { c.Candidates, c.Negatives.Divisor = WithinOwn, 3 }},
		{`unknown pair: weights "ndgc2"`, "pair(P)", "", nil, func(c *Config) { c.Couples.Weights = "ndgc2" }},
		{"pair: mu 3 without weights ndcg2pp", "pair(P)", "", nil, func(c *Config) { c.Couples.Mu = 3 }},
		{"pair: k -1", "pair(P)", "", nil, func(c *Config) { c.Couples.K = -1 }},
		{"loss pair(P) with focal 2", "pair(P)", "", nil, func(c *Config) { c.Focal = 2 }},
		{"loss pair(P) with distill: share 1", "pair(P)", "", listing(24), func(c *Config) { c.Distill = DistillConfig{Teacher: Taught, Share: new(1.0)} }},
		{"distill: weights ndcg2: the scores of a teacher are not grades", "uni(P)", "", nil, func(c *Config) {
			c.Distill = DistillConfig{Teacher: Taught, Loss: PairLoss, Weights: NDCG2}
		}},
		{"distill: weights plist without loss list_mle", "uni(P)", "", nil, func(c *Config) { c.Distill = DistillConfig{Teacher: Taught, Weights: PList} }},
		{`unknown distill: scale "min"`, "uni(P)", "", nil, func(c *Config) { c.Distill.Scale = "min" }},
		{"hardness: alpha 5 under design.score dot", "uni(P)", encoder.DotScore, nil, func(c *Config) { c.Hardness.Alpha = 5 }},
		{"spread 2 under design.score dot", "uni(P)", encoder.DotScore, nil, func(c *Config) { c.Spread = 2 }},
		{"matryoshka: dims [8 4] under design.score dot", "uni(P)", encoder.DotScore, nil, func(c *Config) { c.Matryoshka.Dims = []int{8, 4} }},
	} {
		c := toyConfig()
		c.RowsPerGroup = 12
		r.edit(&c)
		enc := newEncoder(t, colours(24))
		if err := enc.Apply(Design{Score: r.s}); err != nil {
			t.Fatal(err)
		}
		if r.data == nil {
			r.data = of(colours(24))
		}
		if _, err := Train(t.Context(), c, parsed(t, r.loss), enc, r.data, Options{}); err == nil || !strings.Contains(err.Error(), r.want) {
			t.Errorf("%v, want %q", err, r.want)
		}
	}
	for _, s := range []Score{encoder.HeadScore, encoder.MaxSimScore} {
		if err := DefaultConfig().CheckScore(parsed(t, "uni(P,ST)"), s); err == nil || !strings.Contains(err.Error(), "under design.score "+string(s)) {
			t.Errorf("ST under %s: %v", s, err)
		}
	}
	if err := (Design{Score: "dott"}).Check(); err == nil || !strings.Contains(err.Error(), `did you mean "dot"`) {
		t.Error(err)
	}
}
