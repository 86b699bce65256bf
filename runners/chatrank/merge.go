package chatrank

import "math/bits"

// mergedAtMost is how many documents an exact merge orders: its time doubles with each,
// and 20 take tens of milliseconds.
const mergedAtMost = 20

// preferences count how often a document stood before another: [a][b] is of a before b.
type preferences [][]int

// newPreferences are of n documents, none said yet.
func newPreferences(n int) preferences {
	p := make(preferences, n)
	for i := range p {
		p[i] = make([]int, n)
	}
	return p
}

// add takes one order of some of the documents. Those it names stand before those that it
// does not, between which it says nothing.
func (p preferences) add(order []int) {
	named := make([]bool, len(p))
	for at, doc := range order {
		named[doc] = true
		for _, behind := range order[at+1:] {
			p[doc][behind]++
		}
	}
	for _, doc := range order {
		for other := range p {
			if !named[other] {
				p[doc][other]++
			}
		}
	}
}

// kemeny is the order that contradicts the fewest of the preferences (Kemeny's), of such
// orders the first by the documents' numbers. It goes through all sets of documents that
// can stand first: exact, for mergedAtMost documents at most.
func (p preferences) kemeny() []int {
	n := len(p)
	// Putting a document behind a set contradicts, for each document that is still to come,
	// those who saw it before. least is of each set still to come how few contradictions
	// the rest of the order costs.
	cost := p.costs()
	least := make([]int32, 1<<n)
	for rest := 1; rest < 1<<n; rest++ {
		best := int32(-1)
		for left := rest; left != 0; left &= left - 1 {
			doc := bits.TrailingZeros(uint(left))
			after := rest &^ (1 << doc)
			if c := least[after] + cost[doc].of(after); best < 0 || c < best {
				best = c
			}
		}
		least[rest] = best
	}
	order := make([]int, 0, n)
	for rest := 1<<n - 1; rest != 0; {
		for left := rest; left != 0; left &= left - 1 {
			doc := bits.TrailingZeros(uint(left))
			after := rest &^ (1 << doc)
			if least[after]+cost[doc].of(after) == least[rest] {
				order = append(order, doc)
				rest = after
				break
			}
		}
	}
	return order
}

// costOf is how many preferences it contradicts that a document stands before a set of
// others: sums over the lower and the upper half of the set.
type costOf struct {
	half         int
	lower, upper []int32
}

func (c *costOf) of(set int) int32 { return c.lower[set&(1<<c.half-1)] + c.upper[set>>c.half] }

// costs has the sums of each document.
func (p preferences) costs() []costOf {
	n := len(p)
	half := n / 2
	all := make([]costOf, n)
	for doc := range p {
		before := make([]int32, n) // who saw the other before the document
		for other := range p {
			before[other] = int32(p[other][doc])
		}
		all[doc] = costOf{half, sums(before[:half]), sums(before[half:])}
	}
	return all
}

// sums are those over all sets of the values.
func sums(values []int32) []int32 {
	out := make([]int32, 1<<len(values))
	for set := 1; set < len(out); set++ {
		low := bits.TrailingZeros(uint(set))
		out[set] = out[set&(set-1)] + values[low]
	}
	return out
}

// merge orders n documents as the most preferences have it. Without any it is the order
// that they had.
func merge(n int, orders [][]int) []int {
	p := newPreferences(n)
	for _, order := range orders {
		p.add(order)
	}
	return p.kemeny()
}
