package training

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"infbench/internal/testkit"
	"infbench/training/encoder"
)

// beyond reads a file of goldens-beyond into v.
func beyond(t *testing.T, name string, v any) {
	t.Helper()
	readGolden(t, filepath.Join(testkit.SharedPath(t, "goldens-beyond"), name), v)
}

// array is an input of a graph with its dimensions.
type array struct {
	values []float64
	dims   []int
}

// arrayOf flattens a rectangle.
func arrayOf(rows [][]float64) array {
	return array{slices.Concat(rows...), []int{len(rows), len(rows[0])}}
}

// cubeOf flattens a block.
func cubeOf(rows [][][]float64) array {
	flat := arrayOf(slices.Concat(rows...))
	return array{flat.values, []int{len(rows), len(rows[0]), flat.dims[1]}}
}

// outcomes are the values of a graph and the gradient of the first by each input.
type outcomes struct {
	values    []float64
	gradients [][]float64
}

// computed runs a graph in one data type. The first value that it builds must be a scalar.
func computedIn[F float32 | float64](t *testing.T, be compute.Backend, in []array, build func(in []*graph.Node) []*graph.Node) (o outcomes) {
	t.Helper()
	exec, err := graph.NewExec(be, func(in []*graph.Node) []*graph.Node {
		out := build(in)
		return append(graph.Gradient(out[0], in...), out...)
	})
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	var given []any
	for _, a := range in {
		flat := make([]F, len(a.values))
		for i, x := range a.values {
			flat[i] = F(x)
		}
		given = append(given, tensors.FromFlatDataAndDimensions(flat, a.dims...))
	}
	out, err := exec.Call(given...)
	if err != nil {
		t.Fatal(err)
	}
	for i, of := range out {
		var list []float64
		for _, x := range tensors.MustCopyFlatData[F](of) {
			list = append(list, float64(x))
		}
		if i < len(in) {
			o.gradients = append(o.gradients, list)
		} else {
			o.values = append(o.values, list...)
		}
	}
	return o
}

// inBoth compares a graph in float64 and in float32 with values and with the gradient of the first
// by each input; nil: it is not compared. Tolerances are those of goldens-beyond/README.md.
func inBoth(t *testing.T, be compute.Backend, where string, in []array, build func(in []*graph.Node) []*graph.Node, values []float64, gradients [][]float64) {
	t.Helper()
	for _, way := range []struct {
		name        string
		off, slopes float64
		o           outcomes
	}{
		{"float64", 1e-9, 1e-9, computedIn[float64](t, be, in, build)},
		{"float32", 1e-5, 1e-4, computedIn[float32](t, be, in, build)},
	} {
		for i, want := range values {
			near(t, fmt.Sprintf("%s in %s, value %d", where, way.name, i), way.o.values[i], want, 0, way.off*max(1, math.Abs(want)))
		}
		largest := 0.0
		for _, list := range gradients {
			for _, x := range list {
				largest = max(largest, math.Abs(x))
			}
		}
		for i, list := range gradients {
			if len(list) != len(way.o.gradients[i]) {
				t.Fatalf("%s: %d slopes of input %d, want %d", where, len(way.o.gradients[i]), i, len(list))
			}
			for k, want := range list {
				near(t, fmt.Sprintf("%s in %s, slope %d of input %d", where, way.name, k, i), way.o.gradients[i][k], want, 0, way.slopes*largest)
			}
		}
	}
}

// constant puts numbers into a graph in the data type of like.
func constant(like *graph.Node, rows any) *graph.Node {
	return graph.ConvertDType(graph.Const(like.Graph(), rows), like.DType())
}

// padded64 lays lists of different lengths out as a block: [N, C] values, the first positive, and
// what counts.
func padded64(lists [][]float64) (values [][]float64, counted [][]float64) {
	most := 0
	for _, list := range lists {
		most = max(most, len(list))
	}
	for _, list := range lists {
		on := make([]float64, most)
		for c := range list {
			on[c] = 1
		}
		values, counted = append(values, append(slices.Clone(list), make([]float64, most-len(list))...)), append(counted, on)
	}
	return values, counted
}

// goldenTerms is terms.json: seven scorers under every loss.
type goldenTerms struct {
	Format      string
	Instruction []int
	Query       []int
	Record      []int32
	Candidates  map[string]map[string][][]int
	Inputs      struct {
		Vectors, Sparse struct {
			P  [][]float64
			IQ [][][]float64 `json:"iq"`
		}
		Tokens struct {
			P     [][][]float64
			Mask  [][]int `json:"p_mask"`
			IQ    [][][][]float64
			Asked [][][]int `json:"iq_mask"`
		}
		Logits [][][]float64
	}
	Tables map[string][][][]float64
	Cases  []termsCase
}

type termsCase struct {
	Loss, Candidates string
	Score            Score
	Objective        struct {
		Temperature, Bias float64
		Duplicates        Duplicates
		Weights           Weighting
		K                 int
	}
	Value float64
	Rows  []float64    `json:"per_row"`
	Grad  [][4]float64 `json:"grad_z"`
}

// TestTermsGolden checks value, rows and gradient of the terms P, I and IQ under every score.
func TestTermsGolden(t *testing.T) {
	var g goldenTerms
	beyond(t, "terms.json", &g)
	if g.Format != "golden-terms-v1" || len(g.Cases) == 0 {
		t.Fatalf("format %q with %d cases", g.Format, len(g.Cases))
	}
	be := openBackend(t)
	compared := map[Score]int{}
	for _, c := range g.Cases {
		g.check(t, be, c)
		compared[c.Score]++
	}
	t.Logf("%d cases read, compared %v, skipped 0", len(g.Cases), compared)
}

// scored returns the inputs of a score, token by token: passages, then the 16 pairs of
// instruction and query. A single vector is one token.
func (g goldenTerms) scored(s Score) (passages, pairs [][][]float64, counted, asked [][]bool) {
	one := func(rows [][]float64) (out [][][]float64, on [][]bool) {
		for _, v := range rows {
			out, on = append(out, [][]float64{v}), append(on, []bool{true})
		}
		return out, on
	}
	switch {
	case s.OfTokens():
		passages, pairs = g.Inputs.Tokens.P, slices.Concat(g.Inputs.Tokens.IQ...)
		for _, row := range g.Inputs.Tokens.Mask {
			counted = append(counted, bools(row))
		}
		for _, row := range slices.Concat(g.Inputs.Tokens.Asked...) {
			asked = append(asked, bools(row))
		}
		return passages, pairs, counted, asked
	case s == encoder.SparseScore:
		passages, counted = one(g.Inputs.Sparse.P)
		pairs, asked = one(slices.Concat(g.Inputs.Sparse.IQ...))
	default:
		passages, counted = one(g.Inputs.Vectors.P)
		pairs, asked = one(slices.Concat(g.Inputs.Vectors.IQ...))
	}
	return passages, pairs, counted, asked
}

func bools(list []int) (out []bool) {
	for _, x := range list {
		out = append(out, x != 0)
	}
	return out
}

// table is [passage][4*instruction+query] in loops, not scaled. For a score of pairs it is the
// file's.
func (g goldenTerms) table(s Score) (table [][]float64) {
	if s.OfPairs() {
		for _, of := range g.Inputs.Logits {
			row := slices.Concat(of...)
			for i, x := range row {
				if s == encoder.ProbabilityScore {
					row[i] = plainSigmoid(x)
				}
			}
			table = append(table, row)
		}
		return table
	}
	passages, pairs, counted, asked := g.scored(s)
	for m, p := range passages {
		var row []float64
		for k, iq := range pairs {
			if !isUnscaled(s) {
				p, iq = plainUnits(p), plainUnits(iq)
			}
			row = append(row, maxims{mean: s == encoder.MeanMaxSimScore}.score(iq, p, asked[k], counted[m]))
		}
		table = append(table, row)
	}
	return table
}

// isUnscaled reports whether a score takes vectors as they are.
func isUnscaled(s Score) bool { return s == encoder.DotScore || s == encoder.SparseScore }

// lists are the scores of each row's candidates in a term, the positive first.
func (g goldenTerms) lists(table [][]float64, of map[string][][]int, t Term, temperature float64) (lists [][]float64, places [][][2]int) {
	for i, rows := range of[t.String()] {
		var list []float64
		var at [][2]int
		for _, c := range rows {
			m, a, b := i, g.Instruction[i], g.Query[i]
			switch t {
			case P:
				m = c
			case I:
				a = g.Instruction[c]
			case IQ:
				a, b = g.Instruction[c], g.Query[c]
			}
			list, at = append(list, table[m][4*a+b]/temperature), append(at, [2]int{m, 4*a + b})
		}
		lists, places = append(lists, list), append(places, at)
	}
	return lists, places
}

// plainly is the loss of a case in loops.
func (g goldenTerms) plainly(t *testing.T, c termsCase) (sum float64) {
	t.Helper()
	l, table := parsed(t, c.Loss), g.table(c.Score)
	joined := make([][]float64, len(g.Record))
	for _, term := range l.Terms.Split() {
		lists, _ := g.lists(table, g.Candidates[c.Candidates], term, c.Objective.Temperature)
		for i, list := range lists {
			if joined[i] != nil && c.Objective.Duplicates != Keep {
				list = list[1:]
			}
			joined[i] = append(joined[i], list...)
		}
		switch l.Form {
		case Uni:
			sum += plainLists(lists)
		case Pairwise:
			sum += lambda{weights: c.Objective.Weights, k: c.Objective.K, mu: 10, sigma: 1}.loss(lists, oneFirst(lists))
		}
	}
	switch l.Form {
	case Multi:
		return plainLists(joined)
	case Sig:
		return plainSig(joined, c.Objective.Bias)
	}
	return sum
}

// oneFirst are the grades of lists whose first candidate alone is relevant.
func oneFirst(lists [][]float64) (grades [][]float64) {
	for _, list := range lists {
		grades = append(grades, append([]float64{1}, make([]float64, len(list)-1)...))
	}
	return grades
}

// objective is that of a case.
func (c termsCase) objective() Objective {
	o := c.Objective
	if o.Duplicates == "" {
		o.Duplicates = Mask
	}
	return Objective{Score: c.Score, Temperature: o.Temperature, Bias: o.Bias, Duplicates: o.Duplicates, IQ: Pair, Couples: Couples{Weights: o.Weights, K: o.K}}
}

func (g goldenTerms) check(t *testing.T, be compute.Backend, c termsCase) {
	t.Helper()
	where := fmt.Sprintf("%s, %s, %s %+v", c.Loss, c.Score, c.Candidates, c.Objective)
	l, o, n := parsed(t, c.Loss), c.objective(), len(g.Record)
	table := g.table(c.Score)
	for m, of := range g.Tables[string(c.Score)] {
		for k, want := range slices.Concat(of...) {
			near(t, fmt.Sprintf("%s: score of passage %d with pair %d", where, m, k), table[m][k], want, 0, 1e-9*max(1, math.Abs(want)))
		}
	}
	near(t, where+" in loops", g.plainly(t, c), c.Value, 0, 1e-9*max(1, math.Abs(c.Value)))

	var in []array
	var embedded func(in []*graph.Node) Embedded
	var gradients [][]float64
	if c.Score.OfPairs() {
		in, embedded = g.ofPairs(l, c)
		slopes := make([]float64, len(in[0].values))
		for _, at := range c.Grad {
			s := 1.0
			if c.Score == encoder.ProbabilityScore {
				p := table[int(at[0])][int(4*at[1]+at[2])]
				s = p * (1 - p)
			}
			slopes[int(16*at[0]+4*at[1]+at[2])] = at[3] * s / o.Temperature
		}
		gradients = [][]float64{slopes}
	} else {
		in, embedded = g.ofTexts(c)
		gradients = g.slopes(c)
	}
	rows := func(e Embedded, like *graph.Node) (out []*graph.Node) {
		if c.Rows == nil {
			return nil
		}
		for i := range n {
			one := make([]float64, n)
			one[i] = 1
			loss, _ := l.over(o, constant(like, one), func(t Term) []block { return o.modify(t, e) })
			out = append(out, loss)
		}
		return out
	}
	inBoth(t, be, where, in, func(in []*graph.Node) []*graph.Node {
		e := embedded(in)
		return append([]*graph.Node{l.Graph(o, e)}, rows(e, in[0])...)
	}, append([]float64{c.Value}, c.Rows...), gradients)
}

// ofPairs gives the graph the scores of all pairs and places among them.
func (g goldenTerms) ofPairs(l Contrastive, c termsCase) ([]array, func(in []*graph.Node) Embedded) {
	flat := []float64{}
	for _, of := range g.Inputs.Logits {
		flat = append(flat, slices.Concat(of...)...)
	}
	zeros := make([][]float64, len(g.Record))
	for m := range zeros {
		zeros[m] = make([]float64, 16)
	}
	return []array{{flat, []int{len(flat)}}}, func(in []*graph.Node) Embedded {
		e := Embedded{Logits: in[0], Lists: map[Term]TermList{}}
		for _, term := range l.Terms.Split() {
			lists, places := g.lists(zeros, g.Candidates[c.Candidates], term, 1)
			_, counted := padded64(lists)
			index := make([][]int32, len(places))
			for i, row := range places {
				for k := range counted[i] {
					at := row[0]
					if k < len(row) {
						at = row[k]
					}
					index[i] = append(index[i], int32(16*at[0]+at[1]))
				}
			}
			e.Lists[term] = TermList{Index: graph.Const(in[0].Graph(), index), Counted: constant(in[0], counted)}
		}
		return e
	}
}

// ofTexts gives the graph the vectors of passages and of pairs, as training arranges them.
func (g goldenTerms) ofTexts(c termsCase) ([]array, func(in []*graph.Node) Embedded) {
	passages, pairs, counted, asked := g.scored(c.Score)
	single := !c.Score.OfTokens()
	p, iq := cubeOf(passages), cubeOf(pairs)
	if single {
		p.dims, iq.dims = []int{p.dims[0], p.dims[2]}, []int{iq.dims[0], iq.dims[2]}
	}
	lists := g.Candidates[c.Candidates]
	return []array{p, iq}, func(in []*graph.Node) Embedded {
		in = slices.Clone(in)
		for i, masks := range [][][]bool{counted, asked} {
			if !isUnscaled(c.Score) {
				in[i] = graph.L2Normalize(in[i], -1)
			}
			if !single {
				in[i] = withMask(in[i], masks)
			}
		}
		pick := func(of func(i, j int) int, columns int) *graph.Node {
			index := make([][]int32, len(g.Record))
			for i := range index {
				for j := range columns {
					index[i] = append(index[i], int32(of(i, j)))
				}
			}
			return graph.Gather(in[1], graph.InsertAxes(graph.Const(in[0].Graph(), index), -1))
		}
		n := len(g.Record)
		others := make([][]float64, n)
		among := make([][]float64, n)
		for i := range others {
			others[i], among[i] = make([]float64, n), make([]float64, n)
			for _, j := range lists["I"][i][1:] {
				others[i][j] = 1
			}
			for _, j := range lists["P"][i] {
				among[i][j] = 1
			}
		}
		e := Embedded{
			P:            in[0],
			IQ:           graph.Squeeze(pick(func(i, _ int) int { return 4*g.Instruction[i] + g.Query[i] }, 1), 1),
			Instructions: pick(func(i, j int) int { return 4*g.Instruction[j] + g.Query[i] }, n),
			Counted:      constant(in[0], others),
		}
		if c.Candidates != "all" {
			e.Among = constant(in[0], among)
		}
		return e
	}
}

// withMask appends to each token vector whether it counts.
func withMask(x *graph.Node, masks [][]bool) *graph.Node {
	on := make([][][]float64, len(masks))
	for i, row := range masks {
		for _, is := range row {
			on[i] = append(on[i], []float64{float64(indicator(is))})
		}
	}
	return graph.Concatenate([]*graph.Node{x, constant(x, on)}, -1)
}

// slopes turns the gradient by z into that by the vectors of passages and pairs.
func (g goldenTerms) slopes(c termsCase) [][]float64 {
	passages, pairs, counted, asked := g.scored(c.Score)
	at := func(list [][][]float64) (units, slopes [][][]float64) {
		for _, rows := range list {
			zeros := make([][]float64, len(rows))
			for i := range zeros {
				zeros[i] = make([]float64, len(rows[0]))
			}
			slopes = append(slopes, zeros)
			if !isUnscaled(c.Score) {
				rows = plainUnits(rows)
			}
			units = append(units, rows)
		}
		return units, slopes
	}
	p, dp := at(passages)
	iq, diq := at(pairs)
	for _, of := range c.Grad {
		m, k := int(of[0]), int(4*of[1]+of[2])
		for _, piece := range (maxims{mean: c.Score == encoder.MeanMaxSimScore}).pieces(iq[k], p[m], asked[k], counted[m]) {
			by := of[3] * piece.w / c.Objective.Temperature
			for d := range p[m][piece.passage] {
				dp[m][piece.passage][d] += by * iq[k][piece.query][d]
				diq[k][piece.query][d] += by * p[m][piece.passage][d]
			}
		}
	}
	if !isUnscaled(c.Score) {
		for _, of := range []struct{ raw, units, slopes [][][]float64 }{{passages, p, dp}, {pairs, iq, diq}} {
			for m := range of.raw {
				for b, v := range of.raw[m] {
					along, length := dot(of.slopes[m][b], of.units[m][b]), math.Sqrt(dot(v, v))
					for d := range v {
						of.slopes[m][b][d] = (of.slopes[m][b][d] - along*of.units[m][b][d]) / length
					}
				}
			}
		}
	}
	return [][]float64{slices.Concat(slices.Concat(dp...)...), slices.Concat(slices.Concat(diq...)...)}
}

// TestScoresWithin checks the losses of all scores of encoded texts over a row's own record, with
// and without drawn rows, against loops.
func TestScoresWithin(t *testing.T) {
	var g goldenTerms
	beyond(t, "terms.json", &g)
	be := openBackend(t)
	for _, c := range g.Cases {
		if c.Candidates != "all" || c.Score.OfPairs() {
			continue
		}
		for _, within := range []string{"own", "own+2"} {
			c.Candidates = within
			in, embedded := g.ofTexts(c)
			where := fmt.Sprintf("%s, %s, %s", c.Loss, c.Score, within)
			inBoth(t, be, where, in, func(in []*graph.Node) []*graph.Node {
				return []*graph.Node{parsed(t, c.Loss).Graph(c.objective(), embedded(in))}
			}, []float64{g.plainly(t, c)}, nil)
		}
	}
}
