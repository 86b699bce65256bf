package training

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"infbench/datasets"
	"infbench/datasets/mixture"
)

// listed is the data that a record lists for a row in addition to its passage.
type listed struct {
	negatives []string  // the first ones, as many as training uses
	scores    []float64 // a teacher's scores; see Distill
}

// listings returns the lists of the rows of all records, in the order of Rows.
func listings(c Config, o Objective, data mixture.Data) []listed {
	var all []listed
	for _, p := range data {
		for _, record := range p.Records {
			for _, r := range record.Rows {
				l := listed{negatives: r.Negatives[:min(c.Mined, len(r.Negatives))]}
				if o.Distill.Teacher == Taught {
					l.scores = r.Scores
				}
				all = append(all, l)
			}
		}
	}
	return all
}

// Judge is a model that guides or teaches by its cosines, such as runners' encoders.
type Judge interface {
	Dim() int
	EncodeQueries(ctx context.Context, queries, instructions []string, into []float32) error
	EncodeDocuments(ctx context.Context, titles, texts []string, into []float32) error
}

// modifierInputs prepares a batch for modifiers, in addition to its sequences. The zero value prepares
// nothing.
type modifierInputs struct {
	labelled  bool // batches need labels for more than masking equal texts
	masks     bool // equal texts are left out
	mined     int  // negatives of a row
	list      List
	listed    []listed    // one for each row
	negatives [][][]int32 // tokens of each row's negatives
	guide     Judge       // nil: the guide is not a model
	teacher   Judge       // nil: there is none, or its scores are in the data
}

// newModifierInputs tokenises the negatives that rows list.
func (t *tokens) newModifierInputs(c Config, o Objective, rows []listed, opt Options) modifierInputs {
	b := modifierInputs{labelled: o.labelled(c.Mined), masks: o.False.Equal, mined: c.Mined, listed: rows}
	if o.Distill.On() {
		b.list = o.Distill.List
	}
	if o.Distill.byModel() {
		b.teacher = opt.Teacher
	}
	if o.False.byModel() {
		b.guide = opt.Guide
	}
	if c.Mined == 0 {
		return b
	}
	for _, row := range rows {
		var tokens [][]int32
		for _, text := range row.negatives {
			ids := t.encoder.Tokens().Document("", text)
			t.length = max(t.length, len(ids))
			tokens = append(tokens, ids)
		}
		b.negatives = append(b.negatives, tokens)
	}
	return b
}

// labelled reports whether a modifier needs, for every batch, labels of equal texts or of
// records. If equal texts are only masked, a batch needs labels only if it holds some.
func (o Objective) labelled(mined int) bool {
	return mined > 0 || o.False.Guide != "" || o.Hardness.Alpha > 0 || o.Distill.On()
}

// byModel reports whether the guide is a separate model.
func (f FalseNegatives) byModel() bool { return f.Guide != "" && f.Guide != Self }

// byModel reports whether the teacher is a model rather than scores in the data.
func (d Distill) byModel() bool { return d.Teacher != "" && d.Teacher != Taught }

// sequencesOf returns the mined negatives of a batch, the same number for each row. A missing
// negative becomes one token, whose vector no loss uses.
func (t *tokens) sequencesOf(b Batch) (list [][]int32) {
	for _, i := range b.Rows {
		for k := range t.mined {
			ids := []int32{t.encoder.Tokens().PadID()}
			if k < len(t.negatives[i]) {
				ids = t.negatives[i][k]
			}
			list = append(list, ids)
		}
	}
	return list
}

// labels numbers the texts of a batch and the records of its rows, one row for each anchor, in
// the order in which stepper.labels reads them. A missing negative is -1. A batch that needs no
// labels returns nil and uses the graph without masks.
func (t *tokens) labels(b Batch) (all [][]int32) {
	if !t.labelled && !(t.masks && t.repeats(b)) {
		return nil
	}
	passages, pairs, records := map[string]int32{}, map[[2]string]int32{}, map[int]int32{}
	passage := func(text string) int32 { return numbered(passages, text) }
	pair := func(j, k int) int32 {
		return numbered(pairs, [2]string{t.rows[j].Instruction, t.rows[k].Query})
	}
	for a, i := range b.Rows {
		records[i] = int32(b.Records[a])
	}
	for a, i := range b.Rows {
		row := []int32{records[i], passage(t.rows[i].Passage), pair(i, i)}
		for k := range t.mined {
			label := int32(-1)
			if texts := t.listed[i].negatives; k < len(texts) {
				label = passage(texts[k])
			}
			row = append(row, label)
		}
		lend := func(rows []int, pair func(j int) int32) {
			for _, of := range []func(j int) int32{pair, func(j int) int32 { return records[j] }} {
				for _, j := range rows {
					label := int32(-1)
					if j >= 0 {
						label = of(j)
					}
					row = append(row, label)
				}
			}
		}
		if b.Instructions != nil {
			lend(b.Instructions[a], func(j int) int32 { return pair(j, i) })
		}
		if b.Queries != nil {
			lend(b.Queries[a], func(k int) int32 { return pair(i, k) })
		}
		all = append(all, row)
	}
	return all
}

// repeats reports whether a loss would see some rows of a batch as equal. Instructions that are
// drawn for a row need no check: the sampler does not count those equal to its own.
func (t *tokens) repeats(b Batch) bool {
	seen := mixture.NewRepeats(0, b.Queries != nil)
	return slices.ContainsFunc(b.Rows, func(i int) bool {
		return seen.AddRow(datasets.Row{Instruction: t.rows[i].Instruction, Query: t.rows[i].Query, Passage: t.rows[i].Passage})
	})
}

func numbered[K comparable](known map[K]int32, key K) int32 {
	if _, ok := known[key]; !ok {
		known[key] = int32(len(known))
	}
	return known[key]
}

// labels splits the columns of tokens.labels.
func (s *stepper) labels(all, instructions, queries *graph.Node) *Labels {
	at := 0
	take := func(n int) *graph.Node {
		at += n
		return graph.Slice(all, graph.AxisRange(), graph.AxisRange(at-n, at))
	}
	one := func() *graph.Node { return graph.Squeeze(take(1), 1) }
	l := &Labels{Records: one(), Passages: one(), Pairs: one()}
	if s.config.Mined > 0 {
		l.Negatives = take(s.config.Mined)
	}
	if s.loss.Needs()&drawsInstructions != 0 {
		n := instructions.Shape().Dim(1)
		l.Instructions, l.Lenders = take(n), take(n)
	}
	if s.objective.drawsQueries(s.loss.Needs()) {
		n := queries.Shape().Dim(1)
		l.Queries, l.QueryLenders = take(n), take(n)
	}
	return l
}

// taught returns a teacher's scores for the rows of a batch, in the layout of the list of
// Distill: [N, 1+n] or [N, N].
func (t *tokens) taught(b Batch) (all [][]float64, err error) {
	if t.list == "" {
		return nil, nil
	}
	score := func(a, m int) float64 { // score of the data for anchor a and passage m; 0 if they share no list
		rows := b.Rows
		first := slices.Index(b.Records, b.Records[a]) // a record's rows are in their order
		if scores := t.listed[rows[a]].scores; b.Records[m] == b.Records[a] && len(scores) > 0 {
			return scores[rows[m]-rows[first]]
		}
		return 0
	}
	mined := func(a, k int) float64 {
		if scores := t.listed[b.Rows[a]].scores; 1+k < len(scores) {
			return scores[1+k]
		}
		return 0
	}
	if t.teacher != nil {
		if score, mined, err = t.cosinesOf(t.teacher, b); err != nil {
			return nil, fmt.Errorf("teacher: %w", err)
		}
	}
	for a := range b.Rows {
		var row []float64
		if t.list == OwnList {
			row = append(row, score(a, a))
			for k := range t.mined {
				row = append(row, mined(a, k))
			}
		} else {
			for m := range b.Rows {
				row = append(row, score(a, m))
			}
		}
		all = append(all, row)
	}
	return all, nil
}

// cosinesOf returns the cosines that a model gives anchor a and passage m of a batch, and anchor
// a and its mined negative k.
func (t *tokens) cosinesOf(by Judge, b Batch) (passage, mined func(a, k int) float64, err error) {
	var own [][2]int
	for _, i := range b.Rows {
		own = append(own, [2]int{i, i})
	}
	flat, err := t.vectorsBy(by, b, own, len(own))
	if err != nil {
		return nil, nil, err
	}
	n, dim := len(b.Rows), by.Dim()
	cosine := func(a, document int) float64 {
		x, y := flat[(n*(1+t.mined)+a)*dim:][:dim], flat[document*dim:][:dim]
		dot, xx, yy := 0.0, 0.0, 0.0
		for d := range x {
			dot, xx, yy = dot+float64(x[d])*float64(y[d]), xx+float64(x[d])*float64(x[d]), yy+float64(y[d])*float64(y[d])
		}
		if xx == 0 || yy == 0 {
			return 0 // the negative is missing
		}
		return dot / math.Sqrt(xx*yy)
	}
	return cosine, func(a, k int) float64 { return cosine(a, n+a*t.mined+k) }, nil
}

// guideVectors returns the guide's vectors in the order of the batch's sequences, with zeros for
// pairs that only fill up.
func (t *tokens) guideVectors(e encoded, b Batch, mixed int) (*tensors.Tensor, error) {
	if t.guide == nil {
		return rectangle(nil, single), nil
	}
	flat, err := t.vectorsBy(t.guide, b, e.texts, len(b.Rows)+mixed)
	if err != nil {
		return nil, fmt.Errorf("guide: %w", err)
	}
	return tensors.FromFlatDataAndDimensions(flat, len(flat)/t.guide.Dim(), t.guide.Dim()), nil
}

// vectorsBy returns a model's vectors of a batch's passages, of its mined negatives, and of
// pairs, filled up with zeros.
func (t *tokens) vectorsBy(by Judge, b Batch, pairs [][2]int, filled int) ([]float32, error) {
	var passages, queries, instructions []string
	for _, i := range b.Rows {
		passages = append(passages, t.rows[i].Passage)
	}
	for _, i := range b.Rows {
		if t.mined == 0 {
			break
		}
		texts := t.listed[i].negatives
		passages = append(append(passages, texts...), make([]string, t.mined-len(texts))...)
	}
	for _, p := range pairs {
		instructions, queries = append(instructions, t.rows[p[0]].Instruction), append(queries, t.rows[p[1]].Query)
	}
	dim := by.Dim()
	flat := make([]float32, (len(passages)+filled)*dim)
	ctx := context.Background() // the running step always finishes
	if err := by.EncodeDocuments(ctx, make([]string, len(passages)), passages, flat[:len(passages)*dim]); err != nil {
		return nil, err
	}
	return flat, by.EncodeQueries(ctx, queries, instructions, flat[len(passages)*dim:][:len(queries)*dim])
}

// identity returns the parts of b that the outcome of a run depends on.
func (b modifierInputs) identity() []any {
	if len(b.negatives) == 0 && b.list == "" {
		return nil
	}
	var scores [][]float64
	for _, l := range b.listed {
		scores = append(scores, l.scores)
	}
	return []any{b.negatives, scores}
}
