package training

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/datasets/mixture"
)

// triplets makes n records with texts that name their record and role.
func triplets(n int) []datasets.Triplet {
	var out []datasets.Triplet
	for i := range n {
		name := func(role string) string { return fmt.Sprintf("%s%d", role, i) }
		out = append(out, datasets.Triplet{
			ID:                  name("t"),
			InstructionPositive: name("I+"), InstructionNegative: name("I-"),
			QueryPositive: name("Q+"), QueryNegative: name("Q-"),
			Positive: name("P+"), HardNegative1: name("P1-"), HardNegative2: name("P2-"),
		})
	}
	return out
}

// of returns data with one source.
func of(triplets []datasets.Triplet) mixture.Data {
	p := mixture.Part{Shape: datasets.TripletShape}
	for _, t := range triplets {
		p.Records = append(p.Records, t.Record())
	}
	return mixture.Data{p}
}

func TestRows(t *testing.T) {
	want := []Row{
		{"I+0", "Q+0", "P+0"}, {"I-0", "Q+0", "P1-0"}, {"I+0", "Q-0", "P2-0"},
		{"I+1", "Q+1", "P+1"}, {"I-1", "Q+1", "P1-1"}, {"I+1", "Q-1", "P2-1"},
		{"I+2", "Q+2", "P+2"}, {"I-2", "Q+2", "P1-2"}, {"I+2", "Q-2", "P2-2"},
	}
	if got := Rows(of(triplets(3))); !slices.Equal(got, want) {
		t.Errorf("rows %v\nwant %v", got, want)
	}
}

// testSampler draws for multi(P,I) with the recommended objective, changed by edit.
func testSampler(t *testing.T, records int, c Config, edit func(*Objective)) *sampler {
	t.Helper()
	o, err := c.Objective()
	if err != nil {
		t.Fatal(err)
	}
	if edit != nil {
		edit(&o)
	}
	s, err := newSampler(c, o, Contrastive{Multi, P | I | IQ}, of(triplets(records)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestBatchOfThreeRecords has one batch of one group of all nine rows: 4 instruction candidates a
// row (9/2), not listing the row's own.
func TestBatchOfThreeRecords(t *testing.T) {
	c := DefaultConfig()
	c.RowsPerGroup, c.Seed = 9, 3
	b := testSampler(t, 3, c, nil).batch(0)
	records := []int{b.Rows[0] / 3, b.Rows[3] / 3, b.Rows[6] / 3}
	for i, row := range b.Rows {
		if row != records[i/3]*3+i%3 {
			t.Errorf("anchor %d is row %d, want row %d of record %d", i, row, i%3, records[i/3])
		}
		others := b.Instructions[i]
		if len(others) != 3 || len(b.Counted[i]) != 3 {
			t.Fatalf("anchor %d: %d instruction negatives, %d marks, want 3", i, len(others), len(b.Counted[i]))
		}
		// Row 1 carries I-, rows 0 and 2 carry I+.
		wantFirst := records[i/3]*3 + []int{1, 0, 1}[i%3]
		if others[0] != wantFirst {
			t.Errorf("anchor %d: first negative is row %d, want the own hard negative %d", i, others[0], wantFirst)
		}
		for k, j := range others {
			if j == row || slices.Contains(others[:k], j) {
				t.Errorf("anchor %d draws %v: itself or twice the same", i, others)
			}
			// Rows 0 and 2 of a record carry the same I+.
			equal := j/3 == row/3 && j%3 != 1 && row%3 != 1
			if b.Counted[i][k] == equal {
				t.Errorf("anchor %d (row %d): instruction of row %d counted = %v", i, row, j, !equal)
			}
		}
	}
	slices.Sort(records)
	if !slices.Equal(records, []int{0, 1, 2}) {
		t.Errorf("records %v, want each once", records)
	}
	if b.Queries != nil {
		t.Error("a pair(k,k) term draws no queries")
	}
}

// TestInstructionsStayInTheirGroup checks both scopes with two groups of six rows.
func TestInstructionsStayInTheirGroup(t *testing.T) {
	c := DefaultConfig()
	c.RowsPerGroup, c.Groups = 6, 2
	for _, want := range []struct {
		scope   Scope
		divisor int
		drawn   int
		outside bool
	}{{Local, 2, 2, false}, {Local, 1, 5, false}, {Global, 2, 5, true}, {Global, 1, 11, true}} {
		s := testSampler(t, 12, c, func(o *Objective) { o.Negatives.Scope, o.Negatives.Divisor = want.scope, want.divisor })
		outside := false
		for step := range 3 * s.perEpoch() {
			b := s.batch(step)
			for i, others := range b.Instructions {
				if len(others) != want.drawn {
					t.Fatalf("%v: %d negatives", want, len(others))
				}
				for _, j := range others {
					outside = outside || slices.Index(b.Rows, j)/6 != i/6
				}
			}
		}
		if outside != want.outside {
			t.Errorf("%v: negatives from the other group: %v", want, outside)
		}
	}
}

// TestReferenceDraw measures the probabilities that the specification derives for the reference
// preset: rows 0 and 2 see their I- with probability 5/11, and 30.3 % of rows draw an instruction
// equal to their own, which counts as a negative there.
func TestReferenceDraw(t *testing.T) {
	c := DefaultConfig()
	c.Fidelity = "reference"
	s := testSampler(t, 4, c, nil)
	var hard, hardOf, equal, rows float64
	for step := range 4000 {
		b := s.batch(step)
		for i, row := range b.Rows {
			if slices.Contains(b.Counted[i], false) {
				t.Fatal("the reference preset masks nothing")
			}
			rows++
			for _, j := range b.Instructions[i] {
				if s.rows[j].Instruction == s.rows[row].Instruction {
					equal++
				}
			}
			if row%3 != 1 {
				hardOf++
				if slices.Contains(b.Instructions[i], s.poisonedTwin(row)) {
					hard++
				}
			}
		}
	}
	// Standard errors: 0.0028 and 0.0021.
	if got := hard / hardOf; got < 0.445 || got > 0.464 {
		t.Errorf("own hard negative drawn in %.4f of rows, want 5/11 = 0.4545", got)
	}
	if got := equal / rows; got < 0.296 || got > 0.310 {
		t.Errorf("equal instruction drawn in %.4f of rows, want 2/3 * 5/11 = 0.3030", got)
	}
}

func TestQueryOnlyTakesAllOtherRows(t *testing.T) {
	c := DefaultConfig()
	c.RowsPerGroup, c.Groups = 3, 2
	b := func() Batch {
		o, _ := c.Objective()
		o.IQ = QueryOnly
		s, err := newSampler(c, o, Contrastive{Uni, IQ}, of(triplets(2)))
		if err != nil {
			t.Fatal(err)
		}
		return s.batch(0)
	}()
	for i := range b.Rows {
		if want := append(slices.Clone(b.Rows[:i]), b.Rows[i+1:]...); !slices.Equal(b.Queries[i], want) {
			t.Errorf("anchor %d: queries of rows %v, want %v", i, b.Queries[i], want)
		}
	}
	if b.Instructions != nil {
		t.Error("uni(IQ) draws no instructions")
	}
}

// TestOrder checks that an epoch takes every record at most once, that epochs
// and seeds differ, and that a batch does not depend on those drawn before it.
func TestOrder(t *testing.T) {
	c := DefaultConfig()
	s := testSampler(t, 22, c, nil)
	if s.perEpoch() != 5 {
		t.Fatalf("22 records make %d batches of 4, want 5", s.perEpoch())
	}
	epoch := func(s *sampler, e int) (records []int) {
		for step := e * 5; step < (e+1)*5; step++ {
			for i := 0; i < 12; i += 3 {
				records = append(records, s.batch(step).Rows[i]/3)
			}
		}
		return records
	}
	first, second := epoch(s, 0), epoch(s, 1)
	if slices.Equal(first, second) {
		t.Error("two epochs have the same order")
	}
	c.Seed++
	if slices.Equal(first, epoch(testSampler(t, 22, c, nil), 0)) {
		t.Error("two seeds have the same order")
	}
	slices.Sort(first)
	if len(slices.Compact(first)) != 20 {
		t.Errorf("an epoch repeats records: %v", first)
	}
	c.Seed--
	again := testSampler(t, 22, c, nil)
	if a, b := fmt.Sprint(s.batch(7)), fmt.Sprint(again.batch(7)); a != b {
		t.Errorf("step 7 depends on history:\n%s\n%s", a, b)
	}
}

// TestBatchesOfAnyShape checks batches of random shapes against the specification (sections 1.2
// and 2). All rows of a record are consecutive, and each record occurs at most once an epoch. An
// epoch leaves over only as many records as do not fill a batch. Instructions come from distinct
// other rows of the scope; their number is 1/divisor of the scope, less the own one.
func TestBatchesOfAnyShape(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	for range 300 {
		c := DefaultConfig()
		c.Fidelity = fidelities[rng.IntN(3)]
		c.RowsPerGroup, c.Groups, c.Seed = 3*(1+rng.IntN(4)), 1+rng.IntN(4), rng.Int64()
		c.Negatives.Scope = []Scope{Local, Global}[rng.IntN(2)]
		c.Negatives.OwnHard = []OwnHard{Always, Chance}[rng.IntN(2)]
		pool := map[Scope]int{Local: c.RowsPerGroup, Global: c.RowsPerGroup * c.Groups}[c.Negatives.Scope]
		c.Negatives.Divisor = 1 + rng.IntN(pool/2)
		batchRecords := c.RowsPerGroup * c.Groups / 3
		records := batchRecords + rng.IntN(3*batchRecords)
		where := fmt.Sprintf("%d records, %d groups of %d rows, %+v", records, c.Groups, c.RowsPerGroup, c.Negatives)
		s := testSampler(t, records, c, nil)
		if want := records / batchRecords; s.perEpoch() != want || c.StepsOn(3*records) != c.Epochs*want {
			t.Fatalf("%s: %d batches an epoch, %d steps; want %d and %d", where, s.perEpoch(), c.StepsOn(3*records), want, c.Epochs*want)
		}
		seen := map[int]bool{}
		for number := range s.perEpoch() {
			b := s.batch(number)
			for a, row := range b.Rows {
				if row%3 != a%3 || row/3 != b.Rows[a-a%3]/3 || row/3 >= records || seen[row] {
					t.Fatalf("%s: rows %v of batch %d", where, b.Rows, number)
				}
				seen[row] = true
				scope := b.Rows[a-a%pool : a-a%pool+pool]
				drawn := map[int]bool{row: true}
				for _, j := range b.Instructions[a] {
					if drawn[j] || !slices.Contains(scope, j) {
						t.Fatalf("%s: row %d draws %v of %v", where, row, b.Instructions[a], scope)
					}
					drawn[j] = true
				}
				if len(drawn) != pool/c.Negatives.Divisor || len(b.Counted[a]) != len(b.Instructions[a]) {
					t.Fatalf("%s: row %d has %d instructions, want %d", where, row, len(drawn), pool/c.Negatives.Divisor)
				}
				if c.Negatives.OwnHard == Always && b.Instructions[a][0] != s.poisonedTwin(row) {
					t.Fatalf("%s: row %d does not begin with its own hard negative: %v", where, row, b.Instructions[a])
				}
			}
		}
	}
}

func TestSamplerRefuses(t *testing.T) {
	c := DefaultConfig()
	o, _ := c.Objective()
	if _, err := newSampler(c, o, Contrastive{Uni, P}, of(triplets(3))); err == nil || !strings.Contains(err.Error(), "3 records do not fill") {
		t.Errorf("3 records, 4 a batch: %v", err)
	}
	c.RowsPerGroup = 3
	if _, err := newSampler(c, o, Contrastive{Uni, I}, of(triplets(3))); err == nil || !strings.Contains(err.Error(), "no instruction negative") {
		t.Errorf("3/2 candidates: %v", err)
	}
	if _, err := newSampler(c, o, Contrastive{Uni, P}, of(triplets(3))); err != nil {
		t.Errorf("uni(P) needs no instruction negatives: %v", err)
	}
}
