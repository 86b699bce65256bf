package stats_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"infbench/metrics/stats"
)

func ExampleRanks() {
	means := []float64{0.30, 0.50, 0.34, 0.47}
	apart := func(a, b int) bool { return means[a]-means[b] > 0.1 || means[b]-means[a] > 0.1 }
	for i, r := range stats.Ranks(means, apart) {
		fmt.Println(means[i], "ranks", r.Low, "to", r.High, "in groups", r.Groups)
	}
	// Output:
	// 0.3 ranks 3 to 4 in groups [1]
	// 0.5 ranks 1 to 2 in groups [0]
	// 0.34 ranks 3 to 4 in groups [1]
	// 0.47 ranks 1 to 2 in groups [0]
}

// For any pattern of significance, two systems share a group if and only if they do not
// differ.
func TestRanksGroupsAreTies(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 5))
	for range 300 {
		k := 1 + r.IntN(7)
		means := make([]float64, k)
		differ := make([][]bool, k)
		for i := range means {
			means[i] = float64(r.IntN(5))
			differ[i] = make([]bool, k)
		}
		for i := range k {
			for j := range i {
				differ[i][j] = means[i] != means[j] && r.IntN(2) == 0
				differ[j][i] = differ[i][j]
			}
		}
		ranks := stats.Ranks(means, func(a, b int) bool { return differ[a][b] })
		for i := range k {
			if ranks[i].Low > ranks[i].High || ranks[i].Low < 1 || ranks[i].High > k {
				t.Fatalf("system %d of %v: %+v", i, means, ranks[i])
			}
			for j := range k {
				shares := slices.ContainsFunc(ranks[i].Groups, func(g int) bool { return slices.Contains(ranks[j].Groups, g) })
				if shares == differ[i][j] {
					t.Fatalf("means %v, differ %v: %d and %d share a group: %v; ranks %+v", means, differ, i, j, shares, ranks)
				}
			}
		}
	}
}
