package training

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
)

// block holds the scores of one term's candidates, all [N, C]; positive, counted, own
// and equal are 0 or 1.
type block struct {
	scores   *graph.Node
	positive *graph.Node // the row's positive, one in each row
	counted  *graph.Node // candidates in the softmax; always includes the positive
	own      *graph.Node // candidates of the row's own record; nil without labels
	equal    *graph.Node // candidates with the same text as the row's own; nil without labels
	bias     *graph.Node // added to scores to make negatives harder; nil: none
	self     bool        // the "positive" is a vector with itself, not a (p, iq) pair
}

// Candidates are the candidates of one term, C for each of N rows. The term contrasts the
// positive pair of a row with them.
type Candidates struct {
	Scores   *graph.Node // [N, C] scores such as cosines times o.Scale(), raised by o.Hardness if it is set
	Positive *graph.Node // [N, C] 1 at the row's positive, one in each row; else 0
	Counted  *graph.Node // [N, C] 0 for padding, for rows without a passage and for false negatives; else 1
}

// Candidates returns the candidates of a set of terms in printing order: one value for each term,
// two for ST. The loss must need the terms.
func (e Embedded) Candidates(o Objective, terms Term) (all []Candidates) {
	if e.Logits == nil && (terms&drawsInstructions != 0 && e.Instructions == nil || o.drawsQueries(terms) && e.Queries == nil) {
		panic(fmt.Sprintf("it takes candidates of %s, but its Needs does not name all of these terms", terms))
	}
	for _, t := range terms.Split() {
		for _, b := range o.modify(t, e) {
			all = append(all, Candidates{b.hardened(), b.positive, b.counted})
		}
	}
	return all
}

// Mean is the mean of values [N] over the anchors of a batch, a scalar.
func (e Embedded) Mean(values *graph.Node) *graph.Node { return meanOf(values, e.Anchored) }

// Labels identify the texts and records of a batch, int32: equal numbers mean equal texts, or the
// same record.
type Labels struct {
	Records  *graph.Node // [N] record of each row
	Passages *graph.Node // [N]
	Pairs    *graph.Node // [N] instruction and query of each row

	Negatives    *graph.Node // [N, n] numbered with Passages
	Instructions *graph.Node // [N, C] numbered with Pairs
	Queries      *graph.Node // [N, K] likewise

	Lenders, QueryLenders *graph.Node // [N, C] and [N, K]: records of the rows that lend instruction or query
}

// blocks builds the candidates of a single term; those with a (p, iq) positive
// come first.
func (t Term) blocks(o Objective, e Embedded) []block {
	switch {
	case e.Logits != nil:
		return []block{e.gathered(o, t)}
	case t == P:
		return []block{e.passages(o, e.IQ)}
	case t == I:
		return []block{e.withOwn(o, e.Instructions, e.Counted, Labels.instructions)}
	case t == IQ && o.IQ == QueryOnly:
		return []block{e.withOwn(o, e.Queries, e.Asked, Labels.queries)}
	case t == IQ:
		return []block{e.pairs(o, e.P)}
	case t == ST:
		queries, passages := e.pairs(o, e.IQ), e.passages(o, e.P)
		passages.counted = e.withoutOwnMined(passages.counted)
		queries.self, passages.self = true, true
		return []block{queries, passages}
	case t == IP:
		return []block{e.instructionsTimesPassages(o)}
	}
	panic("training: not a single term: " + t.String())
}

// table scores row i of a with every row of b, as similarity does; row i of b is its positive.
func (o Objective) table(a, b *graph.Node, swapped bool) block {
	scores := o.similarity(a, b, swapped)
	return block{scores: scores, positive: identity(a), counted: graph.OnesLike(scores)}
}

// pairs scores row i of a with the instruction and query of every row.
func (e Embedded) pairs(o Objective, a *graph.Node) block {
	b := o.table(a, e.IQ, true)
	b.counted = e.among(b.counted)
	if l := e.Labels; l != nil {
		b.own, b.equal = same(a, l.Records, l.Records), same(a, l.Pairs, l.Pairs)
	}
	return b
}

// passages scores row i of a with the passage of every row, then with the mined negatives of
// every row.
func (e Embedded) passages(o Objective, a *graph.Node) block {
	b := e.amongPassages(o.table(a, e.P, false))
	b.counted = e.among(b.counted)
	l := e.Labels
	if l != nil {
		b.own, b.equal = same(a, l.Records, l.Records), same(a, l.Passages, l.Passages)
	}
	if e.Negatives == nil {
		return b
	}
	n, each := e.Negatives.Shape().Dim(0), e.Negatives.Shape().Dim(1)
	scores := o.similarity(a, graph.Reshape(e.Negatives, append([]int{n * each}, e.Negatives.Shape().Dimensions[2:]...)...), false)
	mined := block{scores: scores, positive: graph.ZerosLike(scores), counted: broadcastRow(graph.Reshape(e.Mined, n*each), n)}
	if e.Among != nil { // the row's own alone
		mined.counted = graph.Mul(mined.counted, graph.Reshape(broadcastLast(identity(a), each), n, n*each))
	}
	if l != nil {
		mined.own = graph.Reshape(broadcastLast(same(a, l.Records, l.Records), each), n, n*each)
		mined.equal = same(a, l.Passages, graph.Reshape(l.Negatives, n*each))
	}
	return b.extended(mined)
}

// withoutOwnMined takes candidates in the order of passages and leaves out the mined negatives of
// the row itself.
func (e Embedded) withoutOwnMined(counted *graph.Node) *graph.Node {
	if e.Negatives == nil {
		return counted
	}
	n, each := e.Negatives.Shape().Dim(0), e.Negatives.Shape().Dim(1)
	own := graph.Reshape(broadcastLast(identity(counted), each), n, n*each)
	return graph.Sub(counted, graph.Mul(counted, graph.Concatenate([]*graph.Node{graph.Zeros(own.Graph(), identity(counted).Shape()), own}, 1)))
}

// extended appends the candidates of more.
func (b block) extended(more block) block {
	join := func(x, y *graph.Node) *graph.Node {
		if x == nil {
			return nil
		}
		return graph.Concatenate([]*graph.Node{x, y}, 1)
	}
	b.scores, b.positive, b.counted = join(b.scores, more.scores), join(b.positive, more.positive), join(b.counted, more.counted)
	b.own, b.equal = join(b.own, more.own), join(b.equal, more.equal)
	return b
}

// amongPassages leaves out the columns of rows without a passage. The columns of the block must
// be the batch's passages, once or several times over.
func (e Embedded) amongPassages(b block) block {
	if e.Anchored == nil {
		return b
	}
	n, columns := b.counted.Shape().Dim(0), b.counted.Shape().Dim(1)
	each := graph.Reshape(graph.BroadcastToDims(graph.InsertAxes(e.Anchored, 0, 0), n, columns/n, n), n, columns)
	b.counted = graph.Mul(b.counted, each)
	return b
}

// among leaves out the columns of rows that a row is not contrasted with. The columns must be the
// batch's rows, once or several times over.
func (e Embedded) among(counted *graph.Node) *graph.Node {
	if e.Among == nil {
		return counted
	}
	n, columns := counted.Shape().Dim(0), counted.Shape().Dim(1)
	each := graph.Reshape(graph.BroadcastToDims(graph.ExpandAxes(e.Among, 1), n, columns/n, n), n, columns)
	return graph.Mul(counted, each)
}

// withOwn scores passage i with iq_i in column 0 and with row i of candidates after it. Only
// candidates marked in counted [N, C] take part; nil means all.
func (e Embedded) withOwn(o Objective, candidates, counted *graph.Node, labels func(Labels) (pairs, records *graph.Node)) block {
	own, others := o.perRow(e.P, e.IQ, true), o.perRow(e.P, candidates, true)
	one := graph.OnesLike(own)
	if counted == nil {
		counted = graph.OnesLike(others)
	}
	b := block{
		scores:   graph.MulScalar(graph.Concatenate([]*graph.Node{own, others}, 1), o.Scale()),
		positive: graph.Concatenate([]*graph.Node{one, graph.ZerosLike(others)}, 1),
		counted:  graph.Concatenate([]*graph.Node{one, counted}, 1),
	}
	if e.Labels != nil {
		pairs, records := labels(*e.Labels)
		b.own = graph.Concatenate([]*graph.Node{one, sameRow(own, e.Labels.Records, records)}, 1)
		b.equal = graph.Concatenate([]*graph.Node{one, sameRow(own, e.Labels.Pairs, pairs)}, 1)
	}
	return b
}

func (l Labels) instructions() (pairs, records *graph.Node) { return l.Instructions, l.Lenders }
func (l Labels) queries() (pairs, records *graph.Node)      { return l.Queries, l.QueryLenders }

// instructionsTimesPassages scores every passage with every instruction candidate of a row, the
// row's own instruction first: [N, (1+C)*N]. A candidate is own, or equal, if both of its sides
// are.
func (e Embedded) instructionsTimesPassages(o Objective) block {
	n, c := e.Counted.Shape().Dim(0), e.Counted.Shape().Dim(1)
	all := graph.Concatenate([]*graph.Node{graph.ExpandAxes(e.IQ, 1), e.Instructions}, 1)
	scores := graph.EinsumAxes(all, e.P, [][2]int{{2, 1}}, nil) // [N, 1+C, N]
	own := identity(e.P)
	counted := graph.BroadcastToDims(graph.ExpandAxes(e.Counted, 2), n, c, n)
	counted = graph.Reshape(counted, n, c*n)
	b := e.amongPassages(block{
		scores:   graph.MulScalar(graph.Reshape(scores, n, (1+c)*n), o.Scale()),
		positive: graph.Concatenate([]*graph.Node{own, graph.ZerosLike(counted)}, 1),
		counted:  graph.Concatenate([]*graph.Node{graph.OnesLike(own), counted}, 1),
	})
	b.counted = e.among(b.counted)
	if l := e.Labels; l != nil {
		times := func(instructions, passages *graph.Node) *graph.Node { // [N, C] and [N, N]
			first := graph.OnesLike(graph.Slice(passages, graph.AxisRange(), graph.AxisRange(0, 1)))
			instructions = graph.ExpandAxes(graph.Concatenate([]*graph.Node{first, instructions}, 1), 2)
			return graph.Reshape(graph.Mul(instructions, graph.ExpandAxes(passages, 1)), n, (1+c)*n)
		}
		b.own = times(sameRow(own, l.Records, l.Lenders), same(own, l.Records, l.Records))
		b.equal = times(sameRow(own, l.Pairs, l.Instructions), same(own, l.Passages, l.Passages))
	}
	return b
}

// same is 1 if label i of a equals label m of b, [N, M], in the data type of like.
func same(like, a, b *graph.Node) *graph.Node {
	n, m := a.Shape().Dim(0), b.Shape().Dim(0)
	rows, columns := graph.BroadcastToDims(graph.ExpandAxes(a, 1), n, m), graph.BroadcastToDims(graph.ExpandAxes(b, 0), n, m)
	return graph.ConvertDType(graph.Equal(rows, columns), like.DType())
}

// sameRow is 1 if label i of a equals label c of row i of b, [N, C].
func sameRow(like, a, b *graph.Node) *graph.Node {
	rows := graph.BroadcastToDims(graph.ExpandAxes(a, 1), b.Shape().Dimensions...)
	return graph.ConvertDType(graph.Equal(rows, b), like.DType())
}

// broadcastRow repeats x [M] in n rows.
func broadcastRow(x *graph.Node, n int) *graph.Node {
	return graph.BroadcastToDims(graph.ExpandAxes(x, 0), n, x.Shape().Dim(0))
}

// broadcastLast repeats each value of x [N, M] times over, [N, M, times].
func broadcastLast(x *graph.Node, times int) *graph.Node {
	return graph.BroadcastToDims(graph.ExpandAxes(x, 2), x.Shape().Dim(0), x.Shape().Dim(1), times)
}
