package training

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"

	"infbench/datasets"
	"infbench/datasets/mixture"
)

// Row is one anchor of a batch: an instruction with a query, and the passage that answers both.
// Its label in every term is itself; hard negatives act by being in the same batch. A row without
// a passage is not an anchor: other rows may borrow its instruction and its query.
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

// Batch names the rows of one loss. All numbers are indices into Rows.
type Batch struct {
	Rows []int // anchors, group after group

	// Instructions lists for each anchor the rows that lend it an instruction (iq_{j,i}, without
	// row i itself). Counted marks those that count. All lists have the same length.
	Instructions [][]int
	Counted      [][]bool

	// Queries lists for each anchor the rows that lend it a query (iq_{i,k}),
	// for a QueryOnly IQ term; -1 only fills a list up.
	Queries [][]int

	// Candidates lists for each anchor the places in Rows of the other rows that it is contrasted
	// with, those of its own record first; nil: all rows. See Within.
	Candidates [][]int

	Records []int     // record number of each anchor
	Widths  []float64 // weights of the Matryoshka widths, if batches draw them

	Texts   int       // upper bound of the instructions or queries in a batch of this size, the larger of the two
	Dropout [2]uint64 // dropout seeds
}

// sampler draws batches. Batch b is a pure function of the seed and b, so a checkpoint only
// stores the number of steps done.
type sampler struct {
	rows      []Row
	first     []int // first row of each record, and the end of the last record
	order     *mixture.Order
	shapes    []datasets.Shape
	groupRows int
	groups    int
	negatives Negatives
	within    Within
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

// Order returns the order of the records of sources of these sizes in the batches of c. It is an
// error if they do not fill one batch.
func (c Config) Order(sizes []mixture.Size) (*mixture.Order, error) {
	return mixture.NewOrder(sizes, c.drawn())
}

// drawn describes the batches of c.
func (c Config) drawn() mixture.Batches {
	return mixture.Batches{
		Group: c.RowsPerGroup, Groups: c.Groups, Epochs: c.Epochs, All: c.Steps * c.batches(), Step: c.batches(), Fill: c.LastBatch == FillBatch, Single: c.Batches == OneSource, Seed: c.Seed,
	}
}

func (s *sampler) batchRows() int { return s.groups * s.groupRows }

// perEpoch is the number of full batches in the data. Records that are left over sit out the
// epoch; another epoch leaves out other records.
func (s *sampler) perEpoch() int { return s.order.PerEpoch() }

// unused is the number of records that an epoch leaves over. The rows of a mixture's sources are
// counted as records of the largest source.
func (s *sampler) unused() int { return s.fewest(max(0, len(s.rows)-s.perEpoch()*s.batchRows())) }

// pool is the number of rows that a row draws its instructions from, itself included.
func (s *sampler) pool() int {
	if s.negatives.Scope == Global || s.within.narrow() {
		return s.batchRows()
	}
	return s.groupRows
}

// candidates is the number of instructions a row is scored with, its own included.
func (s *sampler) candidates() int {
	if s.within.narrow() {
		instructions, _ := s.texts(s.longest())
		return instructions + s.within.drawn()
	}
	return s.pool() / s.negatives.Divisor
}

// mixed bounds the instruction-query pairs of a batch that are not anchors.
func (s *sampler) mixed() int {
	pairs, pool := 0, s.batchRows()
	if s.draws {
		pairs, pool = s.batchRows()*(s.candidates()-1), s.pool()
		if s.negatives.OwnHard == Always || s.within.narrow() {
			pairs -= 2 * s.fewest(s.batchRows()) // rows 0 and 1 of a record are each other's hard negative
		}
	}
	if s.queries {
		lists := s.batchRows() - 1
		if s.within.narrow() {
			lists = s.longest() - 1 + s.within.drawn()
		}
		pairs, pool = pairs+s.batchRows()*lists, s.batchRows()
	}
	instructions, queries := s.texts(pool)
	return min(pairs, s.batchRows()/pool*(instructions*queries-pool)) // pool of these are anchors
}

// fewest is the least number of records that make up so many rows.
func (s *sampler) fewest(rows int) int { return rows / s.longest() }

// longest is the largest number of rows of a record.
func (s *sampler) longest() int {
	most := 1
	for _, shape := range s.shapes {
		most = max(most, shape.Rows())
	}
	return most
}

// texts is the largest number of instructions and of queries in so many rows.
func (s *sampler) texts(rows int) (instructions, queries int) {
	for _, shape := range s.shapes {
		instructions = max(instructions, rows/shape.Rows()*shape.Instructions())
		queries = max(queries, rows/shape.Rows()*shape.Queries())
	}
	return instructions, queries
}

// Texts returns the largest number of texts that a model embeds for a batch of records of the
// given shapes: the anchors, an equal number of passages, and others. The others are mined
// negatives and the instruction-query pairs that serve only as negatives; with instruction terms
// these can reach the square of the rows.
func (c Config) Texts(l Loss, shapes []datasets.Shape) (anchors, others int, err error) {
	o, err := c.Objective()
	if err != nil {
		return 0, 0, err
	}
	s := c.sampler(o, l, shapes)
	return s.batchRows(), max(0, s.mixed()) + s.batchRows()*c.Mined, nil
}

// sampler returns a sampler that knows the shape of batches; the caller sets its rows.
func (c Config) sampler(o Objective, l Loss, shapes []datasets.Shape) *sampler {
	return &sampler{
		shapes:    shapes,
		groupRows: c.RowsPerGroup, groups: c.Groups, negatives: o.Negatives, within: o.Candidates, masks: o.False.Equal,
		draws: l.Needs()&drawsInstructions != 0, queries: o.drawsQueries(l.Needs()), nested: o.Matryoshka, seed: c.Seed,
	}
}

// step returns the n batches of a step.
func (s *sampler) step(step, n int) []Batch {
	list := make([]Batch, n)
	for i := range list {
		list[i] = s.batch(step*n + i)
	}
	return list
}

// batch returns the batch with that number, counted from 0 over all epochs.
func (s *sampler) batch(number int) Batch {
	// Dropout seeds use a different stream from the seeds of rng, so that no number repeats.
	b := Batch{Dropout: [2]uint64{uint64(s.seed) ^ 0x64726f706f757421, uint64(number)}}
	b.Texts = max(s.texts(s.batchRows()))
	for _, record := range s.order.Batch(number) {
		for row := s.first[record]; row < s.first[record+1]; row++ {
			b.Rows, b.Records = append(b.Rows, row), append(b.Records, record)
		}
	}
	b.Widths = s.widths(number)
	instructions, queries := s.instructions, func(b Batch, i int) []int { return without(b.Rows, i) }
	if s.within.narrow() {
		b.Candidates = s.contrasted(b, number)
		instructions, queries = func(b Batch, i int, _ *rand.Rand) ([]int, []bool) { return s.lent(b, i) }, s.asked
	}
	rng := s.rng(number)
	for i := range b.Rows {
		if s.draws {
			others, counted := instructions(b, i, rng)
			b.Instructions, b.Counted = append(b.Instructions, others), append(b.Counted, counted)
		}
		if s.queries {
			b.Queries = append(b.Queries, queries(b, i))
		}
	}
	return b
}

// instructions draws the rows that lend anchor i their instruction, without replacement from i's
// scope.
func (s *sampler) instructions(b Batch, i int, rng *rand.Rand) (others []int, counted []bool) {
	anchors := b.Rows
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

// poisonedTwin is the row of the same record whose instruction is poisoned if this row's is not,
// and vice versa.
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

// rng returns the generator for the draws of a batch; the order uses the even numbers.
func (s *sampler) rng(batch int) *rand.Rand {
	return rand.New(rand.NewPCG(uint64(s.seed), uint64(2*batch+1)))
}

// stream returns another generator for the draws of a batch, by a name of eight letters.
func (s *sampler) stream(name string, batch int) *rand.Rand {
	return rand.New(rand.NewPCG(uint64(s.seed)^binary.BigEndian.Uint64([]byte(name)), uint64(batch)))
}

// widths are the weights of the widths in a batch, 0 for widths that the batch did not draw. nil
// means that every batch takes all widths.
func (s *sampler) widths(batch int) []float64 {
	if !s.nested.drawn() {
		return nil
	}
	weights := make([]float64, len(s.nested.Dims))
	rng := s.stream("widths!!", batch)
	for _, i := range rng.Perm(len(weights))[:s.nested.PerStep] {
		weights[i] = s.nested.Weight(i)
	}
	return weights
}

// without returns a copy of list without position i.
func without(list []int, i int) []int {
	return append(append(make([]int, 0, len(list)), list[:i]...), list[i+1:]...)
}

// moveToFront swaps value, if list holds it, with the first element.
func moveToFront(list []int, value int) {
	for k, v := range list {
		if v == value {
			list[0], list[k] = list[k], list[0]
			return
		}
	}
}
