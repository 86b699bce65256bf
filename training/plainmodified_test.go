package training

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
)

// plainMarks holds the data that modifiers need in addition to the vectors of a plainBatch: texts
// and records by number, mined negatives, which have no gradient, and a teacher's scores.
type plainMarks struct {
	records, passages, pairs     []int32
	negatives                    [][][]float64 // vectors of length 1
	mined                        [][]bool
	negativeTexts                [][]int32
	instructionPairs, queryPairs [][]int32
	lenders, queryLenders        [][]int32
	teacher                      [][]float64
}

// into lays the marks out for scoresOf.
func (m plainMarks) into(e Embedded) Embedded {
	g := e.P.Graph()
	var negatives [][][]float32
	var mined [][]float32
	for i := range m.negatives {
		negatives, mined = append(negatives, float32s(m.negatives[i])), append(mined, nil)
		for _, on := range m.mined[i] {
			mined[i] = append(mined[i], indicator(on))
		}
	}
	e.Negatives, e.Mined = graph.Const(g, negatives), graph.Const(g, mined)
	e.Teacher = graph.Const(g, float32s(m.teacher))
	e.Labels = &Labels{
		Records: graph.Const(g, m.records), Passages: graph.Const(g, m.passages), Pairs: graph.Const(g, m.pairs), Negatives: graph.Const(g, m.negativeTexts),
		Instructions: graph.Const(g, m.instructionPairs), Lenders: graph.Const(g, m.lenders),
		Queries: graph.Const(g, m.queryPairs), QueryLenders: graph.Const(g, m.queryLenders),
	}
	return e
}

// plainCandidate is one pair that the positive is contrasted with.
type plainCandidate struct {
	x, y       []float64
	own, equal bool
}

// plainCosine is the cosine of the first width values.
func plainCosine(x, y []float64, width int) float64 {
	x, y = x[:width], y[:width]
	return dot(x, y) / math.Sqrt(dot(x, x)*dot(y, y))
}

// candidates lists the candidates of a term for row i, without the positive.
func (b plainBatch) candidates(t Term, o Objective, i int) (list []plainCandidate) {
	m := b.modified
	has := func(k int) bool { return b.anchored == nil || b.anchored[k] }
	passages := func(anchor []float64, ownMined bool) {
		for k := range b.p {
			own, equal := m.records[k] == m.records[i], m.passages[k] == m.passages[i]
			if k != i && has(k) {
				list = append(list, plainCandidate{anchor, b.p[k], own, equal})
			}
			for c, v := range m.negatives[k] {
				if m.mined[k][c] && (k != i || ownMined) {
					list = append(list, plainCandidate{anchor, v, own, m.negativeTexts[k][c] == m.passages[i]})
				}
			}
		}
	}
	pairs := func(anchor []float64) {
		for k := range b.iq {
			if k != i {
				list = append(list, plainCandidate{anchor, b.iq[k], m.records[k] == m.records[i], m.pairs[k] == m.pairs[i]})
			}
		}
	}
	switch {
	case t == P:
		passages(b.iq[i], true)
	case t == I:
		for c, v := range b.instructions[i] {
			if b.counted[i][c] {
				list = append(list, plainCandidate{b.p[i], v, m.lenders[i][c] == m.records[i], m.instructionPairs[i][c] == m.pairs[i]})
			}
		}
	case t == IQ && o.IQ == QueryOnly:
		for c, v := range b.queries[i] {
			list = append(list, plainCandidate{b.p[i], v, m.queryLenders[i][c] == m.records[i], m.queryPairs[i][c] == m.pairs[i]})
		}
	case t == IQ:
		pairs(b.p[i])
	case t == ST:
		pairs(b.iq[i])
		passages(b.p[i], false)
	}
	return list
}

// plainModified is a loss with modifiers in float64 loops, as defined in objectives.md and the
// conventions of losses_extended.json. It shares no code with scoresOf.
func plainModified(l Contrastive, o Objective, b plainBatch) float64 {
	full := len(b.p[0])
	if len(o.Matryoshka.Dims) == 0 {
		return plainAt(l, o, b, full)
	}
	sum := 0.0
	for i, width := range o.Matryoshka.Dims {
		sum += o.Matryoshka.Weight(i) * plainAt(l, o, b, width)
	}
	return sum
}

// plainAt is the loss at one width; thresholds use the full width.
func plainAt(l Contrastive, o Objective, b plainBatch, width int) float64 {
	full, scale, m := len(b.p[0]), 1/(o.Temperature+o.Epsilon), b.modified
	total, anchors := 0.0, 0.0
	for i := range b.p {
		if b.anchored != nil && !b.anchored[i] {
			continue
		}
		anchors++
		positive := scale * plainCosine(b.iq[i], b.p[i], width)
		most := plainCosine(b.iq[i], b.p[i], full)
		if o.False.Relative {
			most -= math.Abs(most) * o.False.Margin
		} else {
			most -= o.False.Margin
		}
		var lists [][]float64
		for _, t := range l.Terms.Split() {
			var scores []float64
			for _, c := range b.candidates(t, o, i) {
				guided := o.False.Guide != "" && (o.False.Own || !c.own) && plainCosine(c.x, c.y, full) > most
				if guided || o.False.Equal && c.equal {
					continue
				}
				cosine := plainCosine(c.x, c.y, width)
				harder := t != ST && (o.Hardness.On == ReachAll || c.own == (o.Hardness.On == ReachOwn))
				score := scale * cosine
				if harder {
					score += o.Hardness.Alpha * cosine
				}
				scores = append(scores, score)
			}
			lists = append(lists, scores)
		}
		contrastive := 0.0
		switch l.Form {
		case Uni:
			for _, list := range lists {
				contrastive += plainSoftmax(positive, list, o.Focal)
			}
		case Multi:
			var all []float64
			for k, list := range lists {
				if all = append(all, list...); k > 0 && o.Duplicates == Keep && l.Terms.Split()[k] != ST {
					all = append(all, positive)
				}
			}
			contrastive = plainSoftmax(positive, all, o.Focal)
		case Sig:
			contrastive = math.Log1p(math.Exp(-(positive + o.Bias)))
			for _, list := range lists {
				for _, s := range list {
					contrastive += math.Log1p(math.Exp(s + o.Bias))
				}
			}
		}
		if !o.Distill.On() {
			total += contrastive
			continue
		}
		student, teacher := []float64{positive}, []float64{m.teacher[i][0]}
		if o.Distill.List == OwnList {
			for c, v := range m.negatives[i] {
				if m.mined[i][c] {
					student, teacher = append(student, scale*plainCosine(b.iq[i], v, width)), append(teacher, m.teacher[i][1+c])
				}
			}
		} else {
			teacher[0] = m.teacher[i][i]
			for k := range b.p {
				if k != i && m.records[k] == m.records[i] && (b.anchored == nil || b.anchored[k]) {
					student, teacher = append(student, scale*plainCosine(b.iq[i], b.p[k], width)), append(teacher, m.teacher[i][k])
				}
			}
		}
		total += (1-o.Distill.Share)*contrastive + o.Distill.Share*plainDistance(o.Distill, student, teacher)
	}
	return total/anchors + o.Spread*(b.plainCommon(b.iq, width)+b.plainCommon(b.p, width))
}

func plainSoftmax(positive float64, others []float64, focal float64) float64 {
	sum := 1.0
	for _, s := range others {
		sum += math.Exp(s - positive)
	}
	return math.Pow(1-1/sum, focal) * math.Log(sum)
}

// plainDistance compares lists that begin with the positive.
func plainDistance(d Distill, student, teacher []float64) (distance float64) {
	if d.Loss == MarginMSE {
		for c := 1; c < len(student); c++ {
			distance += math.Pow(student[0]-student[c]-teacher[0]+teacher[c], 2) / float64(len(student)-1)
		}
		return distance
	}
	logShare := func(list []float64, temperature float64, c int) float64 {
		sum := 0.0
		for _, s := range list {
			sum += math.Exp((s - list[c]) / temperature)
		}
		return -math.Log(sum)
	}
	for c := range student {
		t := logShare(teacher, d.Temperature, c)
		distance += math.Exp(t) * (t - logShare(student, 1, c))
	}
	return distance
}

func (b plainBatch) plainCommon(x [][]float64, width int) float64 {
	first, second, pairs := 0.0, 0.0, 0.0
	for i := range x {
		for k := range x {
			if i == k || b.anchored != nil && !(b.anchored[i] && b.anchored[k]) {
				continue
			}
			c := plainCosine(x[i], x[k], width)
			first, second, pairs = first+c, second+c*c, pairs+1
		}
	}
	if pairs == 0 {
		return 0
	}
	return math.Pow(first/pairs, 2) + max(0, second/pairs-1/float64(width))
}

// randomMarks makes records of up to three rows, texts that repeat, and up to three mined
// negatives. Some rows lack some of these negatives.
func randomMarks(rng *rand.Rand, b plainBatch, list List) *plainMarks {
	n, d, each := len(b.p), len(b.p[0]), 1+rng.IntN(3)
	m := &plainMarks{}
	some := func(k int) (labels []int32) {
		for range k {
			labels = append(labels, int32(rng.IntN(6)))
		}
		return labels
	}
	m.passages, m.pairs = some(n), some(n)
	for i := range n {
		m.records = append(m.records, int32(i/3))
		m.instructionPairs, m.lenders = append(m.instructionPairs, some(len(b.instructions[i]))), append(m.lenders, some(len(b.instructions[i])))
		m.queryPairs, m.queryLenders = append(m.queryPairs, some(len(b.queries[i]))), append(m.queryLenders, some(len(b.queries[i])))
		m.negativeTexts = append(m.negativeTexts, some(each))
		vectors, mined := random(rng, each, d).p, make([]bool, each)
		for c, v := range vectors {
			length := math.Sqrt(dot(v, v))
			for k := range v {
				v[k] /= length
			}
			mined[c] = rng.IntN(4) > 0
		}
		m.negatives, m.mined = append(m.negatives, vectors), append(m.mined, mined)
		row := make([]float64, n)
		if list == OwnList {
			row = make([]float64, 1+each)
		}
		for k := range row {
			row[k] = 3 * rng.NormFloat64()
		}
		m.teacher = append(m.teacher, row)
	}
	return m
}

// randomModifiers turns each modifier on with probability 1/2.
func randomModifiers(rng *rand.Rand, width int) (m Modifiers) {
	on := func() bool { return rng.IntN(2) == 0 }
	m.False.Equal = on()
	if on() {
		m.False.Guide, m.False.Margin, m.False.Relative, m.False.Own = Self, 0.3*rng.NormFloat64(), on(), on()
	}
	if on() {
		m.Hardness = Hardness{5 * rng.Float64(), []Reach{ReachOwn, ReachBatch, ReachAll}[rng.IntN(3)]}
	}
	if on() {
		m.Focal = 2 * rng.Float64()
	}
	if on() {
		m.Spread = rng.Float64()
	}
	if on() {
		m.Distill = Distill{
			Teacher: Taught, Loss: []Divergence{KL, MarginMSE}[rng.IntN(2)], List: []List{OwnList, RecordList}[rng.IntN(2)], Share: rng.Float64(), Temperature: 1 + rng.Float64(),
		}
	}
	if on() {
		m.Matryoshka = Matryoshka{Dims: []int{width, (width + 1) / 2}, Weights: []float64{1, 0.5}}
	}
	return m
}

// TestModifiersAsWritten compares losses with random modifiers, forms and terms with
// plainModified. Goldens and TestModifiersAreOrthogonal cover IP, ST in a separate softmax, the
// form pair, and guides that are models.
func TestModifiersAsWritten(t *testing.T) {
	be := openBackend(t)
	rng := rand.New(rand.NewPCG(22, 1))
	for _, odd := range []string{"", "none counts", "rows without a passage"} {
		for _, l := range formulas() {
			if l.Has(IP) || l.Form == Uni && l.Has(ST) || l.Form == Pairwise {
				continue
			}
			for range 2 {
				b := randomPlain(rng, odd)
				o := Objective{
					Temperature: []float64{0.1, 0.2, 1}[rng.IntN(3)], Duplicates: []Duplicates{Mask, Keep}[rng.IntN(2)],
					IQ: []IQTerm{Pair, QueryOnly}[rng.IntN(2)], Bias: -3, Modifiers: randomModifiers(rng, len(b.p[0])),
				}
				if l.Form == Sig {
					o.Focal = 0
				}
				b.modified = randomMarks(rng, b, o.Distill.List)
				where := fmt.Sprintf("%s %v of %d rows, %+v", odd, l, len(b.p), o)
				near(t, where, built(t, be, l, o, b).loss, plainModified(l, o, b), 2e-5, 8*0x1p-23*o.Scale())
			}
		}
	}
}
