package training

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"

	"infbench/datasets"
	"infbench/internal/testkit"
	"infbench/training/encoder"
	"infbench/training/padding"
)

// Mean words of InF-IR's instructions, queries and passages (the paper's Table 1).
// Lengths are drawn from a lognormal distribution, as those of texts mostly are.
const (
	instructionWords = 35.57
	queryWords       = 8.06
	passageWords     = 55.2
	lengthSpread     = 0.5 // standard deviation of the logarithm
)

// paperRecords makes records whose texts have the paper's lengths.
func paperRecords(n int) []datasets.Triplet {
	rng := rand.New(rand.NewPCG(38_759, 1))
	text := func(mean float64) string {
		words := math.Exp(math.Log(mean) - lengthSpread*lengthSpread/2 + lengthSpread*rng.NormFloat64())
		var b strings.Builder
		for range max(1, int(math.Round(words))) {
			fmt.Fprintf(&b, "w%d ", rng.IntN(600))
		}
		return b.String()
	}
	var out []datasets.Triplet
	for range n {
		out = append(out, datasets.Triplet{
			InstructionPositive: text(instructionWords), InstructionNegative: text(instructionWords),
			QueryPositive: text(queryWords), QueryNegative: text(queryWords),
			Positive: text(passageWords), HardNegative1: text(passageWords), HardNegative2: text(passageWords),
		})
	}
	return out
}

// padded counts the tokens that training computes for each token that is not padding.
type padded struct {
	share     float64
	rectangle float64 // the same with each batch as one rectangle
	graphs    int     // compiled
	rehearsed int     // tokens of the largest graph, as planned
	largest   int     // tokens of the largest graph
}

// paddedShare counts the tokens of two epochs of paperRecords, laid out as on processors or as on
// a card, which uses few graphs.
func paddedShare(t testing.TB, records int, i encoder.Interaction, loss string, groups, chunk int, card bool) padded {
	t.Helper()
	data, l := paperRecords(records), parsed(t, loss)
	enc := newLong(t, data)
	c := DefaultConfig()
	c.Groups, c.Epochs, c.Chunk = groups, 2, chunk
	o, err := c.Objective()
	if err := errors.Join(err, enc.SetInteraction(i)); err != nil {
		t.Fatal(err)
	}
	sampler, err := newSampler(c, o, l, of(data))
	if err != nil {
		t.Fatal(err)
	}
	tk := newTokens(enc, "", sampler.rows, sampler.mixed() > 0)
	s := &stepper{loss: l, objective: o, config: c, encoder: enc, compiles: card, anchors: sampler.batchRows()}
	chunks := &chunked{size: chunk, stepper: s, lanes: []lane{{encoder: enc}}}
	for _, p := range s.parts() {
		chunks.lanes[0].parts = append(chunks.lanes[0].parts, lanePart{part: p})
	}
	s.program = &oneGraph{stepper: s}
	if chunk > 0 {
		s.program = &summed{gradient: chunks}
	}
	batches := c.Epochs * sampler.perEpoch()
	s.plan(tk, sampler, batches)
	tokens, computed, rectangle, largest := 0, 0, 0, 0
	graphs := map[string]bool{}
	for number := range batches {
		list, count, _ := tk.arrays([]Batch{sampler.batch(number)}, sampler.mixed())
		tokens, rectangle = tokens+count, rectangle+product(shapeOf(list[0]))
		if chunk == 0 {
			of, size := s.shapes(list[0]), 0
			for _, shape := range of {
				size += product(shape)
			}
			computed, largest = computed+size, max(largest, size)
			graphs[fmt.Sprint(of)] = true
			continue
		}
		parts, _ := chunks.split(list[0])
		for i, part := range parts {
			for _, chunk := range part {
				shape := chunk.ids.Shape().Dimensions
				computed, largest = computed+product(shape), max(largest, product(shape))
				graphs[fmt.Sprint(chunks.lanes[0].parts[i].graph, shape)] = true
			}
		}
	}
	rehearsed := s.program.most(s.lengthsOf(tk, sampler, 1, func(int) int { return s.largest })[0], tk)
	return padded{float64(computed) / float64(tokens), float64(rectangle) / float64(tokens), len(graphs), rehearsed, largest}
}

// shapes are the shapes of the groups of a batch.
func (s *stepper) shapes(a arrays) (list [][]int) {
	for _, in := range s.inputs(a) {
		if x, ok := in.(*tensors.Tensor); ok && x.DType() == dtypes.Bool {
			list = append(list, x.Shape().Dimensions)
		}
	}
	return list
}

// TestLittleIsPadded: on the paper's lengths a full-size training step computes at most 1.3
// tokens for one token of a text, with any loss and interaction, in one piece and in chunks;
// steps of an eighth of the size, whose lengths vary most, compute 1.5. Few graphs are compiled.
// On a card, where each takes long, there are one or two for steps in one piece, and at most ten
// of a kind for chunks, where each graph is two programs.
func TestLittleIsPadded(t *testing.T) {
	for _, interaction := range []encoder.Interaction{encoder.Concat, encoder.CrossAttention} {
		for i, loss := range paddedLosses {
			if i > 0 && !testkit.IsDeep() {
				break
			}
			for _, c := range []struct {
				groups, chunk int
				card          bool
				most          float64
				graphs        int // most of a kind of part
			}{{8, 0, false, 1.3, 24}, {8, 0, true, 1.3, 2}, {8, 24, false, 1.3, 24}, {8, 24, true, 1.3, 10}, {1, 0, false, 1.5, 24}} {
				got := paddedShare(t, 480, interaction, loss, c.groups, c.chunk, c.card)
				kinds := 1
				if c.chunk > 0 && interaction.Crossed() {
					kinds = 2
				}
				t.Logf("%s, %s, %+v: %.3f tokens computed for one, in %d graphs", interaction, loss, c, got.share, got.graphs)
				if !(got.share <= c.most) || got.graphs > kinds*c.graphs {
					t.Errorf("%s, %s, %+v: %.2f tokens computed for one, in %d graphs", interaction, loss, c, got.share, got.graphs)
				}
			}
		}
	}
}

// TestRareLengthsAreRehearsed: in a run with more batches than the layout is chosen from, no
// batch computes more than the rehearsed one, and the bounds for shorter runs hold.
func TestRareLengthsAreRehearsed(t *testing.T) {
	for _, c := range []struct {
		records, groups, chunk int
		card                   bool
		interaction            encoder.Interaction
		loss                   string
		most                   float64
		graphs                 int
	}{
		{6000, 8, 0, false, encoder.Concat, "multi(P,I)", 1.3, 24},
		{1800, 2, 0, false, encoder.Concat, "uni(P)", 1.5, 24},
		{1800, 2, 0, false, encoder.CrossAttention, "multi(P,I)", 1.5, 24},
		{1200, 1, 12, true, encoder.Concat, "multi(P,I)", 1.5, 12},
	} {
		if c.records > 1500 && !testkit.IsDeep() {
			continue
		}
		got := paddedShare(t, c.records, c.interaction, c.loss, c.groups, c.chunk, c.card)
		t.Logf("%+v: %+v", c, got)
		if got.largest == 0 || got.largest > got.rehearsed {
			t.Errorf("%+v: a graph of %d tokens, and %d are rehearsed", c, got.largest, got.rehearsed)
		}
		if !(got.share <= c.most) || got.graphs > c.graphs {
			t.Errorf("%+v: %.2f tokens computed for one, in %d graphs", c, got.share, got.graphs)
		}
	}
}

// paddedLosses embed other texts in addition to passages and anchors.
var paddedLosses = []string{"uni(P)", "uni(I)", "uni(P,IQ)", "multi(P,I)", "multi(P,I,IQ)"}

// BenchmarkPadding counts the tokens that training computes on the paper's lengths for one token
// of a text, and the tokens with one rectangle per batch, as before groups.
func BenchmarkPadding(b *testing.B) {
	for _, loss := range paddedLosses {
		for name, c := range map[string]struct {
			chunk int
			card  bool
		}{"chunk=0": {0, false}, "chunk=0/card": {0, true}, "chunk=24": {24, false}, "chunk=24/card": {24, true}} {
			b.Run(loss+"/"+name, func(b *testing.B) {
				var got padded
				for b.Loop() {
					got = paddedShare(b, 480, encoder.Concat, loss, 8, c.chunk, c.card)
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(got.share, "computed/token")
				b.ReportMetric(got.rectangle, "rectangle/token")
				b.ReportMetric(float64(got.graphs), "graphs")
			})
		}
	}
}

// TestGroupsAreTheWholeBatch compares loss and gradient of batches laid out in several groups and
// in one, for every family, way of encoding and kind of weights: to 1e-5 of the gradient's
// length, as TestBucketsAreRounding does.
func TestGroupsAreTheWholeBatch(t *testing.T) {
	data := paperRecords(8)
	for i := range data { // colours' encoders have 64 positions
		for _, text := range []*string{&data[i].Positive, &data[i].HardNegative1, &data[i].HardNegative2, &data[i].InstructionPositive, &data[i].InstructionNegative} {
			words := strings.Fields(*text)
			*text = strings.Join(words[:min(len(words), 44)], " ")
		}
	}
	c := toyConfig()
	c.RowsPerGroup, c.Temperature = 6, new(0.5)
	check := func(where string, c Config, enc *encoder.Encoder) {
		t.Helper()
		p := newProbe(t, c, parsed(t, "multi(P,I)"), enc, data)
		want, exact := p.gradients(t)
		s := p.sum.gradient.(*undivided).stepper
		var l padding.Level
		for part := range s.parts() {
			var of [][]int
			for _, b := range p.batches {
				of = append(of, s.lengths(b.sequences)[part])
			}
			e := padding.Envelope(of)
			l = append(l, padding.Plan{{Rows: 1, Length: e[0]}, {Rows: 2, Length: e[1]}, {Rows: len(e) - 2, Length: e[3]}}) // with room for one more
		}
		s.levels = []padding.Level{l}
		if shapes := s.shapes(p.batches[0]); len(shapes) != 3*len(s.parts()) {
			t.Fatalf("%s: groups %v, want several a part", where, shapes)
		}
		got, grouped := p.gradients(t)
		near(t, where+": loss", got, want, 2e-6, 0)
		size := length(slices.Concat(exact...))
		near(t, where+": distance of gradients", distance(slices.Concat(grouped...), slices.Concat(exact...)), 0, 0, 1e-5*size)
	}
	for _, kind := range []string{"bert", "mpnet", "modernbert", "llama", "t5"} {
		check(kind, c, newLike(t, kind, data))
	}
	for _, side := range []encoder.Edge{encoder.Left, encoder.Right} {
		enc := paddedOn(t, newLike(t, "llama", data), side)
		if err := enc.SetInteraction(encoder.CrossAttention); err != nil {
			t.Fatal(err)
		}
		check(fmt.Sprintf("llama, cross-attention, padded on the %s", side), c, enc)
	}
	for _, interaction := range encoder.Interactions() {
		for _, separate := range []bool{false, true} {
			enc := designed(t, data, encoder.Interaction(interaction), separate)
			check(fmt.Sprintf("%s, separate %t", interaction, separate), c, enc)
		}
	}
	c.Checkpointing, c.Accumulate = true, 2
	check("checkpointing and two batches", c, newLike(t, "bert", data))
}

// paddedOn returns enc with padding on a side.
func paddedOn(t testing.TB, enc *encoder.Encoder, side encoder.Edge) *encoder.Encoder {
	t.Helper()
	c := enc.Config()
	c.Text.PaddingSide = side
	padded, err := encoder.New(c, enc.Tokenizer(), 1, enc.Backend())
	if err != nil {
		t.Fatal(err)
	}
	return padded
}

// newLong is a small encoder that reads texts of up to 512 tokens.
func newLong(t testing.TB, data []datasets.Triplet) *encoder.Encoder {
	t.Helper()
	small := newEncoder(t, data)
	c := small.Config()
	c.MaxPositionEmbeddings, c.Text.MaxQuery, c.Text.MaxDocument = 512, 512, 512
	enc, err := encoder.New(c, small.Tokenizer(), 1, small.Backend())
	if err != nil {
		t.Fatal(err)
	}
	return enc
}
