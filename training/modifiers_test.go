package training

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/datasets/mixture"
)

// lengths is a custom guide: the vector of a text depends on its first letters.
type lengths struct{}

func (lengths) Dim() int { return 3 }

func (lengths) fill(texts []string, into []float32) error {
	for i, text := range texts {
		for k := range 3 {
			into[3*i+k] = float32(len(text)%(k+3)) + 0.5
		}
	}
	return nil
}

func (l lengths) EncodeQueries(_ context.Context, queries, instructions []string, into []float32) error {
	joined := make([]string, len(queries))
	for i := range queries {
		joined[i] = queries[i] + instructions[i]
	}
	return l.fill(joined, into)
}

func (l lengths) EncodeDocuments(_ context.Context, _, texts []string, into []float32) error {
	return l.fill(texts, into)
}

// listing returns the colours with a teacher's scores and, in the first row of records, up to
// three negatives.
func listing(n int) mixture.Data {
	rng := rand.New(rand.NewPCG(9, 1))
	data := of(colours(n))
	for i, r := range data[0].Records {
		for k := range r.Rows {
			for range r.Rows {
				r.Rows[k].Scores = append(r.Rows[k].Scores, 4*rng.NormFloat64())
			}
		}
		for k := range i % 4 {
			r.Rows[0].Negatives = append(r.Rows[0].Negatives, data[0].Records[(i+k+1)%n].Rows[0].Passage)
		}
	}
	return data
}

// ranked returns the colours as rows of one passage, with two or three negatives and a teacher's
// scores of all of these.
func ranked(n int) []datasets.Record {
	rng := rand.New(rand.NewPCG(3, 3))
	rows := plainly(n, true)
	for i := range rows {
		row := &rows[i].Rows[0]
		row.Scores = []float64{6 + rng.Float64()}
		for k := range 2 + i%2 {
			row.Negatives = append(row.Negatives, rows[(i+k+1)%n].Rows[0].Passage)
			row.Scores = append(row.Scores, rng.NormFloat64())
		}
	}
	return rows
}

// Each modifier changes a step in a different way.
func TestModifiersChangeAStep(t *testing.T) {
	first := func(o option) Step {
		c := toyConfig()
		c.Epochs, c.Warmup = 1, 0
		l := parsed(t, "multi(P,I)")
		if o.set(&c); c.Distill.List == OwnList {
			l = parsed(t, "uni(P)")
		}
		_, sum, err := trainOn(t, t.Context(), fitting(c, 24), c, l, false, Options{Guide: lengths{}, Teacher: lengths{}})
		if err != nil {
			t.Fatalf("%s: %v", o.name, err)
		}
		return sum.Curve[0]
	}
	plain := first(option{"none", func(*Config) {}})
	seen := map[float64]string{plain.Loss: "none"}
	for _, o := range modifying {
		got := first(o)
		if other, ok := seen[got.Loss]; ok {
			t.Errorf("%s: loss %v, the same as for %s", o.name, got.Loss, other)
		}
		seen[got.Loss] = o.name
	}
}

// Rows of one passage with mined negatives and a teacher's scores learn, under every list and
// loss that their fields allow. Other configurations return an error that names the missing data.
func TestDistillFromScores(t *testing.T) {
	rows := ranked(24)
	of := func(records []datasets.Record) mixture.Data {
		return mixture.Data{{Source: mixture.Source{Name: "mined"}, Records: records}}
	}
	for _, loss := range []Divergence{KL, MarginMSE, MSE, ListMLE, ADRMSE, PairLoss} {
		c := toyConfig()
		c.Epochs, c.Mined, c.RowsPerGroup = 30, 2, 6
		c.Distill = DistillConfig{Teacher: Taught, Loss: loss, List: OwnList, Share: new(1.0)}
		_, sum, err := trainOn(t, t.Context(), of(rows), c, parsed(t, "uni(P)"), false, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if first, last := sum.Curve[0].Loss, sum.Curve[len(sum.Curve)-1].Loss; !(last < first/2) {
			t.Errorf("%s: loss went from %v to %v", loss, first, last)
		}
	}
	for want, edit := range map[string]func(*Config, []datasets.Record){
		"list own without negatives":                    func(c *Config, _ []datasets.Record) { c.Distill.List = OwnList },
		"list record needs records of several passages": func(c *Config, _ []datasets.Record) {},
		"no record lists more than 3":                   func(c *Config, _ []datasets.Record) { c.Mined, c.Distill = 4, DistillConfig{} },
		"not all records have scores": func(c *Config, r []datasets.Record) {
			c.Distill.List, c.Mined = OwnList, 2
			r[3].Rows[0].Scores = nil
		},
		"the scores of a row lie": func(c *Config, r []datasets.Record) {
			c.Distill.List, c.Mined = OwnList, 2
			r[3].Rows[0].Scores = []float64{300, 0, 0}
		},
		"no record lists more than 0": func(c *Config, r []datasets.Record) {
			c.Distill.List, c.Mined = OwnList, 2
			for i := range r {
				r[i].Rows[0].Negatives, r[i].Rows[0].Scores = nil, r[i].Rows[0].Scores[:1]
			}
		},
	} {
		c, records := toyConfig(), make([]datasets.Record, len(rows))
		for i, r := range rows {
			records[i] = datasets.Record{ID: r.ID, Rows: []datasets.Row{r.Rows[0]}}
		}
		c.Distill.Teacher = Taught
		edit(&c, records)
		if _, _, err := trainOn(t, t.Context(), of(records), c, parsed(t, "uni(P)"), false, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// In a mixture it is enough that one source lists negatives: rows of other sources have none.
func TestMinedNegativesOfOneSource(t *testing.T) {
	data := mixture.Data{
		{Source: mixture.Source{Name: "mined"}, Records: ranked(12)},
		{Source: mixture.Source{Name: "plain"}, Records: plainly(12, true)},
	}
	c := toyConfig()
	c.Epochs = 1
	losses := map[int]float64{}
	for _, c.Mined = range []int{0, 2, 3} {
		_, sum, err := trainOn(t, t.Context(), data, c, parsed(t, "uni(P)"), false, Options{})
		if err != nil {
			t.Fatal(err)
		}
		losses[c.Mined] = sum.Curve[0].Loss
	}
	if !(losses[2] > losses[0] && losses[3] > losses[2]) {
		t.Errorf("by negatives: %v, want a higher loss with more of them", losses)
	}
	c.Mined = 4
	if _, _, err := trainOn(t, t.Context(), data, c, parsed(t, "uni(P)"), false, Options{}); err == nil || !strings.Contains(err.Error(), "negatives 4: no record lists more than 3") {
		t.Error(err)
	}
}

// Rows without mined negatives have a list of only their passage: their distillation is 0, and
// they count in the mean. So the loss of a batch in which some rows have negatives, and the loss
// in which only the other rows have them, add up to the loss with negatives for all.
func TestDistillOfRowsWithoutNegatives(t *testing.T) {
	for _, loss := range []Divergence{KL, MarginMSE, ListMLE} { // the others divide by the candidates of the batch
		first := func(bare func(i int) bool) float64 {
			records := ranked(12)
			for i := range records {
				if row := &records[i].Rows[0]; bare(i) {
					row.Negatives, row.Scores = nil, row.Scores[:1]
				}
			}
			c := toyConfig()
			c.Epochs, c.Mined = 1, 2
			c.Distill = DistillConfig{Teacher: Taught, Loss: loss, List: OwnList, Share: new(1.0)}
			data := mixture.Data{{Source: mixture.Source{Name: "mined"}, Records: records}}
			_, sum, err := trainOn(t, t.Context(), data, c, parsed(t, "uni(P)"), false, Options{})
			if err != nil {
				t.Fatal(err)
			}
			return sum.Curve[0].Loss
		}
		whole := first(func(int) bool { return false })
		some, others := first(func(i int) bool { return i%3 == 0 }), first(func(i int) bool { return i%3 != 0 })
		if whole <= 0 || some <= 0 || others <= 0 || math.Abs(some+others-whole) > 1e-4*whole {
			t.Errorf("%s: %v and %v, want %v together", loss, some, others, whole)
		}
	}
}

// Settings that contradict each other return an error that names them.
func TestModifiersRefused(t *testing.T) {
	for want, edit := range map[string]func(*Config){
		"margin, relative or own without guide":     func(c *Config) { c.FalseNegatives.Own = Mask },
		"equal mask and instruction_negatives":      func(c *Config) { c.FalseNegatives.Equal, c.Negatives.Equal = Mask, Keep },
		"hardness: on without alpha":                func(c *Config) { c.Hardness.On = ReachAll },
		"list, share or temperature without":        func(c *Config) { c.Distill.Share = new(0.5) },
		"list batch needs a model as teacher":       func(c *Config) { c.Distill = DistillConfig{Teacher: Taught, List: BatchList} },
		"2 weights of 1 dims":                       func(c *Config) { c.Matryoshka = Matryoshka{Dims: []int{4}, Weights: []float64{1, 2}} },
		"per_step 3 of 2 dims":                      func(c *Config) { c.Matryoshka = Matryoshka{Dims: []int{4, 8}, PerStep: 3} },
		"dims holds 4 twice":                        func(c *Config) { c.Matryoshka.Dims = []int{4, 8, 4} },
		"dims 32: the vectors have 16 values":       func(c *Config) { c.Matryoshka.Dims = []int{32} },
		"guide e5, but no such model was given":     func(c *Config) { c.FalseNegatives.Guide = "e5" },
		"focal -1: want at least 0":                 func(c *Config) { c.Focal = -1 },
		"share 2: want a share":                     func(c *Config) { c.Distill.Share = new(2.0) },
		`unknown hardness: on "owm"`:                func(c *Config) { c.Hardness.On = "owm" },
		`unknown treatment of equal texts "masked"`: func(c *Config) { c.FalseNegatives.Equal = "masked" },
	} {
		c := toyConfig()
		edit(&c)
		if _, _, err := trainOn(t, t.Context(), listing(24), c, parsed(t, "uni(P)"), false, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// A setting equal to its default has the same identity as an empty setting.
func TestUsualModifiersLeftOut(t *testing.T) {
	c := DefaultConfig()
	c.FalseNegatives.Own, c.Hardness.On, c.Distill.Loss, c.Distill.List = Keep, ReachOwn, KL, RecordList
	got, _ := c.Complete(parsed(t, "uni(P)"), Design{})
	want, _ := DefaultConfig().Complete(parsed(t, "uni(P)"), Design{})
	if fmt.Sprintf("%+v", got.modifiersAsSaid()) != fmt.Sprintf("%+v", want.modifiersAsSaid()) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func (c Config) modifiersAsSaid() []any { return []any{c.FalseNegatives, c.Hardness, c.Distill} }

// Settings with the same effect are one trial.
func TestUsualModifiersHaveOneIdentity(t *testing.T) {
	complete := func(set func(*Config)) Config {
		c := DefaultConfig()
		set(&c)
		c, _ = c.Complete(Contrastive{Uni, P}, Design{})
		return c
	}
	for name, two := range map[string][2]func(*Config){
		"guide": {
			func(c *Config) { c.FalseNegatives = FalseNegativeConfig{Guide: Self} },
			func(c *Config) {
				c.FalseNegatives = FalseNegativeConfig{Guide: Self, Margin: new(0.05), Relative: new(true), Own: Keep}
			},
		},
		"teacher": {
			func(c *Config) { c.Distill.Teacher = Taught },
			func(c *Config) {
				c.Distill = DistillConfig{Teacher: Taught, Loss: KL, List: RecordList, Share: new(0.5), Temperature: 1, Weights: Unweighted, Scale: Unscaled}
			},
		},
		"widths": {
			func(c *Config) { c.Matryoshka.Dims = []int{32, 16} },
			func(c *Config) { c.Matryoshka = Matryoshka{[]int{16, 32}, []float64{1, 1}, 2} },
		},
		"weighed widths": {
			func(c *Config) { c.Matryoshka = Matryoshka{Dims: []int{32, 16}, Weights: []float64{1, 0.5}} },
			func(c *Config) { c.Matryoshka = Matryoshka{Dims: []int{16, 32}, Weights: []float64{0.5, 1}} },
		},
	} {
		if a, b := complete(two[0]), complete(two[1]); !reflect.DeepEqual(a, b) {
			t.Errorf("%s: %+v and %+v", name, a, b)
		}
	}
	if c := complete(func(c *Config) { c.Distill.Share = new(0.5) }); c.CheckModifiers() == nil {
		t.Error("a share without teacher is not refused")
	}
	if c := complete(func(*Config) {}); c.FalseNegatives != (FalseNegativeConfig{}) || c.Distill != (DistillConfig{}) {
		t.Errorf("nothing set: %+v", c)
	}
}
