package encoder

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
)

// Crossing is the attention of an instruction's tokens to a query's tokens, if both are encoded
// separately, with the interaction's weights, if it has any (Interaction).
type Crossing struct{ e *Encoder }

// Crossing returns the model's; it is undefined unless instructions are encoded separately.
func (e *Encoder) Crossing() Crossing { return Crossing{e} }

// Attending computes the vectors with which the hidden states of instructions [B,L,D] attend;
// Vectors takes them. With learned projections it costs time once per text, however many queries
// the text is paired with.
func (c Crossing) Attending(instructions *graph.Node) *graph.Node {
	// (H_I W_i)(H_Q W_q1)^T = (H_I W_i W_q1^T) H_Q^T
	return c.learnedTransposed(keyLayer, c.learned(instructionLayer, instructions))
}

// Vectors builds the vectors [B,Width] of queries whose instructions attend to them, given
// Attending of instructions [B,L,D], the hidden states of queries [B,M,D] and the masks of both.
// Masks are always correct, whatever eval_mask is.
func (c Crossing) Vectors(attending, instructionMask, queries, queryMask *graph.Node) *graph.Node {
	return c.vectors(attending, instructionMask, queries, queryMask, 0)
}

// vectors is Vectors with queries in rows of padded tokens; see attention.
func (c Crossing) vectors(attending, instructionMask, queries, queryMask *graph.Node, padded int) *graph.Node {
	if c.e.config.Text.Interaction.pooled() {
		pool := func(x, mask *graph.Node) *graph.Node {
			return graph.InsertAxes(Pool(c.e.config.Text.Pooling, x, mask), 1)
		}
		attending, queries = pool(attending, instructionMask), pool(queries, queryMask)
		one := graph.OnesLike(graph.ConvertDType(graph.Slice(asBool(queryMask), graph.AxisRange(), graph.AxisElem(0)), dtypes.Int32))
		instructionMask, queryMask, padded = one, one, 0
	}
	// W_q2 is applied to the mean of the values' sums, which equals the mean of the sums of
	// projected values.
	return c.e.network(Queries, queries.Graph()).finish(c.learned(valueLayer, attention(attending, instructionMask, queries, queryMask, padded)))
}

// attention is the mean over instruction tokens of their attention to query tokens, [B,D]. With
// padded > 0 each query is a row of that many tokens, whose padding has score 0 and value 0.
func attention(instructions, instructionMask, queries, queryMask *graph.Node, padded int) *graph.Node {
	g, width := queries.Graph(), queries.Shape().Dim(2)
	scores := graph.DotGeneral(instructions, []int{2}, []int{0}, queries, []int{2}, []int{0}) // [B,L,M]
	scores = graph.MulScalar(scores, 1/math.Sqrt(float64(width)))
	scores = graph.Add(scores, graph.InsertAxes(barred(asBool(queryMask)), 1))
	peak := graph.InsertAxes(graph.ReduceMax(scores, -1), -1) // [B,L,1]
	var padding *graph.Node                                   // tokens that a query lacks up to padded, [B,1,1]
	if padded > 0 {
		present := graph.ReduceSum(graph.ConvertDType(asBool(queryMask), dtypes.Float32), 1)
		padding = graph.InsertAxes(graph.Sub(graph.Scalar(g, dtypes.Float32, padded), present), -1, -1)
		padding = graph.BroadcastToShape(padding, peak.Shape())
		zero := graph.ZerosLike(padding)
		peak = graph.Where(graph.GreaterThan(padding, zero), graph.Max(peak, zero), peak)
	}
	peak = graph.StopGradient(peak)
	shares := graph.Exp(graph.Sub(scores, peak))
	total := graph.InsertAxes(graph.ReduceSum(shares, -1), -1)
	if padded > 0 {
		total = graph.Add(total, graph.Mul(padding, graph.Exp(graph.Neg(peak))))
	}
	// The mean of the products is the product of the mean.
	weights := Pool(Mean, graph.Div(shares, total), instructionMask) // [B,M]
	return graph.DotGeneral(weights, []int{1}, []int{0}, queries, []int{1}, []int{0})
}

// pairs builds the vectors of rows that hold an instruction in the left half and a query in the
// right half; segment 1 marks tokens, 0 padding.
func (c Crossing) pairs(in input) *graph.Node {
	half := in.ids.Shape().Dim(1) / 2
	rows := in.ids.Shape().Dim(0)
	halves := func(x *graph.Node) *graph.Node { // [2B,S/2], instructions first
		left := graph.Slice(x, graph.AxisRange(), graph.AxisRangeFromStart(half))
		right := graph.Slice(x, graph.AxisRange(), graph.AxisRangeToEnd(half))
		return graph.Concatenate([]*graph.Node{left, right}, 0)
	}
	ids, mask := halves(in.ids), asBool(halves(in.types))
	states := c.e.HiddenStates(ids.Graph(), ids, mask, nil)
	instruction := func(x *graph.Node) *graph.Node { return graph.Slice(x, graph.AxisRangeFromStart(rows)) }
	query := func(x *graph.Node) *graph.Node { return graph.Slice(x, graph.AxisRangeToEnd(rows)) }
	return c.vectors(c.Attending(instruction(states)), instruction(mask), query(states), query(mask), c.e.config.Text.padded())
}

// encode is EncodeQueries if instruction and query are encoded separately. Without an instruction
// there is nothing to attend from: the vector is the vector of the query alone, pooled like a
// document.
func (c Crossing) encode(ctx context.Context, queries, instructions []string, dst []float32) error {
	e := c.e
	if e.tokens.tokenizer == nil {
		return errNoTokenizer
	}
	if len(dst) != len(queries)*e.Dim() {
		return fmt.Errorf("dst has %d values, %d vectors of %d need %d", len(dst), len(queries), e.Dim(), len(queries)*e.Dim())
	}
	var alone, crossed selection
	for i, query := range queries {
		if err := ctx.Err(); err != nil {
			return err
		}
		ids := e.tokens.Query(query, "")
		if strings.TrimSpace(instructions[i]) == "" {
			alone.add(i, sequence{ids: ids})
		} else {
			instruction := e.tokens.Instruction(instructions[i])
			half := lengthOn(e.backend, max(len(instruction), len(ids)), e.config.Text.MaxQuery)
			crossed.add(i, e.tokens.crossed(instruction, ids, half))
		}
	}
	for _, s := range []struct {
		selection
		by *batched
	}{{alone, e.passes.of(Queries, e.params.separate)}, {crossed, &e.passes.pairs}} {
		if err := s.run(ctx, s.by, dst); err != nil {
			return err
		}
	}
	return nil
}

// selection is a subset of the sequences of a call, with their indices in it.
type selection struct {
	places    []int
	sequences []sequence
}

func (s *selection) add(place int, q sequence) {
	s.places, s.sequences = append(s.places, place), append(s.sequences, q)
}

// run writes vectors to their places in dst.
func (s *selection) run(ctx context.Context, by *batched, dst []float32) error {
	out := make([]float32, len(s.places)*by.width)
	if err := by.run(ctx, s.sequences, out); err != nil {
		return err
	}
	for k, place := range s.places {
		copy(dst[place*by.width:(place+1)*by.width], out[k*by.width:])
	}
	return nil
}
