package chatrank

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"infbench/datasets/chat"
)

// TestMerge, by hand: two of three voters have 1 before 0, and all have 2 last. A cycle is
// broken with the fewest contradictions. Documents that an answer does not name come after the
// ones that it names.
func TestMerge(t *testing.T) {
	for _, c := range []struct {
		n      int
		orders [][]int
		want   []int
	}{
		{3, [][]int{{0, 1, 2}, {1, 0, 2}, {1, 0, 2}}, []int{1, 0, 2}},
		{3, [][]int{{0, 1, 2}, {0, 1, 2}, {1, 2, 0}, {1, 2, 0}, {2, 0, 1}}, []int{0, 1, 2}}, // 0>1 by 3:2, 1>2 by 4:1, 2>0 by 3:2
		{3, [][]int{{2}, {2, 1}, nil}, []int{2, 1, 0}},
		{4, [][]int{nil, nil}, []int{0, 1, 2, 3}},
		{2, [][]int{{0, 1}, {1, 0}}, []int{0, 1}},
		{1, [][]int{{0}}, []int{0}},
	} {
		if got := merge(c.n, c.orders); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.orders, got, c.want)
		}
	}
}

// contradicted is the number of preferences that an order contradicts.
func contradicted(p preferences, order []int) (n int) {
	for i, doc := range order {
		for _, behind := range order[i+1:] {
			n += p[behind][doc]
		}
	}
	return n
}

// permutations calls visit with all permutations of n in lexical order.
func permutations(n int, visit func([]int)) {
	var grow func(order []int)
	grow = func(order []int) {
		if len(order) == n {
			visit(order)
			return
		}
		for i := range n {
			if !slices.Contains(order, i) {
				grow(append(slices.Clone(order), i))
			}
		}
	}
	grow(nil)
}

// TestKemenyIsExact: no order contradicts fewer preferences, and the result is the first of all
// that contradict as few.
func TestKemenyIsExact(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= 6; n++ {
		for range 60 {
			var orders [][]int
			for range 1 + random.IntN(6) {
				orders = append(orders, random.Perm(n)[:random.IntN(n+1)])
			}
			p := newPreferences(n)
			for _, order := range orders {
				p.add(order)
			}
			var best []int
			permutations(n, func(order []int) {
				if best == nil || contradicted(p, order) < contradicted(p, best) {
					best = order
				}
			})
			if got := merge(n, orders); !slices.Equal(got, best) {
				t.Fatalf("%v: %v contradicts %d, %v %d", orders, got, contradicted(p, got), best, contradicted(p, best))
			}
		}
	}
}

// TestMergeOfAWindow merges the maximum of twenty documents, in orders of voters who each err
// by one swap.
func TestMergeOfAWindow(t *testing.T) {
	var orders [][]int
	for i := range 19 {
		order := make([]int, mergedAtMost)
		for k := range order {
			order[k] = mergedAtMost - 1 - k
		}
		order[i], order[i+1] = order[i+1], order[i]
		orders = append(orders, order)
	}
	for k, doc := range merge(mergedAtMost, orders) {
		if doc != mergedAtMost-1-k {
			t.Fatalf("place %d has %d", k, doc)
		}
	}
}

// TestOrders: a model that ranks the first shown document too high errs differently for each
// order. With one order it errs, with several it does not. An answer without an order is not a
// vote, and there is one question per order.
func TestOrders(t *testing.T) {
	biased := func(r chat.Request, n int) (string, error, bool) {
		switch {
		case n%7 == 3:
			return "I cannot say.", nil, true
		case n%2 == 0:
			return "[1]", nil, true // it names only the first document that it sees
		}
		return "", nil, false
	}
	docs := documents(10, 90, 40, 60, 20, 51)
	for orders, want := range map[int]string{1: "90 60 51 40 20 10", 15: "90 60 51 40 20 10"} {
		m := &oracle{fault: biased}
		r := newRanker(t, m, Options{How: Listwise, Orders: orders, Parallel: 1})
		if got := fmt.Sprint(ranked(t, r, docs)); got != "["+want+"]" {
			t.Errorf("%d orders: %s, want %s", orders, got, want)
		}
		if len(m.asked) != orders {
			t.Errorf("%d orders: %d questions", orders, len(m.asked))
		}
		if u := r.Usage(); orders > 1 && u.Failed() == 0 {
			t.Errorf("answers without an order are not counted: %+v", u)
		}
		shown := map[string]bool{}
		for _, asked := range m.asked {
			shown[asked.Messages[1].Text] = true
		}
		if len(shown) != orders {
			t.Errorf("%d orders: %d different questions", orders, len(shown))
		}
	}
	silent := &oracle{fault: func(chat.Request, int) (string, error, bool) { return "no", nil, true }}
	if got := ranked(t, newRanker(t, silent, Options{How: Listwise, Orders: 5, Ordered: true}), docs); fmt.Sprint(got) != "[10 90 40 60 20 51]" {
		t.Errorf("without an answer the order became %v", got)
	}
}

// TestOrdersInParallel: the ranking does not depend on the number of parallel questions.
func TestOrdersInParallel(t *testing.T) {
	docs := documents(5, 4, 3, 90, 80, 70, 2)
	var first []string
	for _, parallel := range []int{1, 8} {
		got := ranked(t, newRanker(t, &oracle{}, Options{How: Listwise, Orders: 6, Window: 4, Step: 2, Parallel: parallel}), docs)
		if first == nil {
			first = got
		}
		if !slices.Equal(got, first) {
			t.Errorf("%d at a time: %v, else %v", parallel, got, first)
		}
	}
}

func BenchmarkMergeOfAWindow(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	var orders [][]int
	for range 20 {
		orders = append(orders, random.Perm(mergedAtMost))
	}
	for b.Loop() {
		merge(mergedAtMost, orders)
	}
}
