package training

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
)

// own is a loss as another program would write it.
type own struct {
	name, version string
	needs         Term
	graph         func(Objective, Embedded) *graph.Node
}

func (l own) Name() string                              { return l.name }
func (l own) Version() string                           { return l.version }
func (l own) Needs() Term                               { return l.needs }
func (l own) Graph(o Objective, e Embedded) *graph.Node { return l.graph(o, e) }

// hinge is a margin of half a cosine to the hardest negative of some terms.
func hinge(needs Term) own {
	return own{"hinge", "1", needs, func(o Objective, e Embedded) *graph.Node {
		var positive, hardest *graph.Node
		for _, c := range e.Candidates(o, needs) {
			positive = graph.ReduceSum(graph.Mul(c.Scores, c.Positive), 1)
			negatives := graph.Sub(c.Counted, c.Positive)
			most := graph.ReduceMax(graph.Add(c.Scores, graph.MulScalar(graph.OneMinus(negatives), -1e9)), 1)
			if hardest != nil {
				most = graph.Max(hardest, most)
			}
			hardest = most
		}
		return e.Mean(graph.MaxScalar(graph.AddScalar(graph.Sub(hardest, positive), 0.5*o.Scale()), 0.0))
	}}
}

// plainHinge is hinge in float64 loops, over rows with a passage.
func plainHinge(needs Term, o Objective, b plainBatch) float64 {
	cosine := func(x, y []float64) float64 { return dot(x, y) / math.Sqrt(dot(x, x)*dot(y, y)) }
	has := func(m int) bool { return b.anchored == nil || b.anchored[m] }
	total, anchors := 0.0, 0.0
	for i := range b.p {
		if !has(i) {
			continue
		}
		hardest := math.Inf(-1)
		for m := range b.p {
			if m != i && has(m) && needs&P != 0 {
				hardest = max(hardest, cosine(b.p[m], b.iq[i]))
			}
		}
		for j, on := range b.counted[i] {
			if on && needs&I != 0 {
				hardest = max(hardest, cosine(b.p[i], b.instructions[i][j]))
			}
		}
		anchors++
		total += max(0, 0.5+hardest-cosine(b.p[i], b.iq[i])) * o.Scale()
	}
	return total / anchors
}

// The value of a loss of another program, and each component of its gradient, match its formula.
func TestOwnLossAsWritten(t *testing.T) {
	be := openBackend(t)
	rng := rand.New(rand.NewPCG(3, 1))
	for _, odd := range []string{"", "none counts", "rows without a passage"} {
		for _, needs := range []Term{P, I, P | I} {
			for range 4 {
				b, o := randomPlain(rng, odd), Objective{Temperature: []float64{0.05, 1}[rng.IntN(2)], IQ: Pair}
				where := fmt.Sprintf("%s hinge over %s of %d rows, %+v", odd, needs, len(b.p), o)
				plain := func() float64 { return plainHinge(needs, o, b) }
				got := built(t, be, hinge(needs), o, b)
				near(t, where, got.loss, plain(), 1e-5, 4*0x1p-23*o.Scale())
				checkSlopes(t, where, plain, o, b, got.gradient)
			}
		}
	}
}

// A loss of another program that computes a built-in loss trains to the same bytes, with any
// other settings.
func TestOwnLossTrainsLikeABuiltIn(t *testing.T) {
	l := parsed(t, "multi(P,I)")
	same := own{"same", "1", l.Terms, l.Graph}
	for name, set := range map[string]func(*Config){
		"whole":       func(*Config) {},
		"chunks":      func(c *Config) { c.Chunk = 9 },
		"accumulated": func(c *Config) { c.Accumulate = 2 },
		"modified": func(c *Config) {
			c.FalseNegatives.Guide, c.Hardness.Alpha, c.Focal, c.Spread = Self, 2, 1, 0.5
			c.Matryoshka = Matryoshka{Dims: []int{16, 8}}
		},
	} {
		c := toyConfig()
		c.Epochs = 1
		set(&c)
		want, builtIn := trained(t, c, l, Options{})
		got, sum := trained(t, c, same, Options{})
		if got != want {
			t.Errorf("%s: the weights differ", name)
		}
		if last := len(sum.Curve) - 1; sum.Curve[last].Loss != builtIn.Curve[last].Loss || len(sum.Curve[last].Terms) != 0 {
			t.Errorf("%s: last step %+v, want %+v without terms", name, sum.Curve[last], builtIn.Curve[last])
		}
	}
}

// Mistakes in a loss of another program return an error, and another version of the loss does not
// continue a checkpoint.
func TestOwnLossRefused(t *testing.T) {
	data := colours(24)
	enc := newEncoder(t, data)
	for part, l := range map[string]Loss{
		"no loss": nil,
		`loss "a loss": its name must be a letter`:                            own{name: "a loss", version: "1"},
		`loss "uni": its name must be`:                                        own{name: "uni", version: "1"},
		`loss hinge: its version "" may have only letters`:                    own{name: "hinge"},
		"it needs terms that do not exist":                                    own{name: "hinge", version: "1", needs: 1 << 7},
		"loss flat@1: Graph returns (Float32)[12, 16], want a scalar Float32": own{"flat", "1", P, func(_ Objective, e Embedded) *graph.Node { return e.P }},
		"loss none@1: Graph returns nothing":                                  own{"none", "1", P, func(Objective, Embedded) *graph.Node { return nil }},
		"loss greedy@1: it takes candidates of P,I, but its Needs does not":   own{"greedy", "1", P, hinge(P | I).graph},
		"loss broken@1: runtime error: index out of range":                    own{"broken", "1", 0, func(_ Objective, e Embedded) *graph.Node { return []*graph.Node{}[len(e.P.Shape().Dimensions)] }},
		"loss NaN": own{"nan", "1", 0, func(_ Objective, e Embedded) *graph.Node {
			return graph.Log(graph.MulScalar(graph.ReduceAllSum(graph.Square(e.P)), -1))
		}},
	} {
		if _, err := Train(t.Context(), toyConfig(), l, enc, of(data), Options{}); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("want an error with %q, got %v", part, err)
		}
	}
	c, dir := toyConfig(), t.TempDir()
	c.Epochs = 1
	trained(t, c, hinge(P), Options{Checkpoint: dir})
	next := hinge(P)
	next.version = "2"
	if _, err := Train(t.Context(), c, next, newEncoder(t, data), of(data), Options{Checkpoint: dir}); err == nil || !strings.Contains(err.Error(), "different training configuration or loss") {
		t.Errorf("another version continues a checkpoint: %v", err)
	}
}

func TestRegister(t *testing.T) {
	t.Cleanup(func() { registered = nil })
	for part, losses := range map[string][]Loss{
		"two losses have the name hinge": {hinge(P), hinge(I)},
		"no loss":                        {nil},
		"its version":                    {hinge(P), own{name: "other"}},
		"its name must be":               {own{name: "uni(P)", version: "1"}},
	} {
		if err := Register(losses...); err == nil || !strings.Contains(err.Error(), part) || registered != nil {
			t.Errorf("Register: %v, want an error with %q", err, part)
		}
	}
	if err := Register(hinge(P)); err != nil {
		t.Fatal(err)
	}
	if err := Register(own{name: "other", version: "1"}); err == nil {
		t.Error("losses are registered twice")
	}
	for _, name := range []string{"hinge", " hinge@1"} {
		if l, err := ParseLoss(name); err != nil || NameOf(l) != "hinge@1" || PlainName(l) != "hinge@1" {
			t.Errorf("ParseLoss(%q) = %v, %v", name, l, err)
		}
	}
	for name, part := range map[string]string{
		"hinge@2": `did you mean "hinge@1"? (known: uni:P, `,
		"margin":  `multi:P+I+IQ, hinge@1); a custom loss works only in the program`,
	} {
		if _, err := ParseLoss(name); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("ParseLoss(%q): %v, want an error with %q", name, err, part)
		}
	}
	if known := KnownLosses(); len(known) != 12 || NameOf(known[11]) != "hinge@1" {
		t.Errorf("known losses: %v", known)
	}
}
