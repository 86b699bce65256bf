package nearest_test

import (
	"fmt"
	"strings"
	"testing"

	"infbench/internal/nearest"
)

func ExampleUnknown() {
	fmt.Println(nearest.Unknown("loss", "uni(p)", []string{"uni(P)", "multi(P,I)"}))
	fmt.Println(nearest.Unknown("verb", "xyzzy", []string{"sweep", "report"}))
	// Output:
	// unknown loss "uni(p)"; did you mean "uni(P)"? (known: uni(P), multi(P,I))
	// unknown verb "xyzzy" (known: sweep, report)
}

func ExampleOneOf() {
	type pooling string
	const cls, mean pooling = "cls", "mean"
	fmt.Println(nearest.OneOf("pooling", "", cls, mean))
	fmt.Println(nearest.OneOf("pooling", cls, cls, mean))
	fmt.Println(nearest.OneOf("pooling", "men", cls, mean))
	// Output:
	// <nil>
	// <nil>
	// unknown pooling "men"; did you mean "mean"? (known: cls, mean)
}

func TestOf(t *testing.T) {
	for _, c := range []struct {
		name  string
		known []string
		want  string
		ok    bool
	}{
		{"ndcg@10", []string{"AP", "nDCG@10", "nDCG@5"}, "nDCG@10", true},
		{"swep", []string{"sweep", "report"}, "sweep", true},
		{"mini-folowir", []string{"mini-bright", "mini-followir"}, "mini-followir", true},
		{"zzzzzz", []string{"AP"}, "", false},
		{"", nil, "", false},
		{strings.Repeat("x", 1<<20), []string{"AP", "nDCG@10"}, "", false},
	} {
		got, ok := nearest.Of(c.name, c.known)
		if got != c.want || ok != c.ok {
			t.Errorf("Of(%q) = %q, %v; want %q, %v", c.name, got, ok, c.want, c.ok)
		}
	}
}
