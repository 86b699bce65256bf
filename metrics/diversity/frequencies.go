package diversity

import (
	"maps"
	"math"
	"slices"
)

// frequencies holds the number of distinct n-grams with each count: the input of every
// variant of INGF.
type frequencies struct {
	total, types int
	byCount      map[int]int
}

// frequencies returns the frequencies of the n-grams of the current order.
func (o *orders) frequencies() *frequencies {
	f := &frequencies{total: o.once, types: o.once, byCount: make(map[int]int)}
	if o.once > 0 {
		f.byCount[1] = o.once
	}
	for _, c := range o.counts {
		f.add(int(c))
	}
	return f
}

// add adds an n-gram with this count.
func (f *frequencies) add(count int) {
	f.byCount[count]++
	f.types++
	f.total += count
}

// lose reduces an n-gram's count by some.
func (f *frequencies) lose(count, some int) {
	if f.byCount[count]--; f.byCount[count] == 0 {
		delete(f.byCount, count)
	}
	f.types--
	if f.total -= count; count > some {
		f.add(count - some)
	}
}

func (f *frequencies) clone() *frequencies {
	return &frequencies{f.total, f.types, maps.Clone(f.byCount)}
}

// counts lists the counts that occur, in ascending order, so that sums over them do not
// depend on the order of a map.
func (f *frequencies) counts() []int { return slices.Sorted(maps.Keys(f.byCount)) }

// dqiT1 divides by the population deviation, which fits VAIDA's published tables; it is NaN
// if all counts are equal.
func dqiT1(f *frequencies) float64 {
	counts := f.counts()
	if len(counts) == 1 {
		return math.NaN()
	}
	n := float64(f.types)
	mean, squares := float64(f.total)/n, 0.0
	for _, c := range counts {
		squares += float64(f.byCount[c]) * (float64(c) - mean) * (float64(c) - mean)
	}
	return n / math.Sqrt(squares/n)
}

func simpson(f *frequencies) float64 {
	var sum float64
	for _, c := range f.counts() {
		share := float64(c) / float64(f.total)
		sum += float64(f.byCount[c]) * share * share
	}
	return sum
}
