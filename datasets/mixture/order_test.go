package mixture

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"infbench/datasets"
)

// single and double are shapes of one row and of two.
var (
	single = datasets.Shape{}
	double = datasets.Shape{Instruction: true}
)

func size(name string, records int, weight, from float64, shape datasets.Shape) Size {
	return Size{Source{name, weight, from}, shape, records}
}

func order(t *testing.T, b Batches, sizes ...Size) *Order {
	t.Helper()
	o, err := NewOrder(sizes, b)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// share counts the records of each source in batches from one to another.
func share(o *Order, from, to int, sizes ...Size) []int {
	counts := make([]int, len(sizes))
	for n := from; n < to; n++ {
		for _, record := range o.Batch(n) {
			first := 0
			for i, s := range sizes {
				if record >= first && record < first+s.Records {
					counts[i]++
				}
				first += s.Records
			}
		}
	}
	return counts
}

// TestOrderOfOneSource: one source is shuffled as before mixtures existed: by a permutation of the
// records, with the epoch's even number as the second seed of a PCG.
func TestOrderOfOneSource(t *testing.T) {
	b := Batches{Group: 6, Groups: 2, Epochs: 2, Seed: 7}
	o := order(t, b, size("a", 10, 0, 0, datasets.TripletShape))
	if o.PerEpoch() != 2 {
		t.Fatalf("%d batches an epoch", o.PerEpoch())
	}
	for epoch := range 3 {
		want := rand.New(rand.NewPCG(7, uint64(2*epoch))).Perm(10)
		if got := append(o.Batch(2*epoch), o.Batch(2*epoch+1)...); !slices.Equal(got, want[:8]) {
			t.Errorf("epoch %d: %v, want %v", epoch, got, want[:8])
		}
	}
}

// TestOrderFills: without weights every record occurs once in an epoch.
func TestOrderFills(t *testing.T) {
	b := Batches{Group: 12, Groups: 8, Epochs: 2, Fill: true, Seed: 42}
	o := order(t, b, size("", 38_759, 0, 0, datasets.Shape{Instruction: true, Query: true}))
	if o.PerEpoch() != 1212 {
		t.Errorf("%d batches an epoch, want 1,212", o.PerEpoch())
	}
	for epoch := range 2 {
		seen, first := map[int]int{}, o.Batch(epoch*1212)
		for n := range 1212 {
			for _, record := range o.Batch(epoch*1212 + n) {
				seen[record]++
			}
		}
		if last := o.Batch(epoch*1212 + 1211); len(seen) != 38_759 || len(last) != 32 || !slices.Equal(last[7:], first[:25]) {
			t.Errorf("epoch %d has %d records, and a last batch of %d that does not end with the first ones", epoch, len(seen), len(last))
		}
	}
	// Data that fills batches exactly needs no further one.
	if o := order(t, b, size("", 64, 0, 0, datasets.Shape{Instruction: true, Query: true})); o.PerEpoch() != 2 {
		t.Errorf("64 records make %d batches", o.PerEpoch())
	}
	// Sources of a mixture are repeated in any case.
	two := []Size{size("a", 50, 0, 0, single), size("b", 47, 0, 0, single)}
	if o := order(t, Batches{Group: 12, Groups: 1, Epochs: 1, Fill: true}, two...); o.PerEpoch() != 9 || len(o.Batch(8)) != 12 {
		t.Errorf("97 records of two sources make %d batches", o.PerEpoch())
	}
}

func TestOrderBySizes(t *testing.T) {
	sizes := []Size{size("a", 30, 0, 0, datasets.TripletShape), size("b", 12, 0, 0, single), size("c", 9, 0, 0, double)}
	o := order(t, Batches{Group: 12, Groups: 1, Epochs: 2, Seed: 3}, sizes...)
	if o.PerEpoch() != 10 {
		t.Fatalf("%d batches of 12 rows in 120 rows", o.PerEpoch())
	}
	for epoch := range 3 {
		var all []int
		for n := range 10 {
			all = append(all, o.Batch(10*epoch+n)...)
		}
		slices.Sort(all)
		if want := 51; len(all) != want || len(slices.Compact(all)) != want {
			t.Errorf("epoch %d: %d records, %d different", epoch, len(all), len(slices.Compact(all)))
		}
	}
}

// TestOrderByWeights: weights are shares of the drawn records, whatever the rows of a record. A
// source draws each of its records once before any of them again.
func TestOrderByWeights(t *testing.T) {
	sizes := []Size{size("a", 40, 3, 0, datasets.TripletShape), size("b", 24, 1, 0, single)}
	o := order(t, Batches{Group: 12, Groups: 1, Epochs: 4, Seed: 1}, sizes...)
	batches := 4 * o.PerEpoch()
	got := share(o, 0, batches, sizes...)
	if ratio := float64(got[0]) / float64(got[1]); ratio < 2.8 || ratio > 3.2 {
		t.Errorf("%v records: %.2f to 1, want 3 to 1", got, ratio)
	}
	var a []int
	for n := range batches {
		for _, record := range o.Batch(n) {
			if record < 40 {
				a = append(a, record)
			}
		}
	}
	for i := 0; i+40 <= len(a); i += 40 {
		round := slices.Sorted(slices.Values(a[i : i+40]))
		if len(slices.Compact(round)) != 40 {
			t.Errorf("round %d has %d of 40 records", i/40, len(slices.Compact(round)))
		}
	}
	if slices.Equal(a[:40], a[40:80]) {
		t.Error("two rounds have one order")
	}
}

// TestOrderJoins: a source joins after its share of all steps, also within an epoch.
func TestOrderJoins(t *testing.T) {
	sizes := []Size{size("a", 40, 1, 0, datasets.TripletShape), size("b", 40, 1, 0.4, datasets.TripletShape)}
	o := order(t, Batches{Group: 12, Groups: 1, Epochs: 1, Seed: 1}, sizes...)
	if o.PerEpoch() != 20 {
		t.Fatal(o.PerEpoch())
	}
	if got := share(o, 0, 8, sizes...); got[1] != 0 || got[0] != 32 {
		t.Errorf("before: %v", got)
	}
	if got := share(o, 8, 20, sizes...); got[0] != 24 || got[1] != 24 {
		t.Errorf("after: %v", got)
	}
}

// TestOrderJoinsAtItsShare: a source joins with the first batch of the first step before which its
// share of all steps is done. This also holds if the product of both is rounded up: 0.07 of 100 is
// 7. Without such a step the source would never be trained on.
func TestOrderJoinsAtItsShare(t *testing.T) {
	for hundredths := range 100 {
		for steps := 1; steps <= 300; steps++ {
			sizes := []Size{size("a", 40, 1, 0, single), size("b", 40, 1, float64(hundredths)/100, single)}
			each := 1 + steps%4
			o, err := NewOrder(sizes, Batches{Group: 4, Groups: 1, All: steps * each, Step: each, Seed: 1})
			want := (hundredths*steps + 99) / 100
			if want == steps && hundredths > 0 {
				if err == nil || !strings.Contains(err.Error(), "b would never be trained on") {
					t.Errorf("@%v of %d steps: %v", sizes[1].From, steps, err)
				}
				continue
			}
			if err != nil || o.parts[1].from != want*each {
				t.Errorf("@%v of %d steps of %d batches: %v, want it to join with step %d", sizes[1].From, steps, each, err, want)
			}
		}
	}
}

// TestOrderOfOneSourceABatch: batches of a single source each occur in the same proportion.
func TestOrderOfOneSourceABatch(t *testing.T) {
	sizes := []Size{size("a", 60, 1, 0, datasets.TripletShape), size("b", 60, 3, 0, datasets.TripletShape)}
	o := order(t, Batches{Group: 12, Groups: 1, Epochs: 2, Single: true, Seed: 1}, sizes...)
	for n := range 2 * o.PerEpoch() {
		if got := share(o, n, n+1, sizes...); got[0] != 0 && got[1] != 0 {
			t.Errorf("batch %d: %v", n, got)
		}
	}
	if got := share(o, 0, 2*o.PerEpoch(), sizes...); got[1] < 2*got[0] {
		t.Errorf("%v, want three to one", got)
	}
}

// TestOrderIsAFunctionOfTheNumber: a batch depends only on its number: drawn alone, after others,
// or by another order of the same data it is the same. Every batch has the right number of rows.
func TestOrderIsAFunctionOfTheNumber(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	shapes := []datasets.Shape{datasets.TripletShape, double, single}
	for range 200 {
		b := Batches{Group: 6 * (1 + rng.IntN(3)), Groups: 1 + rng.IntN(2), Epochs: 1 + rng.IntN(3), Single: rng.IntN(2) == 0, Seed: rng.Int64()}
		var sizes []Size
		for i := range 1 + rng.IntN(3) {
			sizes = append(sizes, size(string(rune('a'+i)), 40+rng.IntN(60), float64(1+rng.IntN(3)), 0, shapes[rng.IntN(3)]))
		}
		if len(sizes) > 1 {
			sizes[1].From = rng.Float64() / 2 // the start of two or more steps
		}
		where := fmt.Sprint(b, sizes)
		forward, backward := order(t, b, sizes...), order(t, b, sizes...)
		n := b.Epochs*forward.PerEpoch() + 3
		batches := make([][]int, n)
		for i := range n {
			batches[i] = forward.Batch(i)
		}
		for i := n - 1; i >= 0; i-- {
			if !slices.Equal(backward.Batch(i), batches[i]) {
				t.Fatalf("%s: batch %d differs", where, i)
			}
			rows := 0
			for _, record := range batches[i] {
				for _, s := range sizes {
					if record < s.Records {
						rows += s.Shape.Rows()
						break
					}
					record -= s.Records
				}
			}
			if rows != b.Group*b.Groups {
				t.Fatalf("%s: batch %d has %d rows", where, i, rows)
			}
		}
	}
}

func TestOrderFaults(t *testing.T) {
	b := Batches{Group: 12, Groups: 1, Epochs: 1}
	for want, sizes := range map[string][]Size{
		"3 records do not fill a batch of 1 groups of 12 rows":           {size("a", 3, 0, 0, datasets.TripletShape)},
		"b has 2 records, and its weight asks for 6 of them in a batch":  {size("a", 90, 1, 0, single), size("b", 2, 1, 0, single)},
		"a has 3 records, and its weight asks for 12 of them in a batch": {size("a", 3, 0, 0, single), size("b", 90, 0, 0.5, single)},
		"b has no records": {size("a", 90, 1, 0, single), size("b", 0, 1, 0, single)},
	} {
		if _, err := NewOrder(sizes, b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	b.Group = 10
	if _, err := NewOrder([]Size{size("a", 90, 0, 0, datasets.TripletShape)}, b); err == nil || !strings.Contains(err.Error(), "rows_per_group 10: want a multiple of 3, a record of a makes 3 rows") {
		t.Error(err)
	}
}

// TestOrderStays: IDs of trials depend on the draws; other draws would give finished cells other
// numbers. The expected draws are those of the first version with mixtures.
func TestOrderStays(t *testing.T) {
	sizes := []Size{size("a", 16, 2, 0, datasets.TripletShape), size("b", 12, 1, 0, single), size("c", 10, 1, 0.5, double)}
	for single, want := range map[bool]string{
		false: "[2 4 24 16 18 19 22 23] [9 8 11 12] [6 3 13 15] [10 1 5 7] [14 0 11 7] [5 10 17 20 25 26 21 27] [6 0 12 14] [8 4 13 3] [9 15 1 2] [27 21 17 25 18 20 34 36 33] [1 2 30 35 28] [37 31 32 13 0]",
		true:  "[2 4 9 8] [11 12 6 3] [13 15 10 1] [5 7 14 0] [11 7 5 10] [24 16 18 19 22 23 17 20 25 26 21 27] [6 0 12 14] [8 4 13 3] [9 15 1 2] [27 21 17 25 18 20 23 19 24 26 16 22] [34 36 33 30 35 28] [1 2 13 0]",
	} {
		o := order(t, Batches{Group: 6, Groups: 2, Epochs: 2, Single: single, Seed: 42}, sizes...)
		var got []string
		for n := range 2 * o.PerEpoch() {
			got = append(got, fmt.Sprint(o.Batch(n)))
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("single %t: %s", single, text)
		}
	}
}
