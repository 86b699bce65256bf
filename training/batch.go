package training

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"infbench/datasets"
	"infbench/datasets/mixture"
)

// Row is one anchor of a batch: an instruction with a query, and the passage
// that answers both. Its label in every term is itself; hard negatives act by
// standing in the same batch. A row without a passage is no anchor: others may borrow its
// instruction and its query.
type Row struct {
	Instruction, Query, Passage string
}

func (r Row) hasPassage() bool { return r.Passage != "" }

// Rows lists the rows of all records; a triplet makes three.
func Rows(data mixture.Data) []Row {
	rows := make([]Row, 0, data.Rows())
	for _, p := range data {
		for _, record := range p.Records {
			for _, r := range record.Rows {
				rows = append(rows, Row{r.Instruction, r.Query, r.Passage})
			}
		}
	}
	return rows
}

// Batch says which rows one loss is taken over, all of them indices into Rows.
type Batch struct {
	Rows []int // anchors, group after group

	// Instructions lists for each anchor the rows that lend it an instruction
	// (iq_{j,i}, row i itself left out), Counted which of those count. All lists
	// are equally long.
	Instructions [][]int
	Counted      [][]bool

	// Queries lists for each anchor the rows that lend it a query (iq_{i,k}),
	// for a QueryOnly IQ term.
	Queries [][]int

	Records []int     // of the anchors, by number
	Widths  []float64 // weights of the widths of a Matryoshka, where batches draw them

	Texts   int       // instructions that a batch of this size has at most, or queries if those are more
	Dropout [2]uint64 // seeds of what is dropped
}

// sampler draws batches. Batch b is a pure function of the seed and b, so that a
// checkpoint needs to remember nothing but how many steps are done.
type sampler struct {
	rows      []Row
	first     []int // row of each record, and the end of the last
	order     *mixture.Order
	shapes    []datasets.Shape
	groupRows int
	groups    int
	negatives Negatives
	masks     bool // instructions that equal the row's own do not count
	draws     bool // the loss has an instruction term
	queries   bool // the loss has a query-only term
	nested    Matryoshka
	seed      int64
}

// newSampler checks that rows fill at least one batch and that an instruction
// term has something to draw.
func newSampler(c Config, o Objective, l Loss, data mixture.Data) (*sampler, error) {
	s := c.sampler(o, l, data.Shapes())
	s.rows = Rows(data)
	at := 0
	for _, p := range data {
		for range p.Records {
			s.first = append(s.first, at)
			at += p.Shape.Rows()
		}
	}
	s.first = append(s.first, at)
	var err error
	if s.order, err = c.Order(data.Sizes()); err != nil {
		return nil, err
	}
	if s.draws && s.candidates() < 2 {
		return nil, fmt.Errorf("loss %s: %d rows in %s scope divided by %d leave no instruction negative",
			NameOf(l), s.pool(), o.Negatives.Scope, o.Negatives.Divisor)
	}
	return s, nil
}

// Order is that of records of sources of these sizes in the batches that c describes;
// an error where they fill none.
func (c Config) Order(sizes []mixture.Size) (*mixture.Order, error) {
	return mixture.NewOrder(sizes, c.drawn())
}

// drawn is how c makes batches.
func (c Config) drawn() mixture.Batches {
	return mixture.Batches{
		Group: c.RowsPerGroup, Groups: c.Groups, Epochs: c.Epochs, All: c.Steps * c.batches(), Step: c.batches(), Fill: c.LastBatch == FillBatch, Single: c.Batches == OneSource, Seed: c.Seed,
	}
}

func (s *sampler) batchRows() int { return s.groups * s.groupRows }

// perEpoch is the number of whole batches in the data; records that are left
// over sit out the epoch, others in the next.
func (s *sampler) perEpoch() int { return s.order.PerEpoch() }

// unused is the number of records that an epoch leaves over: rows of a mixture's
// sources, in records of the largest.
func (s *sampler) unused() int { return s.fewest(max(0, len(s.rows)-s.perEpoch()*s.batchRows())) }

// pool is the number of rows that a row draws its instructions from, itself included.
func (s *sampler) pool() int {
	if s.negatives.Scope == Global {
		return s.batchRows()
	}
	return s.groupRows
}

// candidates is the number of instructions a row is scored with, its own included.
func (s *sampler) candidates() int { return s.pool() / s.negatives.Divisor }

// mixed bounds the instruction-query pairs of a batch that are no anchors.
func (s *sampler) mixed() int {
	pairs, pool := 0, s.batchRows()
	if s.draws {
		pairs, pool = s.batchRows()*(s.candidates()-1), s.pool()
		if s.negatives.OwnHard == Always {
			pairs -= 2 * s.fewest(s.batchRows()) // rows 0 and 1 of a record are each other's hard negative
		}
	}
	if s.queries {
		pairs, pool = pairs+s.batchRows()*(s.batchRows()-1), s.batchRows()
	}
	instructions, queries := s.texts(pool)
	return min(pairs, s.batchRows()/pool*(instructions*queries-pool)) // of those, pool are anchors
}

// fewest is how many records so many rows are of at least.
func (s *sampler) fewest(rows int) int {
	most := 1
	for _, shape := range s.shapes {
		most = max(most, shape.Rows())
	}
	return rows / most
}

// texts is how many instructions and queries so many rows have at most.
func (s *sampler) texts(rows int) (instructions, queries int) {
	for _, shape := range s.shapes {
		instructions = max(instructions, rows/shape.Rows()*shape.Instructions())
		queries = max(queries, rows/shape.Rows()*shape.Queries())
	}
	return instructions, queries
}

// Texts says how many texts a batch has a model embed at most, of records of the
// given shapes: the anchors, as many passages, and besides them the instruction-query
// pairs that are only negatives, of which a loss with instruction terms has up to the
// square of the rows, and mined negatives.
func (c Config) Texts(l Loss, shapes []datasets.Shape) (anchors, besides int, err error) {
	o, err := c.Objective()
	if err != nil {
		return 0, 0, err
	}
	s := c.sampler(o, l, shapes)
	return s.batchRows(), max(0, s.mixed()) + s.batchRows()*c.Mined, nil
}

// sampler knows the shape of batches; rows are for the caller to give.
func (c Config) sampler(o Objective, l Loss, shapes []datasets.Shape) *sampler {
	return &sampler{
		shapes:    shapes,
		groupRows: c.RowsPerGroup, groups: c.Groups, negatives: o.Negatives, masks: o.False.Equal,
		draws: l.Needs()&drawsInstructions != 0, queries: o.drawsQueries(l.Needs()), nested: o.Matryoshka, seed: c.Seed,
	}
}

// step returns the batches of a step of n of them.
func (s *sampler) step(step, n int) []Batch {
	list := make([]Batch, n)
	for i := range list {
		list[i] = s.batch(step*n + i)
	}
	return list
}

// batch returns the batch of that number, counted from 0 over all epochs.
func (s *sampler) batch(number int) Batch {
	// Of another kind than the seeds of rng, whose numbers must not come again.
	b := Batch{Dropout: [2]uint64{uint64(s.seed) ^ 0x64726f706f757421, uint64(number)}}
	b.Texts = max(s.texts(s.batchRows()))
	for _, record := range s.order.Batch(number) {
		for row := s.first[record]; row < s.first[record+1]; row++ {
			b.Rows, b.Records = append(b.Rows, row), append(b.Records, record)
		}
	}
	b.Widths = s.widths(number)
	rng := s.rng(number)
	for i := range b.Rows {
		if s.draws {
			others, counted := s.instructions(b.Rows, i, rng)
			b.Instructions, b.Counted = append(b.Instructions, others), append(b.Counted, counted)
		}
		if s.queries {
			b.Queries = append(b.Queries, without(b.Rows, i))
		}
	}
	return b
}

// instructions draws the rows that lend anchor i their instruction, without
// replacement from i's scope.
func (s *sampler) instructions(anchors []int, i int, rng *rand.Rand) (others []int, counted []bool) {
	start := i - i%s.pool()
	others = without(anchors[start:start+s.pool()], i-start)
	rng.Shuffle(len(others), func(a, b int) { others[a], others[b] = others[b], others[a] })
	if s.negatives.OwnHard == Always {
		moveToFront(others, s.poisonedTwin(anchors[i]))
	}
	others = others[:s.candidates()-1]
	for _, j := range others {
		equal := s.rows[j].Instruction == s.rows[anchors[i]].Instruction
		counted = append(counted, !(equal && s.masks))
	}
	return others, counted
}

// poisonedTwin is the row of the same record whose instruction is poisoned when this
// row's is not, and the other way round.
func (s *sampler) poisonedTwin(row int) int {
	record, found := slices.BinarySearch(s.first, row)
	if !found {
		record--
	}
	first := s.first[record]
	if row == first+1 {
		return first
	}
	return first + 1
}

// rng is the generator of what a batch draws; those of the order have even numbers.
func (s *sampler) rng(batch int) *rand.Rand {
	return rand.New(rand.NewPCG(uint64(s.seed), uint64(2*batch+1)))
}

// widths are the weights of the widths that a batch takes, 0 of those that it did not
// draw; nil where all take all. Their generator is of another kind than rng, too.
func (s *sampler) widths(batch int) []float64 {
	if !s.nested.drawn() {
		return nil
	}
	weights := make([]float64, len(s.nested.Dims))
	rng := rand.New(rand.NewPCG(uint64(s.seed)^0x7769647468732121, uint64(batch)))
	for _, i := range rng.Perm(len(weights))[:s.nested.PerStep] {
		weights[i] = s.nested.Weight(i)
	}
	return weights
}

// without copies list leaving out position i.
func without(list []int, i int) []int {
	return append(append(make([]int, 0, len(list)), list[:i]...), list[i+1:]...)
}

// moveToFront swaps value, where it is in list, with the first element.
func moveToFront(list []int, value int) {
	for k, v := range list {
		if v == value {
			list[0], list[k] = list[k], list[0]
			return
		}
	}
}
