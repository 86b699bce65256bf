package training

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"

	"infbench/training/encoder"
)

// goldenScores is cross_losses.json.
type goldenScores struct {
	Format string
	Inputs struct {
		Labelled struct{ Logits, Binary, Graded, Teacher []float64 }
		Tuples   struct{ Logits, Teacher [][]float64 }
		Lists    struct{ Logits, Grades, Binary, Teacher [][]float64 }
		Batch    struct{ Logits [][][]float64 }
	}
	Cases []struct {
		Name, Input, Labels, Objective string
		Value                          float64
		Grad                           []float64
	}
}

// expectation is a loss in loops, and as a graph of the scores of its input as a block, row by
// row. graph is nil if the loss is not offered.
type expectation struct {
	plain float64
	graph func(b block, teacher *graph.Node) *graph.Node
}

// byTeacher is a divergence from the teacher's scores.
func byTeacher(d Distill) func(b block, teacher *graph.Node) *graph.Node {
	d.Temperature = 1
	return func(b block, teacher *graph.Node) *graph.Node { return d.divergence(b, teacher, nil) }
}

// expected are the losses of cross_losses.json by name.
func (g goldenScores) expected(labels string) map[string]expectation {
	one := g.Inputs.Labelled
	single := func(list []float64) [][]float64 { return [][]float64{list} }
	lists := g.Inputs.Lists
	teacher := map[string][][]float64{"binary": lists.Binary, "grades": lists.Grades, "teacher": lists.Teacher, "": lists.Teacher}[labels]
	bce := func(y []float64, weight float64) expectation {
		var e expectation
		for i, x := range one.Logits {
			e.plain += (weight*y[i]*plainLost(x) + (1-y[i])*plainLost(-x)) / float64(len(y))
		}
		// Each score is a list of one for the form sig, as a positive and as a negative, weighed by
		// its label.
		e.graph = func(b block, _ *graph.Node) *graph.Node {
			column := graph.Transpose(b.scores, 0, 1)
			labels, others := constant(column, y), []float64{}
			for _, label := range y {
				others = append(others, 1-label)
			}
			sum := func(positive, weights *graph.Node) *graph.Node {
				all := block{scores: column, positive: positive, counted: graph.OnesLike(column)}
				return graph.Mul(Objective{}.sigmoids(weights, []block{all}), graph.ReduceAllSum(weights))
			}
			return graph.MulScalar(graph.Add(graph.MulScalar(sum(graph.OnesLike(column), labels), weight), sum(graph.ZerosLike(column), constant(column, others))), 1/float64(len(y)))
		}
		return e
	}
	softmax := func(o Objective) expectation {
		return expectation{plainLists(g.all(func(x float64) float64 {
			if o.Score == encoder.ProbabilityScore {
				x = plainSigmoid(x)
			}
			return x / o.Temperature
		})), func(b block, _ *graph.Node) *graph.Node {
			n, c := b.scores.Shape().Dim(0), b.scores.Shape().Dim(1)
			index := make([][]int32, n)
			for i := range index {
				index[i] = append(index[i], int32(i*c+i))
				for k := range c {
					if k != i {
						index[i] = append(index[i], int32(i*c+k))
					}
				}
			}
			e := Embedded{Logits: graph.Reshape(b.scores, n*c), Lists: map[Term]TermList{P: {Index: graph.Const(b.scores.Graph(), index), Counted: b.counted}}}
			return Contrastive{Uni, P}.Graph(o, e)
		}}
	}
	pair := func(c Couples, l lambda) expectation {
		l.weights, l.k, l.mu, l.sigma = c.Weights, c.K, max(c.Mu, 10*indicator64(c.Mu == 0)), max(c.Sigma, indicator64(c.Sigma == 0))
		e := expectation{plain: l.loss(lists.Logits, teacher)}
		if l.firstScheme {
			return e
		}
		e.graph = func(b block, teacher *graph.Node) *graph.Node {
			loss := c.loss(b, teacher, nil)
			if l.natural {
				loss = graph.MulScalar(loss, math.Ln2)
			}
			return loss
		}
		return e
	}
	listNet := expectation{plainKL(lists.Logits, teacher, 1) + plainEntropy(teacher), func(b block, t *graph.Node) *graph.Node {
		return graph.AddScalar(byTeacher(Distill{Loss: KL})(b, t), plainEntropy(teacher))
	}}
	return map[string]expectation{
		"bce_binary": bce(one.Binary, 1), "bce_graded": bce(one.Graded, 1), "bce_pos_weight_3": bce(one.Binary, 3),
		"mse": {plainMSE(single(one.Logits), single(one.Teacher)), func(b block, _ *graph.Node) *graph.Node {
			return byTeacher(Distill{Loss: MSE})(b, constant(b.scores, single(one.Teacher)))
		}},
		"mse_sigmoid": {plainMSE(single(sigmoids(one.Logits)), single(one.Graded)), func(b block, _ *graph.Node) *graph.Node {
			b.scores = graph.Sigmoid(b.scores)
			return byTeacher(Distill{Loss: MSE})(b, constant(b.scores, single(one.Graded)))
		}},
		"margin_mse": {plainMarginMSE(g.Inputs.Tuples.Logits, g.Inputs.Tuples.Teacher), func(b block, _ *graph.Node) *graph.Node {
			return byTeacher(Distill{Loss: MarginMSE})(b, constant(b.scores, g.Inputs.Tuples.Teacher))
		}},
		"mnrl":         softmax(Objective{Score: encoder.HeadScore, Temperature: 1}),
		"mnrl_scale_4": softmax(Objective{Score: encoder.HeadScore, Temperature: 0.25}),
		"mnrl_sigmoid": softmax(Objective{Score: encoder.ProbabilityScore, Temperature: 0.1}),

		"ranknet": pair(Couples{}, lambda{}), "lambda_ndcg2": pair(Couples{Weights: NDCG2}, lambda{}),
		"lambda_ndcg2pp": pair(Couples{Weights: NDCG2PP}, lambda{}), "lambda_ndcg2pp@2": pair(Couples{Weights: NDCG2PP, K: 2}, lambda{}),
		"lambda_lambdarank": pair(Couples{Weights: LambdaRank}, lambda{}), "lambda_lambdarank@2": pair(Couples{Weights: LambdaRank, K: 2}, lambda{}),
		"lambda_ndcg1":           pair(Couples{}, lambda{firstScheme: true}),
		"lambda_natural_sigma_2": pair(Couples{Weights: NDCG2PP, Mu: 5, Sigma: 2}, lambda{natural: true}),

		"listnet":           listNet,
		"list_mle_by_label": {plainMLE(lists.Logits, teacher, "", false, false), byTeacher(Distill{Loss: ListMLE})},
		"list_mle_as_given": {plainMLE(lists.Logits, falling(lists.Logits), "", false, false), func(b block, t *graph.Node) *graph.Node {
			return byTeacher(Distill{Loss: ListMLE})(b, graph.Neg(graph.Iota(t.Graph(), t.Shape(), 1)))
		}},
		"plist_mle_by_label": {plainMLE(lists.Logits, teacher, PList, false, false), byTeacher(Distill{Loss: ListMLE, Weights: PList})},
		"adr_mse":            {plainADR(lists.Logits, teacher, 1), byTeacher(Distill{Loss: ADRMSE})},
		"adr_mse_alpha_2": {plainADR(lists.Logits, teacher, 2), func(b block, t *graph.Node) *graph.Node {
			b.scores = graph.MulScalar(b.scores, 2)
			return byTeacher(Distill{Loss: ADRMSE})(b, t)
		}},
		"pair": {plain: lambda{sigma: 1}.loss(lists.Logits, teacher), graph: byTeacher(Distill{Loss: PairLoss})},
	}
}

func indicator64(is bool) float64 { return float64(indicator(is)) }

func sigmoids(list []float64) (out []float64) {
	for _, x := range list {
		out = append(out, plainSigmoid(x))
	}
	return out
}

// falling are grades in the order of lists.
func falling(lists [][]float64) (out [][]float64) {
	for _, list := range lists {
		grades := make([]float64, len(list))
		for c := range grades {
			grades[c] = -float64(c)
		}
		out = append(out, grades)
	}
	return out
}

// all are the lists of the input batch: an anchor's positive, then every other text.
func (g goldenScores) all(of func(float64) float64) (lists [][]float64) {
	for i, columns := range g.Inputs.Batch.Logits {
		list := []float64{of(columns[0][i])}
		for k, x := range slices.Concat(columns...) {
			if k != i {
				list = append(list, of(x))
			}
		}
		lists = append(lists, list)
	}
	return lists
}

// scores are those of an input, row by row.
func (g goldenScores) scores(input string) [][]float64 {
	switch input {
	case "labelled":
		return [][]float64{g.Inputs.Labelled.Logits}
	case "tuples":
		return g.Inputs.Tuples.Logits
	case "lists":
		return g.Inputs.Lists.Logits
	}
	var rows [][]float64
	for _, columns := range g.Inputs.Batch.Logits {
		rows = append(rows, slices.Concat(columns...))
	}
	return rows
}

// TestCrossLossesGolden checks every loss of Sentence Transformers' cross-encoders on given
// scores, as loops and, except NDCGLoss1, as a graph.
func TestCrossLossesGolden(t *testing.T) {
	var g goldenScores
	beyond(t, "cross_losses.json", &g)
	if g.Format != "golden-scores-v1" || len(g.Cases) == 0 {
		t.Fatalf("format %q with %d cases", g.Format, len(g.Cases))
	}
	be := openBackend(t)
	graphs := 0
	for _, c := range g.Cases {
		name := strings.TrimSuffix(c.Name, "_"+c.Labels)
		if c.Objective == "distill pair, weights none" {
			name = "pair"
		}
		want, ok := g.expected(c.Labels)[name]
		if !ok {
			t.Errorf("%s: a loss that the test does not know", c.Name)
			continue
		}
		near(t, c.Name+" in loops", want.plain, c.Value, 0, 1e-9*max(1, math.Abs(c.Value)))
		if want.graph == nil {
			continue
		}
		graphs++
		rows := g.scores(c.Input)
		scores, counted := padded64(rows)
		labels := map[string][][]float64{"binary": g.Inputs.Lists.Binary, "grades": g.Inputs.Lists.Grades, "teacher": g.Inputs.Lists.Teacher}[c.Labels]
		if labels == nil {
			labels = make([][]float64, len(rows))
			for i := range labels {
				labels[i] = make([]float64, len(rows[0]))
			}
		}
		teacher, _ := padded64(labels)
		var slopes []float64
		at := 0
		for i, row := range scores {
			for k := range row {
				x := 0.0
				if counted[i][k] == 1 {
					x, at = c.Grad[at], at+1
				}
				slopes = append(slopes, x)
			}
		}
		inBoth(t, be, c.Name, []array{arrayOf(scores)}, func(in []*graph.Node) []*graph.Node {
			b := block{scores: in[0], positive: firstOf(in[0]), counted: constant(in[0], counted)}
			return []*graph.Node{want.graph(b, constant(in[0], teacher))}
		}, []float64{c.Value}, [][]float64{slopes})
	}
	t.Logf("%d cases read, %d compared as loops, %d as graphs, skipped 0", len(g.Cases), len(g.Cases), graphs)
}

// goldenLate is late_losses.json and late_losses_pylate.json.
type goldenLate struct {
	Format  string
	Columns []struct {
		Vectors [][][]float64
		Mask    [][]int
	}
	Teacher [][]float64
	Cases   []struct {
		Name, Objective string
		Expansion       bool `json:"query_expansion"`
		Value           float64
		Grad            [][][][]float64
		Over            []float64 `json:"gradient_over_that_of_contrastive"`
	}
}

// lateWay is how a case of late interaction is trained here.
type lateWay struct {
	loss    Contrastive
	o       Objective
	factor  float64 // of the value here
	entire  bool    // every token of queries counts
	distill bool
}

// ways are those of the objectives of both files.
func (g goldenLate) way(name string, expansion, pylate bool) (w lateWay, ok bool) {
	score := encoder.MaxSimScore
	if pylate {
		score, name = encoder.PaddedMaxSimScore, strings.TrimSuffix(name, "_no_expansion")
	}
	teach := func(d Distill, temperature, factor float64) lateWay {
		d.Teacher, d.List, d.Share = Taught, OwnList, 1
		return lateWay{Contrastive{Uni, P}, Objective{Score: score, Temperature: temperature, Duplicates: Mask, IQ: Pair, Modifiers: Modifiers{Distill: d}}, factor, expansion, true}
	}
	contrast := func(s Score, temperature float64) lateWay {
		return lateWay{Contrastive{Uni, P}, Objective{Score: s, Temperature: temperature, Duplicates: Mask, IQ: Pair}, 1, expansion, false}
	}
	w, ok = map[string]lateWay{
		"contrastive": contrast(score, 1), "cached_contrastive": contrast(score, 1), "contrastive_temperature": contrast(score, 0.5),
		"contrastive_mean_scale_20": contrast(encoder.MeanMaxSimScore, 0.05),
		"kl":                        teach(Distill{Loss: KL, Temperature: 1}, 1, 1),
		"kl_temperatures":           teach(Distill{Loss: KL, Temperature: 2}, 0.5, 0.25), // times the square of the student's
		"margin_mse":                teach(Distill{Loss: MarginMSE}, 1, 1),
		"distillation":              teach(Distill{Loss: KL, Temperature: 1}, 1, 1),
		"distillation_normalised":   teach(Distill{Loss: KL, Temperature: 1, MinMax: true}, 1, 1),
	}[name]
	return w, ok
}

// lists are the scores of the candidates of each query in loops, its positive first: those of the
// batch, and its own.
func (g goldenLate) lists(m maxims, entire bool, passageMasks bool) (batch, own [][]float64) {
	n := len(g.Columns[0].Vectors)
	masks := make([][][]bool, len(g.Columns))
	for c, column := range g.Columns {
		for _, mask := range column.Mask {
			on := bools(mask)
			if c == 0 && entire || c > 0 && !passageMasks {
				on = slices.Repeat([]bool{true}, len(mask))
			}
			masks[c] = append(masks[c], on)
		}
	}
	score := func(i, c, k int) float64 {
		return m.score(plainUnits(g.Columns[0].Vectors[i]), plainUnits(g.Columns[c].Vectors[k]), masks[0][i], masks[c][k])
	}
	for i := range n {
		list, mine := []float64{score(i, 1, i)}, []float64{}
		for k := range n {
			for c := 1; c < len(g.Columns); c++ {
				if k == i {
					mine = append(mine, score(i, c, k))
				}
				if c > 1 || k != i {
					list = append(list, score(i, c, k))
				}
			}
		}
		batch, own = append(batch, list), append(own, mine)
	}
	return batch, own
}

func scaled(lists [][]float64, by float64) (out [][]float64) {
	for _, list := range lists {
		var row []float64
		for _, x := range list {
			row = append(row, by*x)
		}
		out = append(out, row)
	}
	return out
}

// plainly is the loss of a way in loops.
func (g goldenLate) plainly(w lateWay) float64 {
	batch, own := g.lists(maxims{floor: w.o.Score == encoder.PaddedMaxSimScore, mean: w.o.Score == encoder.MeanMaxSimScore}, w.entire, true)
	d := w.o.Distill
	if own = scaled(own, w.o.Scale()); d.MinMax {
		own = plainMinMax(own)
	}
	switch {
	case !w.distill:
		return plainLists(scaled(batch, w.o.Scale()))
	case d.Loss == MarginMSE:
		return plainMarginMSE(own, g.Teacher)
	}
	return plainKL(own, g.Teacher, d.Temperature)
}

// embedded arranges the columns: queries, positives, columns of negatives.
func (g goldenLate) embedded(in []*graph.Node, entire bool) Embedded {
	var columns []*graph.Node
	for c, x := range in {
		var masks [][]bool
		for _, mask := range g.Columns[c].Mask {
			on := bools(mask)
			if c == 0 && entire {
				on = slices.Repeat([]bool{true}, len(mask))
			}
			masks = append(masks, on)
		}
		columns = append(columns, withMask(graph.L2Normalize(x, -1), masks))
	}
	return ofColumns(columns, g.Teacher)
}

// ofColumns are rows with mined negatives and a teacher's scores of their own passages.
func ofColumns(columns []*graph.Node, teacher [][]float64) Embedded {
	n, mined := columns[0].Shape().Dim(0), len(columns)-2
	on := slices.Repeat([][]float64{slices.Repeat([]float64{1}, mined)}, n)
	return Embedded{
		IQ: columns[0], P: columns[1], Negatives: graph.Stack(columns[2:], 1), Mined: constant(columns[0], on),
		Teacher: constant(columns[0], teacher),
	}
}

// TestLateLossesGolden checks the losses of late interaction of Sentence Transformers and of
// PyLate on given token vectors. PyLate's CachedContrastive has the value of Contrastive and a
// gradient that is batch times too large, which no chunk here does.
func TestLateLossesGolden(t *testing.T) {
	be := openBackend(t)
	var inputs goldenLate
	beyond(t, "late_losses.json", &inputs)
	for _, name := range []string{"late_losses.json", "late_losses_pylate.json"} {
		g := inputs // PyLate's file has no inputs of its own
		g.Cases = nil
		pylate := name != "late_losses.json"
		if beyond(t, name, &g); g.Format != "golden-late-v1" || len(g.Cases) == 0 {
			t.Fatalf("%s: format %q with %d cases", name, g.Format, len(g.Cases))
		}
		for _, c := range g.Cases {
			w, ok := g.way(c.Name, c.Expansion, pylate)
			if !ok {
				t.Errorf("%s: a loss that the test does not know", c.Name)
				continue
			}
			where := name + ": " + c.Name
			near(t, where+" in loops", g.plainly(w), c.Value/w.factor, 0, 1e-9*max(1, c.Value/w.factor))
			var in []array
			for _, column := range g.Columns {
				in = append(in, cubeOf(column.Vectors))
			}
			var slopes [][]float64
			for _, of := range c.Grad {
				slopes = append(slopes, slices.Concat(slices.Concat(of...)...))
			}
			if c.Over != nil && !slices.Equal(c.Over, []float64{float64(len(g.Teacher))}) {
				t.Errorf("%s: gradients %v times those of Contrastive", where, c.Over)
			}
			inBoth(t, be, where, in, func(in []*graph.Node) []*graph.Node {
				e := g.embedded(in, w.entire)
				return []*graph.Node{graph.MulScalar(scoresOf(w.loss, w.o, e).Loss, w.factor)}
			}, []float64{c.Value}, slopes)
		}
		t.Logf("%s: %d cases read and compared, skipped 0", name, len(g.Cases))
	}
}

// goldenSparse is sparse_losses.json.
type goldenSparse struct {
	Format  string
	Columns []struct {
		Logits [][][]float64
		Mask   [][]int
	}
	Teacher [][]float64
	Weights []float64 `json:"weights_of_sum"`
	Pooled  []struct {
		Pooling    string `json:"pooling_strategy"`
		Activation string `json:"activation_function"`
		Values     [][][]float64
	}
	Regularisers struct {
		FlopsQueries   float64 `json:"flops_queries"`
		FlopsDocuments float64 `json:"flops_documents"`
		L1Queries      float64 `json:"l1_queries"`
		L1Documents    float64 `json:"l1_documents"`
	} `json:"regularisers_by_definition"`
	Schedules []struct {
		Schedule        string
		Steps           int
		Warmup          float64
		WarmupSteps     int `json:"warmup_steps"`
		Query, Document []float64
	}
	Cases []struct {
		Name, Library string
		Parts         map[string]float64
		Value         float64
		Threshold     int
		Grad          [][][][]float64
	}
}

// pooled are the vectors of a column in a graph: the largest of log(1 + relu) of its positions.
func (g goldenSparse) pooled(x *graph.Node, column int) *graph.Node {
	var masks [][][]float64
	for _, mask := range g.Columns[column].Mask {
		var rows [][]float64
		for _, on := range mask {
			rows = append(rows, slices.Repeat([]float64{float64(on)}, x.Shape().Dim(2)))
		}
		masks = append(masks, rows)
	}
	return graph.Log1p(graph.ReduceMax(graph.MaxScalar(graph.Mul(x, constant(x, masks)), 0.0), 1))
}

// TestSparseLossesGolden checks the losses of SPLADE on given logits, their regularisers and the
// schedule of the weights.
func TestSparseLossesGolden(t *testing.T) {
	var g goldenSparse
	beyond(t, "sparse_losses.json", &g)
	if g.Format != "golden-sparse-v1" || len(g.Cases) == 0 {
		t.Fatalf("format %q with %d cases", g.Format, len(g.Cases))
	}
	be := openBackend(t)
	for _, p := range g.Pooled {
		for c, column := range g.Columns {
			for i, logits := range column.Logits {
				got := plainSplade(logits, bools(column.Mask[i]), p.Pooling == "sum", p.Activation == "log1p_relu")
				for k, want := range p.Values[c][i] {
					near(t, p.Pooling+" "+p.Activation, got[k], want, 0, 1e-9)
				}
			}
		}
	}
	queries, documents := g.Pooled[0].Values[0], slices.Concat(g.Pooled[0].Values[1:]...)
	for _, of := range []struct {
		name string
		x    [][]float64
		want float64
		norm func(x *graph.Node) *graph.Node
	}{
		{"FLOPS of queries", queries, g.Regularisers.FlopsQueries, func(x *graph.Node) *graph.Node { return flops(x, 0) }},
		{"FLOPS of documents", documents, g.Regularisers.FlopsDocuments, func(x *graph.Node) *graph.Node { return flops(x, 0) }},
		{"L1 of queries", queries, g.Regularisers.L1Queries, sumOfTerms},
		{"L1 of documents", documents, g.Regularisers.L1Documents, sumOfTerms},
	} {
		inBoth(t, be, of.name, []array{arrayOf(of.x)}, func(in []*graph.Node) []*graph.Node { return []*graph.Node{of.norm(in[0])} }, []float64{of.want}, nil)
	}
	steps := 0
	for _, s := range g.Schedules {
		warmup := s.Warmup
		if math.Abs(warmup-1.0/3) < 1e-8 {
			warmup = 1.0 / 3 // with the file's nine digits int gives one step less
		}
		for done := range s.Steps {
			share := ramp(done, s.Steps, warmup, s.Schedule == "linear")
			near(t, s.Schedule+" of queries", 5e-5*share, s.Query[done], 1e-8, 0)
			near(t, s.Schedule+" of documents", 3e-5*share, s.Document[done], 1e-8, 0)
			steps++
		}
	}
	for _, c := range g.Cases {
		g.check(t, be, c.Name, c.Threshold, c.Parts, c.Value, c.Grad)
	}
	t.Logf("%d poolings, 4 regularisers, %d schedules of %d steps and %d cases read and compared, skipped 0", len(g.Pooled), len(g.Schedules), steps, len(g.Cases))
}

func (g goldenSparse) check(t *testing.T, be compute.Backend, name string, threshold int, parts map[string]float64, value float64, grad [][][][]float64) {
	t.Helper()
	o, factor := Objective{Score: encoder.SparseScore, Temperature: 1, Duplicates: Mask, IQ: Pair}, 1.0
	teach := func(d Distill) {
		d.Teacher, d.List, d.Share = Taught, OwnList, 1
		o.Distill = d
	}
	switch name {
	case "margin":
		teach(Distill{Loss: MarginMSE})
	case "kl1":
		teach(Distill{Loss: KL, Temperature: 1})
	case "kl2":
		teach(Distill{Loss: KL, Temperature: 2})
		o.Temperature, factor = 2, 4
	}
	var in []array
	var slopes [][]float64
	for c, column := range g.Columns {
		in = append(in, cubeOf(column.Logits))
		slopes = append(slopes, slices.Concat(slices.Concat(grad[c]...)...))
	}
	want := []float64{value, parts["base_loss"], parts["document_regularizer_loss"]}
	inBoth(t, be, "sparse: "+name, in, func(in []*graph.Node) []*graph.Node {
		var columns []*graph.Node
		for c, x := range in {
			columns = append(columns, g.pooled(x, c))
		}
		base := graph.MulScalar(scoresOf(Contrastive{Uni, P}, o, ofColumns(columns, g.Teacher)).Loss, factor)
		regularised := columns[1:]
		if name == "mnrl_all_as_documents" {
			regularised = columns
		}
		documents := graph.MulScalar(flops(graph.Concatenate(regularised, 0), threshold), 0.3)
		total := graph.Add(base, documents)
		if _, ok := parts["query_regularizer_loss"]; ok {
			total = graph.Add(total, graph.MulScalar(flops(columns[0], threshold), 0.5))
		}
		return []*graph.Node{total, base, documents}
	}, want, slopes)
}

// TestMistakesMiss makes each single mistake of goldens-beyond/make/mistakes.py that concerns a
// loss here and wants it to miss its golden by the distance that the README there states.
func TestMistakesMiss(t *testing.T) {
	var g goldenScores
	beyond(t, "cross_losses.json", &g)
	value := map[string]float64{}
	for _, c := range g.Cases {
		value[c.Name] = c.Value
	}
	miss := func(what string, stated, wrong, right float64) {
		t.Helper()
		if off := math.Abs(wrong - right); !(off >= 0.95*stated) { // the README has two digits
			t.Errorf("%s: off by %.3g, want %.2g", what, off, stated)
		}
	}
	lists := g.Inputs.Lists
	var byShare float64
	for i, z := range lists.Logits {
		total := 0.0
		for _, y := range lists.Grades[i] {
			total += y
		}
		for c, x := range z {
			byShare += lists.Grades[i][c] / max(total, 1) * (plainLogSum(z) - x) / float64(len(lists.Logits))
		}
	}
	miss("ListNet: one-hot labels", .053, plainLists(lists.Logits), value["listnet_binary"])
	miss("ListNet: labels over their sum", .17, byShare, value["listnet_grades"])
	for labels, grades := range map[string][][]float64{"binary": lists.Binary, "grades": lists.Grades} {
		miss("RankNet: natural logarithm", .31, lambda{sigma: 1, natural: true}.loss(lists.Logits, grades), value["ranknet_"+labels])
		miss("RankNet: mean of lists", .036, lambda{sigma: 1, perList: true}.loss(lists.Logits, grades), value["ranknet_"+labels])
		for _, scheme := range []Weighting{NDCG2PP, LambdaRank} {
			wrong := func(edit func(l *lambda)) float64 {
				l := lambda{weights: scheme, mu: 10, sigma: 1}
				edit(&l)
				return l.loss(lists.Logits, grades)
			}
			all, first := value["lambda_"+string(scheme)+"_"+labels], value["lambda_"+string(scheme)+"@2_"+labels]
			miss("LambdaLoss: mean of lists", .055, wrong(func(l *lambda) { l.perList = true }), all)
			miss("LambdaLoss: both among the first two", .0028, wrong(func(l *lambda) { l.k, l.bothFirst = 2, true }), first)
			miss("LambdaLoss: without k", .0053, wrong(func(l *lambda) {}), first)
			miss("LambdaLoss: order of labels for ranks", .0045, wrong(func(l *lambda) { l.byLabel = true }), all)
			if labels == "grades" {
				miss("LambdaLoss: linear gains", .018, wrong(func(l *lambda) { l.linear = true }), all)
			}
			if scheme == NDCG2PP {
				miss("LambdaLoss: distance off by one", .68, wrong(func(l *lambda) { l.farByOne = true }), all)
			}
		}
	}
	miss("ListMLE: order of the scores", 2.7, plainMLE(lists.Logits, lists.Teacher, "", false, true), value["list_mle_by_label"])
	miss("PListMLE: weights that do not add up to 1", 16, plainMLE(lists.Logits, lists.Teacher, PList, true, false), value["plist_mle_by_label"])
	all := g.all(func(x float64) float64 { return x })
	own := make([][]float64, len(all))
	twice := make([][]float64, len(all))
	for i, columns := range g.Inputs.Batch.Logits {
		for k, x := range all[i] {
			if k < len(columns[0]) { // the positives
				own[i] = append(own[i], x)
			}
		}
		own[i] = append(own[i], columns[1][i])
		twice[i] = append(slices.Clone(all[i]), all[i][0])
	}
	miss("softmax: other rows' mined negatives left out", .59, plainLists(own), value["mnrl"])
	miss("softmax: the positive twice", .081, plainLists(twice), value["mnrl"])

	var late goldenLate
	beyond(t, "late_losses.json", &late)
	right := map[string]float64{}
	for _, c := range late.Cases {
		right[c.Name] = c.Value
	}
	contrast := func(m maxims, entire, passageMasks bool, scale float64) float64 {
		batch, _ := late.lists(m, entire, passageMasks)
		return plainLists(scaled(batch, scale))
	}
	miss("MaxSim: floor", .039, contrast(maxims{floor: true}, false, true, 1), right["contrastive"])
	miss("MaxSim: padding of documents", .31, contrast(maxims{}, false, false, 1), right["contrastive"])
	miss("MaxSim: padding of queries", .33, contrast(maxims{}, true, true, 1), right["contrastive"])
	miss("mean MaxSim: by the padded length", 1.1, contrast(maxims{mean: true, padded: true}, false, true, 20), right["contrastive_mean_scale_20"])
	var raw [][]float64
	for i, q := range late.Columns[0].Vectors {
		score := func(c, k int) float64 {
			return maxims{}.score(q, late.Columns[c].Vectors[k], bools(late.Columns[0].Mask[i]), bools(late.Columns[c].Mask[k]))
		}
		list := []float64{score(1, i)}
		for k := range late.Columns[0].Vectors {
			for c := 1; c < len(late.Columns); c++ {
				if c > 1 || k != i {
					list = append(list, score(c, k))
				}
			}
		}
		raw = append(raw, list)
	}
	miss("MaxSim: vectors not unit", 3.8, plainLists(raw), right["contrastive"])

	var sparse goldenSparse
	beyond(t, "sparse_losses.json", &sparse)
	documents := slices.Concat(sparse.Pooled[0].Values[1:]...)
	miss("FLOPS: mean of squares", 1.6, plainFlops(documents, 0, true, false, false), sparse.Regularisers.FlopsDocuments)
	columns, padding := 0.0, 0.0
	for c, column := range sparse.Columns {
		if c > 0 {
			columns += plainFlops(sparse.Pooled[0].Values[c], 0, false, false, false)
		}
		for i, logits := range column.Logits {
			for k, x := range plainSplade(logits, slices.Repeat([]bool{true}, len(logits)), false, false) {
				padding = max(padding, math.Abs(x-sparse.Pooled[0].Values[c][i][k]))
			}
		}
	}
	miss("FLOPS: per column", 8.5, columns, sparse.Regularisers.FlopsDocuments)
	miss("SPLADE: padded rows", 1.4, padding, 0)
	for _, c := range sparse.Cases {
		if c.Name == "mnrl_threshold" {
			miss("FLOPS: threshold >=", .48, 0.3*plainFlops(documents, c.Threshold, false, true, false), c.Parts["document_regularizer_loss"])
			miss("FLOPS: short rows out of the mean", 1.2, 0.3*plainFlops(documents, c.Threshold, false, false, true), c.Parts["document_regularizer_loss"])
		}
	}
	for _, s := range sparse.Schedules[:1] {
		if first := 5e-5 * ramp(1, s.Steps, 1.0/3, false); first == s.Query[0] {
			t.Error("the schedule may begin at a step")
		}
	}
}
