package mixture

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Batches is how many rows batches are made of, and how many there are.
type Batches struct {
	Group  int // rows that stand together; records are never cut
	Groups int // of a batch
	Epochs int
	All    int // batches there are, in the place of Epochs; 0: what the epochs make
	Step   int // batches of an optimiser's step, with the first of which a source joins; 0: one

	Fill   bool  // records that fill no batch get one, filled up from the epoch's first
	Single bool  // every batch is of one source
	Seed   int64 // of the order
}

// Rows is the number of rows of a batch.
func (b Batches) Rows() int { return b.Group * b.Groups }

// PerEpoch is how many batches so many rows make; 0 where they fill none.
func (b Batches) PerEpoch(rows int) int {
	n := rows / b.Rows()
	if b.Fill && n > 0 && rows%b.Rows() > 0 {
		n++
	}
	return n
}

// Order says which records stand in a batch. Batch n is a function of the data's
// sizes, of Batches and of n alone, so that training which stopped needs to remember
// nothing but how many batches are done.
//
// A single source is shuffled anew each epoch; records that fill no batch sit it out,
// or, with Fill, stand in a last one with the first records of their epoch.
// Of several, each goes through its records in shuffled order, round and round, and
// each fills its share of every epoch, to the nearest whole: a share of the records
// drawn in proportion to the weights of the sources that have joined. Without weights
// that is every record once an epoch.
type Order struct {
	batches Batches
	parts   []turn
	epoch   int // batches
	unit    int // rows that are drawn at a time: whole records of any source
}

// turn is a source as the order sees it.
type turn struct {
	name    string
	first   int // record, counted over all sources
	records int
	rows    int     // of a record
	weight  float64 // of its units among those of all
	from    int     // batch with which it joins
}

// NewOrder checks that sources of these sizes fill batches.
func NewOrder(sizes []Size, b Batches) (*Order, error) {
	o := &Order{batches: b, unit: 1}
	records, all := 0, 0
	for _, s := range sizes {
		rows := s.Shape.Rows()
		if b.Group%rows != 0 {
			return nil, fmt.Errorf("rows_per_group %d: want a multiple of %d, a record%s makes %d rows", b.Group, rows, of(s.Name), rows)
		}
		weight := s.Weight
		if weight == 0 {
			weight = float64(s.Records)
		}
		o.unit = o.unit * rows / divisor(o.unit, rows)
		o.parts = append(o.parts, turn{s.Name, records, s.Records, rows, weight * float64(rows), 0})
		records, all = records+s.Records, all+s.Records*rows
	}
	if o.epoch = b.PerEpoch(all); o.epoch == 0 {
		return nil, fmt.Errorf("%d records do not fill a batch of %d groups of %d rows", records, b.Groups, b.Group)
	}
	all = b.Epochs * o.epoch
	if b.All > 0 {
		all = b.All
	}
	each := max(1, b.Step)
	steps := all / each
	if steps == 0 {
		return nil, fmt.Errorf("accumulate %d: %d batches in %d epochs do not make a step of %d", each, all, b.Epochs, each)
	}
	for i, s := range sizes {
		first := joins(s.From, steps)
		if first > 0 && first >= steps {
			return nil, fmt.Errorf("%s would never be trained on: before none of %d steps is a share of %v of them done", s.Name, steps, s.From)
		}
		o.parts[i].from = first * each
	}
	return o, o.checkSizes()
}

// joins is the first step before which a share of all is done. The product alone may be
// rounded up to above a whole number, as 0.07·100 is; the quotient of two whole numbers is
// the share itself where they make it.
func joins(share float64, all int) int {
	n := int(math.Ceil(share * float64(all)))
	if n > 0 && float64(n-1)/float64(all) >= share {
		n--
	}
	return n
}

func of(name string) string {
	if name == "" {
		return ""
	}
	return " of " + name
}

func divisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// checkSizes refuses a source that would stand in every batch with a record twice: its
// copies would be each other's negatives. (Where a round of a source ends within a
// batch, one still may.)
func (o *Order) checkSizes() error {
	if len(o.parts) == 1 {
		return nil
	}
	for _, p := range o.parts {
		if p.records == 0 {
			return fmt.Errorf("%s has no records", p.name)
		}
		share := 1.0 // of a batch, at its largest: before others join
		if !o.batches.Single {
			share = p.weight / o.joined(p.from)
		}
		if asked := share * float64(o.rows()/p.rows); asked > float64(p.records) {
			return fmt.Errorf("%s has %d records, and its weight asks for %.0f of them in a batch of %d rows: give it less weight, or make smaller batches",
				p.name, p.records, math.Ceil(asked), o.rows())
		}
	}
	return nil
}

// joined is the weight of all sources that have joined at a batch.
func (o *Order) joined(batch int) float64 {
	total := 0.0
	for _, p := range o.parts {
		if p.from <= batch {
			total += p.weight
		}
	}
	return total
}

// rows is the number of rows of a batch.
func (o *Order) rows() int { return o.batches.Rows() }

// PerEpoch is the number of batches of an epoch.
func (o *Order) PerEpoch() int { return o.epoch }

// Batch lists the records of batch n, counted from 0 over all epochs and, as
// Data.All does, over all sources.
func (o *Order) Batch(n int) []int {
	if len(o.parts) == 1 {
		p := o.parts[0]
		records := o.rows() / p.rows
		at, order := n%o.epoch*records, shuffled(o.batches.Seed, 2*(n/o.epoch), p.records)
		if missing := at + records - len(order); missing > 0 {
			order = append(order, order[:missing]...)
		}
		return order[at : at+records]
	}
	done := make([]int, len(o.parts)) // units of each source before the segment
	for from := 0; ; {
		to := o.segment(from)
		quotas := o.quotas(from, (to-from)*o.slots())
		if n < to {
			return o.draw(n-from, done, o.deal(from, quotas))
		}
		for i, q := range quotas {
			done[i] += q
		}
		from = to
	}
}

// slots is how many units are drawn for a batch.
func (o *Order) slots() int {
	if o.batches.Single {
		return 1
	}
	return o.rows() / o.unit
}

// records is how many of a source's records make a unit.
func (o *Order) records(p turn) int { return o.rows() / o.slots() / p.rows }

// segment is the end of the run of batches from a batch on in which the same sources
// take part: that of the epoch, or where one joins.
func (o *Order) segment(from int) (to int) {
	to = (from/o.epoch + 1) * o.epoch
	for _, p := range o.parts {
		if p.from > from {
			to = min(to, p.from)
		}
	}
	return to
}

// quotas shares out units among the sources that have joined at a batch, by the
// largest remainder, the earlier source first among equals.
func (o *Order) quotas(batch, units int) []int {
	total := o.joined(batch)
	quotas, rest := make([]int, len(o.parts)), make([]float64, len(o.parts))
	var order []int
	left := units
	for i, p := range o.parts {
		if p.from > batch {
			continue
		}
		exact := float64(units) * p.weight / total
		quotas[i] = int(exact)
		rest[i] = exact - float64(quotas[i])
		left -= quotas[i]
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rest[b], rest[a]) })
	for _, i := range order[:left] {
		quotas[i]++
	}
	return quotas
}

// deal shuffles the units of a segment: which source each is of.
func (o *Order) deal(segment int, quotas []int) []int {
	var units []int
	for i, q := range quotas {
		units = append(units, slices.Repeat([]int{i}, q)...)
	}
	rng := stream(o.batches.Seed, 0, segment)
	rng.Shuffle(len(units), func(a, b int) { units[a], units[b] = units[b], units[a] })
	return units
}

// draw lists the records of a batch of a segment, the units of which were dealt.
func (o *Order) draw(batch int, done, units []int) []int {
	at := batch * o.slots()
	for _, i := range units[:at] {
		done[i]++
	}
	rounds := map[[2]int][]int{} // of source and round
	var records []int
	for _, i := range units[at : at+o.slots()] {
		p := o.parts[i]
		each := o.records(p)
		for k := done[i] * each; k < (done[i]+1)*each; k++ {
			key := [2]int{i, k / p.records}
			if rounds[key] == nil {
				rounds[key] = stream(o.batches.Seed, 1+i, k/p.records).Perm(p.records)
			}
			records = append(records, p.first+rounds[key][k%p.records])
		}
		done[i]++
	}
	return records
}

// shuffled is the order of n records in a round.
func shuffled(seed int64, round, n int) []int {
	return rand.New(rand.NewPCG(uint64(seed), uint64(round))).Perm(n)
}

// stream is a generator of mixtures that repeats none of shuffled.
func stream(seed int64, of, index int) *rand.Rand {
	const mixtures = 0x6d69787475726573
	return rand.New(rand.NewPCG(uint64(seed)^mixtures+uint64(of)<<32, uint64(index)))
}
