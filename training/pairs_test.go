package training

import (
	"fmt"
	"testing"

	"infbench/datasets/mixture"
	"infbench/training/encoder"
)

// A record costs a score of pairs 9 pairs for P or IQ, one more for I, and 3N for each further
// set of terms with N drawn rows (spec/beyond.md, 1.2). The losses of the first two records of
// terms.json are those of its section 1.8.
func TestPairsOfABatch(t *testing.T) {
	for name, want := range map[string]int{"uni(P)": 9, "uni(IQ)": 9, "uni(P,IQ)": 9, "uni(P,I)": 10, "uni(P,I,IQ)": 10} {
		for within, more := range map[Within]map[string]int{WithinOwn: {}, "own+4": {"uni(P)": 12, "uni(P,I)": 24}} {
			if len(more) > 0 && more[name] == 0 {
				continue
			}
			c, l := toyConfig(), parsed(t, name)
			c.RowsPerGroup, c.Candidates = 12, within
			o, err := c.under(encoder.HeadScore)
			if err != nil {
				t.Fatal(err)
			}
			s, err := newSampler(c, o, l, of(triplets(8)))
			if err != nil {
				t.Fatal(err)
			}
			most := 0
			for number := range 8 {
				all := plainTokens(s).pairsOf(s.batch(number), o, l.Terms)
				most = max(most, len(all.pairs))
			}
			if limit := 4 * (want + more[name]); most > limit || len(more) == 0 && most != limit {
				t.Errorf("%s, %s: %d pairs of four records, want %d", name, within, most, limit)
			}
		}
	}

	var g goldenTerms
	beyond(t, "terms.json", &g)
	var data mixture.Data = of(triplets(2))
	for r := range data[0].Records {
		for k := range data[0].Records[r].Rows {
			i := 3*r + k
			row := &data[0].Records[r].Rows[k]
			row.Instruction, row.Query, row.Passage = fmt.Sprint(g.Instruction[i]), fmt.Sprint(g.Query[i]), fmt.Sprint(i)
		}
	}
	table := g.table(encoder.HeadScore)
	for name, want := range map[string]float64{"uni(P)": 1.92056765879, "uni(I)": 1.15540492210, "uni(IQ)": 1.66011765078, "multi(P,I)": 2.17228845299, "multi(P,I,IQ)": 2.55970939312, "sig(P)": 2.85154608112, "pair(P)": 2.00166704730} {
		c, l := toyConfig(), parsed(t, name)
		c.RowsPerGroup, c.Candidates = 6, WithinOwn
		o, err := c.under(encoder.HeadScore)
		if err != nil {
			t.Fatal(err)
		}
		s, err := newSampler(c, o, l, data)
		if err != nil {
			t.Fatal(err)
		}
		all := plainTokens(s).pairsOf(s.batch(0), o, l.Terms)
		joined, lists := make([][]float64, 6), [][]float64{}
		for _, term := range l.Terms.Split() {
			lists = nil
			for i, index := range all.lists[term].index {
				var list []float64
				for k, at := range index {
					p := all.pairs[at]
					if a, b := g.Instruction[p.instruction], g.Query[p.query]; all.lists[term].counted[i][k] {
						list = append(list, table[p.passage][4*a+b])
					}
				}
				if lists = append(lists, list); joined[i] != nil {
					list = list[1:]
				}
				joined[i] = append(joined[i], list...)
			}
		}
		got := 0.0
		switch l.Form {
		case Sig:
			got = plainSig(joined, o.Bias)
		case Pairwise:
			got = lambda{sigma: 1}.loss(lists, oneFirst(lists))
		default:
			got = plainLists(joined)
		}
		near(t, name, got, want, 0, 1e-9)
	}
}
