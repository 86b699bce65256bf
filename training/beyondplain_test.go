package training

import (
	"cmp"
	"math"
	"slices"
)

// The losses of goldens-beyond once more, as float64 loops from spec/beyond.md, with single
// mistakes as variants. They share no code with the graphs.

func plainLost(x float64) float64 { return max(-x, 0) + math.Log1p(math.Exp(-math.Abs(x))) } // -log sigmoid(x)

func plainSigmoid(x float64) float64 { return math.Exp(-plainLost(x)) }

func plainLogSum(list []float64) float64 {
	top, sum := slices.Max(list), 0.0
	for _, x := range list {
		sum += math.Exp(x - top)
	}
	return top + math.Log(sum)
}

// plainLists is the mean of -log of the first one's share.
func plainLists(lists [][]float64) (sum float64) {
	for _, z := range lists {
		sum += (plainLogSum(z) - z[0]) / float64(len(lists))
	}
	return sum
}

// plainSig is the sum, over all candidates, of -log sigmoid, averaged over lists.
func plainSig(lists [][]float64, bias float64) (sum float64) {
	for _, z := range lists {
		for c, x := range z {
			if x += bias; c > 0 {
				x = -x
			}
			sum += plainLost(x) / float64(len(lists))
		}
	}
	return sum
}

// lambda is a pairwise loss; the fields that follow mu and sigma are mistakes.
type lambda struct {
	weights                                                Weighting
	k                                                      int
	mu, sigma                                              float64
	natural, perList, bothFirst, byLabel, linear, farByOne bool
	firstScheme                                            bool // NDCGLoss1, which is not offered
}

func (l lambda) loss(lists, grades [][]float64) float64 {
	sum, couples, perList := 0.0, 0.0, 0.0
	for i, z := range lists {
		y := grades[i]
		place := make([]int, len(z))
		for c := range place {
			place[c] = c
		}
		keys := z
		if l.byLabel {
			keys = y
		}
		slices.SortStableFunc(place, func(a, b int) int { return cmp.Compare(keys[b], keys[a]) })
		gain := func(grade float64) float64 {
			if grade = max(grade, 0); l.linear {
				return grade
			}
			return math.Pow(2, grade) - 1
		}
		ideal := slices.Clone(y)
		slices.SortFunc(ideal, func(a, b float64) int { return cmp.Compare(b, a) })
		best := 0.0
		for r, grade := range ideal {
			if l.k == 0 || r < l.k {
				best += gain(grade) / math.Log2(float64(r)+2)
			}
		}
		best = max(best, 1e-10)
		d := func(rank float64) float64 { return 1 / math.Log2(1+rank) }
		own, n := 0.0, 0.0
		for a, ca := range place {
			for b, cb := range place {
				first, second := l.k == 0 || a < l.k, l.k == 0 || b < l.k
				if !(first || second) || l.bothFirst && !(first && second) || !l.firstScheme && !(y[ca] > y[cb]) {
					continue
				}
				apart := math.Abs(float64(a - b))
				if l.farByOne {
					apart++
				}
				gains := math.Abs(gain(y[ca])-gain(y[cb])) / best
				far, near := math.Abs(d(float64(a+1))-d(float64(b+1)))*gains, 0.0
				if a != b {
					near = math.Abs(d(apart)-d(apart+1)) * gains
				}
				w := map[Weighting]float64{"": 1, LambdaRank: far, NDCG2: near, NDCG2PP: l.mu*near + far}[l.weights]
				if l.firstScheme {
					w = gain(y[ca]) / best * d(float64(a+1))
				}
				own += w * plainLost(l.sigma*(z[ca]-z[cb]))
				n++
			}
		}
		sum, couples = sum+own, couples+n
		perList += own / max(n, 1) / float64(len(lists))
	}
	if l.perList {
		sum, couples = perList, 1
	}
	if sum /= max(couples, 1); l.natural {
		return sum
	}
	return sum / math.Ln2
}

func plainKL(lists, teacher [][]float64, temperature float64) (sum float64) {
	for i, z := range lists {
		t := make([]float64, len(z))
		for c := range z {
			t[c] = teacher[i][c] / temperature
		}
		ours, theirs := plainLogSum(z), plainLogSum(t)
		for c := range z {
			sum += math.Exp(t[c]-theirs) * ((t[c] - theirs) - (z[c] - ours)) / float64(len(lists))
		}
	}
	return sum
}

// plainEntropy is the mean entropy of the teacher's shares: ListNet is plainKL plus it.
func plainEntropy(teacher [][]float64) (sum float64) {
	for _, t := range teacher {
		all := plainLogSum(t)
		for _, x := range t {
			sum -= math.Exp(x-all) * (x - all) / float64(len(teacher))
		}
	}
	return sum
}

// plainMLE is ListMLE; unweighted is the mistake of PListMLE whose weights do not add up to 1,
// byScore the order of the scores instead of the teacher's.
func plainMLE(lists, teacher [][]float64, weights Weighting, unweighted, byScore bool) (sum float64) {
	for i, z := range lists {
		keys := teacher[i]
		if byScore {
			keys = z
		}
		z = slices.Clone(z)
		order := make([]int, len(z))
		for c := range order {
			order[c] = c
		}
		slices.SortStableFunc(order, func(a, b int) int {
			return int(2*math.Copysign(1, keys[b]-keys[a])) * map[bool]int{true: 1, false: 0}[keys[a] != keys[b]]
		})
		sorted := make([]float64, len(z))
		w, total := make([]float64, len(z)), 0.0
		for r, c := range order {
			sorted[r], w[r] = z[c], 1
			if weights == PList {
				w[r] = math.Pow(2, float64(len(z)-r-1)) - 1
			}
			total += w[r]
		}
		if weights != PList || unweighted {
			total = 1
		}
		for r := range sorted {
			sum += w[r] / total * (plainLogSum(sorted[r:]) - sorted[r]) / float64(len(lists))
		}
	}
	return sum
}

func plainADR(lists, teacher [][]float64, alpha float64) float64 {
	sum, n := 0.0, 0.0
	for i, z := range lists {
		for a := range z {
			above, equal, smooth := 0.0, 0.0, 1.0
			for b := range z {
				switch t := teacher[i]; {
				case t[b] > t[a]:
					above++
				case t[b] == t[a]:
					equal++
				}
				if b != a {
					smooth += plainSigmoid(alpha * (z[b] - z[a]))
				}
			}
			rank := above + (equal+1)/2
			sum, n = sum+(rank-smooth)*(rank-smooth)/math.Log2(1+rank), n+1
		}
	}
	return sum / n
}

func plainMSE(lists, teacher [][]float64) float64 {
	sum, n := 0.0, 0.0
	for i, z := range lists {
		for c := range z {
			sum, n = sum+(z[c]-teacher[i][c])*(z[c]-teacher[i][c]), n+1
		}
	}
	return sum / n
}

func plainMarginMSE(lists, teacher [][]float64) (sum float64) {
	for i, z := range lists {
		for c := 1; c < len(z); c++ {
			off := (z[0] - z[c]) - (teacher[i][0] - teacher[i][c])
			sum += off * off / float64(len(z)-1) / float64(len(lists))
		}
	}
	return sum
}

func plainMinMax(lists [][]float64) (out [][]float64) {
	for _, z := range lists {
		low, high := slices.Min(z), slices.Max(z)
		row := []float64{}
		for _, x := range z {
			row = append(row, (x-low)/(high-low+1e-8))
		}
		out = append(out, row)
	}
	return out
}

// plainPiece is a part of a score: w times the inner product of two token vectors.
type plainPiece struct {
	query, passage int // numbers of tokens
	w              float64
}

// maxims are the ways of MaxSim: floor is PyLate's, mean divides by the query's tokens; padded is
// the mistake of dividing by all of them.
type maxims struct{ floor, mean, padded bool }

// pieces are the largest inner products that MaxSim adds up; those of the floor are left out.
func (m maxims) pieces(query, passage [][]float64, asked, counted []bool) (all []plainPiece) {
	n := 0.0
	for a := range query {
		if !asked[a] {
			continue
		}
		n++
		best, at := math.Inf(-1), -1
		for b := range passage {
			s := dot(query[a], passage[b])
			if !counted[b] {
				if !m.floor {
					continue
				}
				s = 0
			}
			if s > best {
				best, at = s, b
			}
		}
		if counted[at] {
			all = append(all, plainPiece{a, at, 1})
		}
	}
	for i := range all {
		if m.mean && m.padded {
			n = float64(len(query))
		}
		if m.mean {
			all[i].w /= n
		}
	}
	return all
}

func (m maxims) score(query, passage [][]float64, asked, counted []bool) (s float64) {
	for _, p := range m.pieces(query, passage, asked, counted) {
		s += p.w * dot(query[p.query], passage[p.passage])
	}
	return s
}

func plainUnit(v []float64) []float64 {
	length, out := math.Sqrt(dot(v, v)), make([]float64, len(v))
	for i, x := range v {
		out[i] = x / length
	}
	return out
}

func plainUnits(list [][]float64) (out [][]float64) {
	for _, v := range list {
		out = append(out, plainUnit(v))
	}
	return out
}

// plainSplade pools logits [position][term]: the largest, or the sum, of log(1 + relu), once or
// twice.
func plainSplade(logits [][]float64, mask []bool, sum, twice bool) []float64 {
	out := make([]float64, len(logits[0]))
	for s, row := range logits {
		for t, l := range row {
			if !mask[s] {
				l = 0
			}
			v := math.Log1p(max(l, 0))
			if twice {
				v = math.Log1p(v)
			}
			if sum {
				out[t] += v
			} else {
				out[t] = max(out[t], v)
			}
		}
	}
	return out
}

// plainFlops has as mistakes the mean of squares, the threshold as the first size that counts,
// and short rows out of the mean.
func plainFlops(x [][]float64, threshold int, squares, atLeast, shortOut bool) (sum float64) {
	var rows [][]float64
	for _, row := range x {
		n := 0
		for _, v := range row {
			if v != 0 {
				n++
			}
		}
		if n > threshold || atLeast && n == threshold {
			rows = append(rows, row)
		}
	}
	n := float64(len(x))
	if shortOut {
		n = float64(len(rows))
	}
	for t := range x[0] {
		mean := 0.0
		for _, row := range rows {
			if squares {
				sum += row[t] * row[t] / n
				continue
			}
			mean += row[t] / n
		}
		sum += mean * mean
	}
	return sum
}
