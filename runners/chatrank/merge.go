package chatrank

import "math/bits"

// mergedAtMost is the largest number of documents that an exact merge can order. Each more
// doubles the time; 20 take tens of milliseconds.
const mergedAtMost = 20

// preferences count how often a document was before another: [a][b] is the count of a before b.
type preferences [][]int

// newPreferences returns preferences of n documents without any counts.
func newPreferences(n int) preferences {
	p := make(preferences, n)
	for i := range p {
		p[i] = make([]int, n)
	}
	return p
}

// add counts one order of some of the documents. The documents in it are before all others;
// between the others it counts nothing.
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

// kemeny is the order that contradicts the fewest preferences (Kemeny's rule). If there are
// several, it is the first by the documents' numbers. It searches all sets of documents that
// can come first: exact, for at most mergedAtMost documents.
func (p preferences) kemeny() []int {
	n := len(p)
	// Placing a document next contradicts the preferences for any of the remaining documents
	// before it. least is, for each set of remaining documents, the fewest contradictions in
	// the rest of the order.
	cost := p.costs()
	least := make([]int32, 1<<n)
	for rest := 1; rest < 1<<n; rest++ {
		best := int32(-1)
		for left := rest; left != 0; left &= left - 1 {
			doc := bits.TrailingZeros(uint(left))
			after := rest &^ (1 << doc)
			if c := least[after] + cost[doc].before(after); best < 0 || c < best {
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
			if least[after]+cost[doc].before(after) == least[rest] {
				order = append(order, doc)
				rest = after
				break
			}
		}
	}
	return order
}

// costOf is the number of preferences contradicted if a document comes before a set of others:
// sums over the lower and the upper half of the set.
type costOf struct {
	half         int
	lower, upper []int32
}

func (c *costOf) before(set int) int32 { return c.lower[set&(1<<c.half-1)] + c.upper[set>>c.half] }

// costs returns the sums for each document.
func (p preferences) costs() []costOf {
	n := len(p)
	half := n / 2
	all := make([]costOf, n)
	for doc := range p {
		before := make([]int32, n) // counts of the other before the document
		for other := range p {
			before[other] = int32(p[other][doc])
		}
		all[doc] = costOf{half, sums(before[:half]), sums(before[half:])}
	}
	return all
}

// sums are the sums of the values over all sets.
func sums(values []int32) []int32 {
	out := make([]int32, 1<<len(values))
	for set := 1; set < len(out); set++ {
		low := bits.TrailingZeros(uint(set))
		out[set] = out[set&(set-1)] + values[low]
	}
	return out
}

// merge orders n documents by the majority of preferences. Without any orders it keeps theirs.
func merge(n int, orders [][]int) []int {
	p := newPreferences(n)
	for _, order := range orders {
		p.add(order)
	}
	return p.kemeny()
}
