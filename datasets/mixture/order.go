package mixture

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Batches has the size and number of batches.
type Batches struct {
	Group  int // rows that stay together; records are never split
	Groups int // number of groups in a batch
	Epochs int
	All    int // number of batches, replacing Epochs; 0: derived from Epochs
	Step   int // batches per optimiser step, 0 means one; a source joins at the first batch of a step

	Fill   bool  // the last incomplete batch of an epoch is filled up with the epoch's first records
	Single bool  // every batch is from one source
	Seed   int64 // seed of the order
}

// Rows returns the number of rows of a batch.
func (b Batches) Rows() int { return b.Group * b.Groups }

// PerEpoch returns the number of batches for some rows; 0 if they do not fill one.
func (b Batches) PerEpoch(rows int) int {
	n := rows / b.Rows()
	if b.Fill && n > 0 && rows%b.Rows() > 0 {
		n++
	}
	return n
}

// Order chooses the records of each batch. Batch n depends only on the data's sizes, on Batches and
// on n, so that a resumed training needs only the number of finished batches.
//
// A single source is shuffled again each epoch. Records that fill no batch are left out in that
// epoch or, with Fill, form a last batch together with the epoch's first records. With several
// sources, each passes repeatedly through its records in shuffled order. In every epoch each source
// gets a share of the drawn records proportional to its weight among the sources that have joined,
// rounded to an integer. Without weights every record is drawn once per epoch.
type Order struct {
	batches Batches
	parts   []turn
	epoch   int // number of batches
	unit    int // rows drawn at a time: complete records of any source
}

// turn is a source as the order uses it.
type turn struct {
	name    string
	first   int // index of its first record over all sources
	records int
	rows    int     // rows per record
	weight  float64 // weight of its units among all units
	from    int     // the batch at which it joins
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
			return nil, fmt.Errorf("%s would never be trained on: it joins after a share of %v of the %d steps, and no step is left", s.Name, s.From, steps)
		}
		o.parts[i].from = first * each
	}
	return o, o.checkSizes()
}

// joins returns the first step before which a share of all steps is done. The product may be
// rounded up above an integer, as 0.07·100 is; the quotient of two integers equals the share
// exactly where it should.
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

// checkSizes rejects a source that would have a record twice in every batch: the copies would be
// each other's negatives. (A batch in which a pass of a source ends may still have one.)
func (o *Order) checkSizes() error {
	if len(o.parts) == 1 {
		return nil
	}
	for _, p := range o.parts {
		if p.records == 0 {
			return fmt.Errorf("%s has no records", p.name)
		}
		share := 1.0 // of a batch at its largest: before others join
		if !o.batches.Single {
			share = p.weight / o.joined(p.from)
		}
		if asked := share * float64(o.rows()/p.rows); asked > float64(p.records) {
			return fmt.Errorf("%s has %d records, and its weight asks for %.0f of them in a batch of %d rows: reduce its weight or the batch size",
				p.name, p.records, math.Ceil(asked), o.rows())
		}
	}
	return nil
}

// joined returns the weight of all sources that have joined at a batch.
func (o *Order) joined(batch int) float64 {
	total := 0.0
	for _, p := range o.parts {
		if p.from <= batch {
			total += p.weight
		}
	}
	return total
}

// rows returns the number of rows of a batch.
func (o *Order) rows() int { return o.batches.Rows() }

// PerEpoch returns the number of batches of an epoch.
func (o *Order) PerEpoch() int { return o.epoch }

// Batch lists the records of batch n. Batches count from 0 over all epochs, and records over all
// sources, as in Data.All.
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

// slots returns the number of units drawn for a batch.
func (o *Order) slots() int {
	if o.batches.Single {
		return 1
	}
	return o.rows() / o.unit
}

// records returns the number of a source's records in a unit.
func (o *Order) records(p turn) int { return o.rows() / o.slots() / p.rows }

// segment returns the end of the sequence of batches, starting at a batch, with the same sources:
// the end of the epoch, or the batch at which another source joins.
func (o *Order) segment(from int) (to int) {
	to = (from/o.epoch + 1) * o.epoch
	for _, p := range o.parts {
		if p.from > from {
			to = min(to, p.from)
		}
	}
	return to
}

// quotas distributes units among the sources that have joined at a batch, by the largest remainder;
// among equal remainders the earlier source is first.
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

// deal shuffles the units of a segment; it returns the source of each.
func (o *Order) deal(segment int, quotas []int) []int {
	var units []int
	for i, q := range quotas {
		units = append(units, slices.Repeat([]int{i}, q)...)
	}
	rng := stream(o.batches.Seed, 0, segment)
	rng.Shuffle(len(units), func(a, b int) { units[a], units[b] = units[b], units[a] })
	return units
}

// draw lists the records of a batch of a segment whose units were dealt.
func (o *Order) draw(batch int, done, units []int) []int {
	at := batch * o.slots()
	for _, i := range units[:at] {
		done[i]++
	}
	rounds := map[[2]int][]int{} // by source and round
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

// shuffled returns the order of n records in a round.
func shuffled(seed int64, round, n int) []int {
	return rand.New(rand.NewPCG(uint64(seed), uint64(round))).Perm(n)
}

// stream returns a generator for mixtures that repeats no generator of shuffled.
func stream(seed int64, of, index int) *rand.Rand {
	const mixtures = 0x6d69787475726573
	return rand.New(rand.NewPCG(uint64(seed)^mixtures+uint64(of)<<32, uint64(index)))
}
